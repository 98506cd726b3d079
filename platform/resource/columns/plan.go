// Package columns reads the struct of a resource's rows: its columns, the keys of the API, and what tags say of them. It knows
// the values of one row, and neither stores nor decides anything; platform/resource does.
package columns

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Plan is what is known of a struct, once for all requests.
type Plan struct {
	Name, Table string
	Fields      []*Field
	// Stored are the fields with those that are hidden.
	Stored []*Field
	ByKey  map[string]*Field
	// Guards are the scopes that some of the fields, or members of their values, require.
	Guards  []string
	Columns []string // of the row, company_id first
	// Searched are the fields that q= looks into, in the order of the lines of an entry of the index: the title first, nil if
	// there is none. There are none at all where q= finds nothing.
	Searched []*Field
	Forms    func() Forms

	row reflect.Type
}

// Forms are made of a plan when the first request needs them.
type Forms struct {
	// Schemas is what lists can be asked for on a database, by what the caller sees.
	Schemas map[database.Dialect][]list.Schema
	// Body and Patch are the bodies of a create and of a change.
	Body, Patch *huma.Schema
	// Insert inserts rows. Update is the statement that stores a row that was changed, by the id of its company and its
	// own; UpdateRows stores many.
	Insert, UpdateRows database.Rows
	Update             string
}

// New returns a pointer to a row without values.
func (p *Plan) New() any { return reflect.New(p.row).Interface() }

// Clone returns a pointer to a copy of a row, which shares with it what pointers and lists hold (Detach).
func (p *Plan) Clone(row any) any {
	made := reflect.New(p.row)
	made.Elem().Set(ValueOf(row))

	return made.Interface()
}

// Type is that of the rows.
func (p *Plan) Type() reflect.Type { return p.row }

// PlanOf reads the tags of a struct.
func PlanOf(t reflect.Type) (Plan, error) {
	p := Plan{Name: t.String(), row: t, ByKey: map[string]*Field{}, Columns: []string{"company_id"}}
	fail := func(err error) (Plan, error) { return Plan{}, fmt.Errorf("struct %s: %w", t, err) }
	if _, has := reflect.TypeAssert[interface{ Meta() *Row }](reflect.New(t)); t.Kind() != reflect.Struct || !has {
		return fail(errors.New("want a struct that embeds resource.Row"))
	}
	named, ok := reflect.TypeAssert[interface{ TableName() string }](reflect.New(t))
	if !ok {
		return fail(errors.New("want a method TableName with the name of its table"))
	}
	p.Table = named.TableName()
	var row []int // the place of Row
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous && f.Type == reflect.TypeFor[Row]() {
			row = f.Index
		}
		if !f.IsExported() || f.Name == "CompanyID" {
			continue
		}
		read := newField
		if row != nil && len(f.Index) == len(row)+1 && slices.Equal(row, f.Index[:len(row)]) {
			read = fieldOfRow
		}
		made, ok, err := read(f)
		if err != nil {
			return fail(fmt.Errorf("field %s: %w", f.Name, err))
		}
		if !ok {
			continue
		}
		p.Stored, p.Columns = append(p.Stored, made), append(p.Columns, made.Columns...)
		if made.hidden {
			continue
		}
		if _, twice := p.ByKey[made.Key]; twice {
			return fail(fmt.Errorf("field %s: another field has the key %q", f.Name, made.Key))
		}
		p.Fields, p.ByKey[made.Key] = append(p.Fields, made), made
	}

	return p, nil
}

// Complete checks the fields together. Lists are sorted as sort says.
func (p *Plan) Complete(sort []string) error {
	for _, f := range p.Fields {
		if f.enumerated && !f.nullable && !f.Required && f.preset == nil && !f.filled && !f.ReadOnly {
			return fmt.Errorf("field %s: an enumeration is required, has a default, is filled in, or is a pointer: the empty text is not one of its values", f.Name)
		}
	}
	p.Searched = p.searchable()
	p.Forms = sync.OnceValue(func() Forms { return p.newForms(sort) })

	return nil
}

func (p *Plan) newForms(sort []string) Forms {
	f := Forms{
		Schemas: map[database.Dialect][]list.Schema{},
		Body:    p.bodySchema(true), Patch: p.bodySchema(false),
		Insert: p.insertRows(""), Update: p.updateSQL(), UpdateRows: p.insertRows(p.conflictSQL()),
	}
	for _, on := range []database.Dialect{database.Postgres, database.SQLite} {
		for _, sees := range p.Sights() {
			f.Schemas[on] = append(f.Schemas[on], p.schemaOf(on, sort, sees))
		}
	}

	return f
}

// Schema is what lists can be asked for on a database by a caller.
func (p *Plan) Schema(on database.Dialect, sees Sight) list.Schema {
	return p.Forms().Schemas[on][sees]
}

// WholeSchema is Schema for a caller who sees all fields.
func (p *Plan) WholeSchema(on database.Dialect) list.Schema { return p.Schema(on, p.everything()) }

// Sensitive reports whether any field is.
func (p *Plan) Sensitive() bool {
	return slices.ContainsFunc(p.Fields, func(f *Field) bool { return f.Sensitive })
}

// Personal reports whether a field is personal.
func (p *Plan) Personal() bool {
	return slices.ContainsFunc(p.Fields, func(f *Field) bool { return f.Personal })
}

// Title is the field that has what people call an item, nil for none.
func (p *Plan) Title() *Field {
	if i := slices.IndexFunc(p.Fields, func(f *Field) bool { return f.title }); i >= 0 {
		return p.Fields[i]
	}

	return nil
}

// References are the fields that name an item, of one type or of any.
func (p *Plan) References() []*Field {
	var all []*Field
	for _, f := range p.Fields {
		if f.Item != "" || f.AnyItem {
			all = append(all, f)
		}
	}

	return all
}

// schemaOf is what lists can be asked for of the fields that are seen.
func (p *Plan) schemaOf(on database.Dialect, sort []string, sees Sight) list.Schema {
	s := list.Schema{Keys: []string{"expanded"}, DefaultSort: sort, Searchable: p.Searched != nil, Withheld: p.withheld(sees)}
	var currency *list.Field
	for _, f := range p.Fields {
		if f.currency && currency == nil {
			listed := f.listed(on)
			currency = &listed
		}
	}
	for _, f := range p.Fields {
		s.Keys = append(s.Keys, f.Key)
		if !f.SeenBy(sees) {
			continue
		}
		if f.Key == "uuid" {
			s.ID = list.Field{Name: f.Key, Expr: f.Column, Kind: kind.UUID, Filterable: true}

			continue
		}
		if f.Item != "" || f.AnyItem {
			s.Expand = append(s.Expand, f.ExpandName())
			s.Keys = append(s.Keys, "expanded."+f.ExpandName())
		}
		if f.AnyItem {
			s.Fields = append(s.Fields, f.itemFilters()...)
		}
		if f.Kind.Comparable() && (f.Sort || !f.NoFilter || f.Kind == kind.Decimal) {
			listed := f.listed(on)
			if f.money {
				listed.Currency = currency
			}
			s.Fields = append(s.Fields, listed)
		}
	}

	return s.Prepared()
}

// insertRows is the statement that inserts rows; then is what comes after their values.
func (p *Plan) insertRows(then string) database.Rows {
	return database.NewUntypedRows("INSERT INTO "+p.Table+" ("+strings.Join(p.Columns, ", ")+")", len(p.Columns), then)
}

// conflictSQL stores rows that are there in the place of inserting them: no other statement with many rows has the types of
// the columns by itself on both databases.
func (p *Plan) conflictSQL() string {
	var set []string
	for _, column := range p.Columns {
		if column != "company_id" && column != "id" {
			set = append(set, column+" = excluded."+column)
		}
	}

	return "ON CONFLICT (company_id, id) DO UPDATE SET " + strings.Join(set, ", ")
}

// updateSQL is the statement that stores a row of a company, by its id.
func (p *Plan) updateSQL() string {
	return "UPDATE " + p.Table + " SET " + strings.Join(p.Columns[1:], " = ?, ") + " = ? WHERE company_id = ? AND id = ?"
}

// Values are the values of a row in the order of the columns but company_id.
func (p *Plan) Values(row reflect.Value) []any {
	values := make([]any, 0, len(p.Columns)+1)
	for _, f := range p.Stored {
		values = append(values, f.Stored(row)...)
	}

	return values
}

// Key is the value of a sort key, for cursors.
func (p *Plan) Key(row reflect.Value, name string) any { return p.ByKey[name].Plain(row) }

// ItemFields are the fields as other areas see them.
func (p *Plan) ItemFields() []item.Field {
	var all []item.Field
	for _, f := range p.Fields {
		if f.Key != "version" && f.Key != "deleted_at" {
			all = append(all, item.Field{Key: f.Key, Label: f.Label, Kind: f.Kind.JSON(), Sensitive: f.Guard != "", Scope: f.Scope})
		}
	}

	return all
}

// Unique reports whether any field is.
func (p *Plan) Unique() bool {
	for _, f := range p.Fields {
		if f.Unique {
			return true
		}
	}

	return false
}

// ViewKeys are the names that a view of the rows can have: the fields, and what lists are filtered by besides.
func (p *Plan) ViewKeys(sees Sight) []string {
	var keys []string
	for _, f := range p.Fields {
		if !f.SeenBy(sees) {
			continue
		}
		keys = append(keys, f.Key)
		if f.AnyItem {
			for _, filter := range f.itemFilters() {
				keys = append(keys, filter.Name)
			}
		}
	}

	return keys
}

// MetaKeys are the keys of what every row has.
func (p *Plan) MetaKeys() map[string]bool {
	keys := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Row]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys[key] = true
	}

	return keys
}
