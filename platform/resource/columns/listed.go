package columns

import (
	"strings"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// listed is the field for lists on a database.
func (f *Field) listed(on database.Dialect) list.Field {
	made := list.Field{
		Name: f.Key, Expr: f.Column, Kind: f.Kind, Nullable: f.nullable, Sortable: f.Sort, Filterable: !f.NoFilter,
		Words: f.words(), NamesUser: f.User, Summable: f.Kind == kind.Decimal, Scale: f.scale(),
	}
	switch {
	case f.Kind == kind.Decimal:
		return f.decimal(made, on)
	case f.values != nil && f.Kind == kind.Text:
		made.Encode = f.values.Comparable
		if part, ok := f.values.(field.PartSearcher); ok {
			made.EncodePart = part.Part
		}
	}

	return made
}

// decimal has lists compare numbers, which SQLite keeps as the texts that they are in JSON.
func (f *Field) decimal(made list.Field, on database.Dialect) list.Field {
	made.Encode = func(text string) (any, error) {
		number, err := field.NormalDecimal(text, field.FractionDigits)
		if on == database.SQLite && err == nil {
			number = field.OrderedNumber(number)
		}

		return number, err //nolint:wrapcheck // a fieldtype.Error
	}
	made.Shown = func(text string) string { return field.ReadableNumber(text, made.Scale) }
	if on == database.SQLite {
		made.Expr, made.SumParts = field.OrderedDecimal(f.Column), list.DecimalParts(f.Column)
	}

	return made
}

// scale is how many digits after the point a zero of the field's type has.
func (f *Field) scale() int {
	if f.Kind != kind.Decimal || f.values == nil {
		return 0
	}
	zero, err := f.values.Comparable("0")
	text, _ := zero.(string)
	if _, digits, _ := strings.Cut(text, "."); err == nil {
		return len(digits)
	}

	return 0
}

// itemFilters are what lists can be filtered by of a field that names an item of any type.
func (f *Field) itemFilters() []list.Field {
	return []list.Field{
		{Name: f.Key + "_type", Expr: f.Columns[0], Kind: kind.Text, Nullable: !f.Required, Filterable: true},
		{Name: f.Key + "_uuid", Expr: f.Columns[1], Kind: kind.UUID, Nullable: !f.Required, Filterable: true},
	}
}
