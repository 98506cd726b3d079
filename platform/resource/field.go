package resource

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/database"
	fieldtype "github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// field is a field of a resource's struct: a column, a key of the API, and what its tags say of it.
//
// The tag field has these words, separated by commas:
//
//	required          a value must be given, and cannot be taken away
//	min=1, max=20     of a number; of the characters of a text (max=255 if it says nothing); of the entries of a list
//	default=…         the value of a row whose body does not mention it, or has null: as JSON, or a text as it is
//	unique            no two rows that are not deleted have the same value; the table has a unique index
//	unique=folded     the same without regard to case and accents; the index is on a column <column>_key
//	sort, search      lists can be sorted by it; q= looks into it
//	title             what people call the item; q= looks into it too
//	nofilter          lists cannot be filtered by it
//	verbatim          a text is kept as it is given, with the spaces at its ends
//	readonly          the service alone writes it
//	fixed             it is given when a row is created, and not changed
//	sensitive         for those alone who have the scope <area>:sensitive; others see null. Of a type that can be null
//	user              the UUID of a user of the company
//	item=loads.load   the UUID of an item; expand= names it by its key without _uuid. See Item for items of any type
//	on_delete=…       of an item of a resource that is deleted: restrict (refuse that, the default), clear, or remove (the
//	                  rows that refer to it go for good with it; it is for rows that say nothing more)
//	expires           a field.Date of which Rules.Expiring makes events 30, 14, 7 and 1 days before, and on the day
//	number=T-{seq:5}  the row's number in its series, given when it is created
//	part              the part of a class of items that the row is about: where that is hidden from a caller, so is the row
//	hidden            a column with json:"-" that the service alone knows of: it is in no answer, list or audit entry
//	-                 it is no field
type field struct {
	name        string // in the struct
	index       []int
	key, column string
	// columns are all that it has: column is the first of them.
	columns []string
	label   string
	kind    list.Kind // "" where it cannot be compared
	shape   item.FieldKind
	schema  *huma.Schema
	// values reads what a filter compares with, for the values of platform/field; nil for others.
	values fieldtype.Values
	// phone says that the values are numbers of phones, which people write in several ways.
	phone bool
	// nullable says that there can be no value: a pointer, or a type whose zero value is NULL.
	nullable bool

	required, unique, sort, search, title, nofilter, readonly, fixed, sensitive, user, expires, verbatim, part, hidden bool

	// anyItem says that it is an Item, folded that its second column has the text as it is compared.
	anyItem, folded bool

	item     string
	onDelete onDelete
	number   string
	preset   []byte // JSON
}

// onDelete is what becomes of a reference when its item is deleted.
type onDelete string

const (
	restrict onDelete = "restrict"
	clear    onDelete = "clear"
	remove   onDelete = "remove"
)

// expands is the name of a reference in expand=.
func (f *field) expands() string { return strings.TrimSuffix(f.key, "_uuid") }

// ref is the item that the field names in a row; ok is false for none.
func (f *field) ref(row reflect.Value) (ref item.Ref, ok bool) {
	if f.anyItem {
		ref, ok = f.plain(row).(item.Ref)

		return ref, ok
	}
	id, ok := f.plain(row).(uuid.UUID)

	return item.Ref{Type: f.item, UUID: id}, ok && f.item != ""
}

// writable reports whether callers may give the field when a row is created.
func (f *field) writable() bool { return !f.readonly }

// defaultMaxLength bounds a text whose tag says nothing, in characters.
const defaultMaxLength = 255

// newField reads the tags of a field of a struct; ok is false for what is none.
func newField(f reflect.StructField) (made *field, ok bool, err error) {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if key == "-" && f.Tag.Get("field") == "hidden" {
		return &field{name: f.Name, index: f.Index, column: columnOf(f), columns: []string{columnOf(f)}, hidden: true}, true, nil
	}
	if f.Anonymous || key == "-" || f.Tag.Get("field") == "-" {
		return nil, false, nil
	}
	made = &field{name: f.Name, index: f.Index, key: key, label: f.Tag.Get("label"), column: columnOf(f)}
	if key == "" {
		return nil, false, errors.New("want a tag json with the key of the field in the API")
	}
	if made.label == "" {
		made.label = strings.ToUpper(key[:1]) + spoken(strings.TrimSuffix(key[1:], "_uuid"))
	}
	made.columns = []string{made.column}
	if err := made.readType(f); err != nil {
		return nil, false, err
	}
	if err := made.readTag(f.Tag.Get("field")); err != nil {
		return nil, false, err
	}
	if made.folded {
		made.columns = append(made.columns, made.column+"_key")
	}

	return made, true, made.check()
}

// rowFields are the fields of Row, the same for every resource.
var rowFields = sync.OnceValues(func() (map[string]*field, error) { //nolint:gochecknoglobals // made once
	all := map[string]*field{}
	for f := range reflect.TypeFor[Row]().Fields() {
		if !f.IsExported() {
			continue
		}
		made, ok, err := newField(f)
		if err != nil {
			return nil, err
		}
		if ok {
			all[f.Name] = made
		}
	}

	return all, nil
})

// fieldOfRow is newField for a field of the Row that is embedded.
func fieldOfRow(f reflect.StructField) (made *field, ok bool, err error) {
	all, err := rowFields()
	shared, ok := all[f.Name]
	if !ok || err != nil {
		return nil, false, err
	}
	one := *shared
	one.index = f.Index

	return &one, true, nil
}

// readType finds out what the values of the field are.
func (f *field) readType(from reflect.StructField) error {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	f.schema = inlined(registry, web.FieldSchema(registry, from))
	t := from.Type
	if t == reflect.TypeFor[Item]() {
		f.anyItem, f.nullable, f.shape = true, true, item.Reference
		columns, err := columnsOfItem(from.Tag.Get("gorm"))
		if err == nil {
			f.column, f.columns = columns[0], columns
		}

		return err
	}
	if f.nullable = t.Kind() == reflect.Pointer; f.nullable {
		t = t.Elem()
	}
	valuer, custom := reflect.TypeAssert[driver.Valuer](reflect.New(t).Elem())
	if custom {
		none, err := valuer.Value()
		f.nullable = f.nullable || (err == nil && none == nil && t != reflect.TypeFor[uuid.UUID]())
	}
	if typed, ok := reflect.TypeAssert[fieldtype.Typed](reflect.New(t).Elem()); ok && t.Kind() == reflect.String {
		f.values, f.phone = typed.FieldType().New(), t == reflect.TypeFor[fieldtype.Phone]()
		f.kind, f.shape = typed.FieldType().Filter, typed.FieldType().ItemKind()

		return nil
	}
	switch {
	case t == reflect.TypeFor[time.Time](), f.schema.Format == "date-time":
		f.kind, f.shape = list.Time, item.Time
	case t == reflect.TypeFor[uuid.UUID](), f.schema.Format == "uuid":
		f.kind, f.shape = list.UUID, item.Text
	case f.schema.Format == "date":
		f.kind, f.shape = list.Date, item.Date
	case f.schema.Format == "decimal":
		f.kind, f.shape = list.Decimal, item.Decimal
	case t.Kind() == reflect.Int64, t.Kind() == reflect.Int, t.Kind() == reflect.Int32:
		f.kind, f.shape = list.Integer, item.Integer
	case t.Kind() == reflect.Bool:
		f.kind, f.shape = list.Boolean, item.Boolean
	case t.Kind() == reflect.String, custom && f.schema.Type == huma.TypeString:
		f.kind, f.shape = list.Text, item.Text
	case custom:
		f.shape = item.Object
	default:
		return fmt.Errorf("a %s is no type that the database can hold: want a driver.Valuer, such as resource.JSON", t)
	}

	return nil
}

// readTag reads the words of the tag field.
func (f *field) readTag(tag string) error {
	f.onDelete = restrict
	for word := range strings.SplitSeq(tag, ",") {
		name, value, valued := strings.Cut(strings.TrimSpace(word), "=")
		switch trait := f.trait(name); {
		case word == "":
		case trait != nil && !valued:
			*trait = true
		case !valued:
			return fmt.Errorf("field:%q: %q is no word of it", tag, word)
		default:
			if err := f.set(name, value); err != nil {
				return fmt.Errorf("field:%q: %w", tag, err)
			}
		}
	}
	if f.kind == list.Text && f.values == nil && f.schema.MaxLength == nil && f.schema.Enum == nil && !f.readonly {
		f.schema.MaxLength = new(defaultMaxLength)
	}

	return nil
}

// trait is what a word without a value sets, nil for a word that there is not.
func (f *field) trait(name string) *bool {
	switch name {
	case "required":
		return &f.required
	case "unique":
		return &f.unique
	case "sort":
		return &f.sort
	case "search":
		return &f.search
	case "title":
		return &f.title
	case "nofilter":
		return &f.nofilter
	case "readonly":
		return &f.readonly
	case "fixed":
		return &f.fixed
	case "sensitive":
		return &f.sensitive
	case "user":
		return &f.user
	case "expires":
		return &f.expires
	case "verbatim":
		return &f.verbatim
	case "part":
		return &f.part
	default:
		return nil
	}
}

// set takes a word that has a value.
func (f *field) set(name, value string) error {
	switch name {
	case "min", "max":
		return f.bound(name == "max", value)
	case "default":
		if f.preset = []byte(value); !json.Valid(f.preset) {
			f.preset = []byte(strconv.Quote(value))
		}
		f.schema.Default = json.RawMessage(f.preset)
	case "item":
		f.item = value
	case "unique":
		if value != "folded" {
			return fmt.Errorf("unique=folded is the one that is known, not unique=%s", value)
		}
		f.unique, f.folded = true, true
	case "on_delete":
		f.onDelete = onDelete(value)
	case "number":
		f.number, f.readonly = value, true
	default:
		return fmt.Errorf("%q is no word of it", name)
	}

	return nil
}

// bound sets a bound of a number, of the length of a text, or of the entries of a list.
func (f *field) bound(most bool, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("want a whole number as a bound, got %q", value)
	}
	number := float64(n)
	switch {
	case f.kind == list.Integer && most:
		f.schema.Maximum = &number
	case f.kind == list.Integer:
		f.schema.Minimum = &number
	case f.kind == list.Text && most:
		f.schema.MaxLength = &n
	case f.kind == list.Text:
		f.schema.MinLength = &n
	case f.schema.Type == huma.TypeArray && most:
		f.schema.MaxItems = &n
	case f.schema.Type == huma.TypeArray:
		f.schema.MinItems = &n
	default:
		return errors.New("min and max are of numbers, texts and lists")
	}

	return nil
}

// check reports words that do not go together.
func (f *field) check() error {
	switch {
	case f.sensitive && !f.nullable:
		return errors.New("a sensitive field is null for those who may not see it: want a pointer, or a type that can be null")
	case f.sensitive && (f.search || f.sort || f.title || f.unique):
		return errors.New("a sensitive field cannot be searched, sorted by, unique or the title: that would tell its values")
	case (f.item != "" || f.user) && f.kind != list.UUID:
		return errors.New("what names a user or an item is a UUID: want *uuid.UUID, or uuid.UUID if it is required")
	case f.item != "" && (!strings.HasSuffix(f.key, "_uuid") || !strings.Contains(f.item, ".")):
		return errors.New("a reference has a key that ends in _uuid, and names a type of items such as loads.load")
	case f.folded && (f.kind != list.Text || f.nullable):
		return errors.New("unique=folded is of texts that are not null")
	case f.onDelete != restrict && f.onDelete != clear && f.onDelete != remove:
		return fmt.Errorf("on_delete is restrict, clear or remove, not %q", f.onDelete)
	case f.onDelete == clear && (f.required || !f.nullable):
		return errors.New("on_delete=clear: a required reference cannot be cleared")
	case f.required && f.readonly:
		return errors.New("required and readonly do not go together: callers cannot give it")
	case (f.sort || f.unique || f.title || f.search) && f.kind == "":
		return errors.New("its values cannot be compared: it is neither sorted by nor unique, title or searched")
	case f.part && (f.kind != list.Text || f.sensitive):
		return errors.New("the part of a class of items is a text that is not sensitive")
	case (f.search || f.title) && f.kind != list.Text:
		return errors.New("search and title are of texts")
	case f.expires && (f.kind != list.Date || f.values == nil || f.sensitive):
		return errors.New("what expires is a field.Date, and not sensitive: an event tells it")
	case f.verbatim && (f.kind != list.Text || f.values != nil || f.unique):
		return errors.New("verbatim is of plain texts that are not unique")
	case f.number != "" && f.kind != list.Text:
		return errors.New("a number of a series is a string")
	case f.item == "" && f.kind == list.UUID && !f.nullable && !f.required && !f.readonly:
		return errors.New("a UUID that need not be given is a *uuid.UUID")
	default:
		return nil
	}
}

// listed is the field for lists on a database.
func (f *field) listed(on database.Dialect) list.Field {
	made := list.Field{
		Name: f.key, Expr: f.column, Kind: f.kind, Nullable: f.nullable, Sortable: f.sort, Filterable: !f.nofilter,
		NamesUser: f.user, Summable: f.kind == list.Decimal, Scale: f.scale(),
	}
	switch {
	case f.kind == list.Decimal:
		return f.decimal(made, on)
	case f.values != nil && f.kind == list.Text:
		made.Encode = f.values.Comparable
		if part, ok := f.values.(fieldtype.PartSearcher); ok {
			made.EncodePart = part.Part
		}
	}

	return made
}

// decimal has lists compare numbers, which SQLite keeps as the texts that they are in JSON.
func (f *field) decimal(made list.Field, on database.Dialect) list.Field {
	made.Encode = func(text string) (any, error) {
		number, err := fieldtype.NormalDecimal(text, fieldtype.FractionDigits)
		if on == database.SQLite && err == nil {
			number = fieldtype.OrderedNumber(number)
		}

		return number, err //nolint:wrapcheck // a fieldtype.Error
	}
	made.Shown = func(text string) string { return fieldtype.ReadableNumber(text, made.Scale) }
	if on == database.SQLite {
		made.Expr, made.SumParts = fieldtype.OrderedDecimal(f.column), list.DecimalParts(f.column)
	}

	return made
}

// scale is how many digits after the point a zero of the field's type has.
func (f *field) scale() int {
	if f.kind != list.Decimal || f.values == nil {
		return 0
	}
	zero, err := f.values.Comparable("0")
	text, _ := zero.(string)
	if _, digits, _ := strings.Cut(text, "."); err == nil {
		return len(digits)
	}

	return 0
}

// inlined is a schema without references.
func inlined(registry huma.Registry, s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	made := *s
	if s.Ref != "" {
		made = *registry.SchemaFromRef(s.Ref)
		if s.Description != "" {
			made.Description = s.Description
		}
	}
	made.Items = inlined(registry, made.Items)
	properties := make(map[string]*huma.Schema, len(made.Properties))
	for key, property := range made.Properties {
		properties[key] = inlined(registry, property)
	}
	if len(properties) > 0 {
		made.Properties = properties
	}
	made.Required = slices.Clone(made.Required)

	return &made
}

// of is the field in a row.
func (f *field) of(row reflect.Value) reflect.Value { return row.FieldByIndex(f.index) }

// plain is the field's value as the database has it: nil for none.
func (f *field) plain(row reflect.Value) any {
	v := f.of(row)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch inner := v.Interface().(type) {
	case uuid.UUID, time.Time:
		return inner
	case Item:
		if inner.UUID == uuid.Nil {
			return nil
		}

		return inner.Ref()
	case driver.Valuer:
		value, err := inner.Value()
		if err != nil {
			return nil
		}

		return value
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int32, reflect.Int64:
		return v.Int()
	default:
		return v.Interface()
	}
}

// stored are the values of the field's columns.
func (f *field) stored(row reflect.Value) []any {
	switch {
	case f.anyItem:
		return storedItem(f.of(row).Interface().(Item)) //nolint:forcetypeassert // readType has seen to it
	case f.folded:
		return []any{f.plain(row), database.Folded(f.of(row).String())}
	default:
		return []any{f.plain(row)}
	}
}

// shown is the field's value as JSON has it, for the audit trail: nil for none.
func (f *field) shown(row reflect.Value) any {
	v := f.of(row)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}

	return v.Interface()
}

// empty reports whether there is no value, or a text of spaces.
func (f *field) empty(row reflect.Value) bool {
	switch value := f.plain(row).(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(value) == ""
	case uuid.UUID:
		return value == uuid.Nil
	default:
		return false
	}
}

// normalise brings a text into normalization form C, without spaces at its ends, and a time into UTC, as precise as it is
// stored.
func (f *field) normalise(row reflect.Value) {
	v := f.of(row)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case !v.IsValid() || !f.writable() || f.verbatim:
	case v.Kind() == reflect.String && f.values == nil:
		v.SetString(norm.NFC.String(strings.TrimSpace(v.String())))
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(v.Interface().(time.Time).UTC().Truncate(time.Microsecond))) //nolint:forcetypeassert // it is one
	}
}
