package columns

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Field is a field of a resource's struct: a column, a key of the API, and what its tags say of it.
//
// The tag field has these words, separated by commas:
//
//	required          a value must be given, and cannot be taken away
//	min=1, max=20     of a number; of the characters of a text (max=255 if it says nothing); of the entries of a list
//	default=…         the value of a row whose body does not mention it, or has null: as JSON, or a text as it is
//	filled            of an enumeration: the area gives it a value before the row is stored
//	filled=company    of a currency: that of the company, if the body does not mention it, or has null
//	unique            no two rows that are not deleted have the same value; the table has a unique index
//	unique=folded     the same without regard to case and accents; the index is on a column <column>_key
//	sort, search      lists can be sorted by it; q= looks into it, or finds the row with the item that it names
//	title             what people call the item; q= looks into it too
//	nofilter          lists cannot be filtered by it
//	verbatim          a text is kept as it is given, with the spaces at its ends
//	readonly          the service alone writes it
//	fixed             it is given when a row is created, and not changed
//	sensitive         for those alone who have the scope <area>:sensitive; others see null. Of a type that can be null. The audit
//	                  trail does not contain its values
//	scope=margins     requires the scope <area>:margins, or another one with its area: scope=loads:margins. It is absent for other
//	                  callers, who can neither write it nor filter, sort, group or sum by it. Members of the structs of a JSON
//	                  column can have it too. Requires the tag required:"false"
//	user              the UUID of a user of the company
//	item=loads.load   the UUID of an item; expand= names it by its key without _uuid. See Item for items of any type
//	on_delete=…       of an item of a resource that is deleted: restrict (refuse that, the default), clear, or remove (the
//	                  rows that refer to it go for good with it; it is for rows that say nothing more)
//	expires           a field.Date of which Rules.Expiring makes events 30, 14, 7 and 1 days before, and on the day
//	number=T-{seq:5}  the row's number in its series, given when it is created
//	by=PUT …/price    readonly, and set by that operation; the dots stand for the path of the row
//	part              the part of a class of items that the row is about: where that is hidden from a caller, so is the row
//	hidden            a column with json:"-" that the service alone knows of: it is in no answer, list or audit entry; with
//	                  search, q= looks into it
//	-                 it is no field
type Field struct {
	Name        string // in the struct
	Index       []int
	Key, Column string
	// Columns are all that it has: column is the first of them.
	Columns []string
	Label   string
	Kind    kind.Kind
	// Type is the name of the field type of texts of platform/field, "" for others.
	Type   string
	schema *lazySchema
	// values reads what a filter compares with, for the values of platform/field; nil for others.
	values field.Values
	// phone says that the values are numbers of phones, which people write in several ways.
	phone bool
	// nullable says that there can be no value: a pointer, or a type whose zero value is NULL.
	nullable bool

	Required, Unique, Sort, search, title, NoFilter, ReadOnly, Fixed, Sensitive, Personal, User, Expires, verbatim, Part, filled, hidden bool

	// list says that the values are lists, enumerated that they are some words.
	list, enumerated bool
	// currency says that the values are currencies, usual that the company's is the default, money that they are amounts.
	currency, usual, money bool

	// AnyItem says that it is an Item, folded that its second column has the text as it is compared.
	AnyItem, folded bool

	// Guard is what the tag says of the scope that the values require, "" for nothing; Scope is that scope.
	Guard, Scope string
	bit          Sight
	// inside are the guarded members of the values, nil for none.
	inside *members

	// called, presets and gather are of the elements of a list, by the tags of these names; see collection.Field.
	called, presets, gather string

	Item     string
	OnDelete OnDelete
	Number   string
	// By is the operation that sets the field, "" for none: "PUT …/price", whose dots stand for the path of the row.
	By     string
	preset []byte // JSON
}

// OnDelete is what becomes of a reference when its item is deleted.
type OnDelete string

// Restrict refuses the deletion, Clear empties the reference, and Remove deletes the row that has it.
const (
	Restrict OnDelete = "restrict"
	Clear    OnDelete = "clear"
	Remove   OnDelete = "remove"
)

// ExpandName is the name of a reference in expand=.
func (f *Field) ExpandName() string { return strings.TrimSuffix(f.Key, "_uuid") }

// Ref is the item that the field names in a row; ok is false for none.
func (f *Field) Ref(row reflect.Value) (ref item.Ref, ok bool) {
	if f.AnyItem {
		ref, ok = f.Plain(row).(item.Ref)

		return ref, ok
	}
	id, ok := f.Plain(row).(uuid.UUID)

	return item.Ref{Type: f.Item, UUID: id}, ok && f.Item != ""
}

// Writable reports whether callers may give the field when a row is created.
func (f *Field) Writable() bool { return !f.ReadOnly }

// defaultMaxLength bounds a text whose tag says nothing, in characters.
const defaultMaxLength = 255

// newField reads the tags of a field of a struct; ok is false for what is none.
func newField(f reflect.StructField) (made *Field, ok bool, err error) {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if tag := f.Tag.Get("field"); key == "-" && (tag == "hidden" || tag == "hidden,search") {
		column := columnOf(f)

		return &Field{Name: f.Name, Index: f.Index, Key: column, Column: column, Columns: []string{column}, hidden: true, search: tag != "hidden"}, true, nil
	}
	if f.Anonymous || key == "-" || f.Tag.Get("field") == "-" {
		return nil, false, nil
	}
	made = &Field{
		Name: f.Name, Index: f.Index, Key: key, Label: f.Tag.Get("label"), Column: columnOf(f), called: f.Tag.Get("called"), presets: f.Tag.Get("presets"),
		gather: f.Tag.Get("gather"),
	}
	if key == "" {
		return nil, false, errors.New("want a tag json with the key of the field in the API")
	}
	if made.Label == "" {
		made.Label = strings.ToUpper(key[:1]) + Spaced(strings.TrimSuffix(key[1:], "_uuid"))
	}
	made.Columns = []string{made.Column}
	if err := made.readType(f); err != nil {
		return nil, false, err
	}
	if err := made.readTag(f.Tag.Get("field")); err != nil {
		return nil, false, err
	}
	if made.folded {
		made.Columns = append(made.Columns, made.Column+"_key")
	}
	if made.Guard != "" && !made.Sensitive && f.Tag.Get("required") != "false" {
		return nil, false, errors.New(`a field with a scope is absent from some answers: want the tag required:"false"`)
	}

	return made, true, made.check()
}

// rowFields are the fields of Row, the same for every resource.
var rowFields = sync.OnceValues(func() (map[string]*Field, error) {
	all := map[string]*Field{}
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
func fieldOfRow(f reflect.StructField) (made *Field, ok bool, err error) {
	all, err := rowFields()
	shared, ok := all[f.Name]
	if !ok || err != nil {
		return nil, false, err
	}
	one := *shared
	one.Index = f.Index

	return &one, true, nil
}

// readType finds out what the values of the field are.
func (f *Field) readType(from reflect.StructField) error {
	f.schema = &lazySchema{of: from}
	t := from.Type
	if t == reflect.TypeFor[Item]() {
		f.AnyItem, f.nullable, f.Kind = true, true, kind.Reference
		columns, err := columnsOfItem(from.Tag.Get("gorm"))
		if err == nil {
			f.Column, f.Columns = columns[0], columns
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
	if typed, ok := reflect.TypeAssert[field.Typed](reflect.New(t).Elem()); ok && t.Kind() == reflect.String {
		f.values, f.phone = typed.FieldType().New(), t == reflect.TypeFor[field.Phone]()
		f.currency, f.money = t == reflect.TypeFor[money.Currency](), t == reflect.TypeFor[money.Amount]()
		f.Sort = f.currency // money is sorted, and grouped, by its currency first
		f.Kind, f.Type = typed.FieldType().Filter, typed.FieldType().Name

		return nil
	}
	if content, ok := reflect.TypeAssert[interface{ isList() bool }](reflect.Zero(t)); ok {
		f.Kind, f.list, f.inside = kind.Object, content.isList(), membersOf(t)

		return nil
	}
	f.enumerated = from.Tag.Get("enum") != ""
	format, text := from.Tag.Get("format"), t.Kind() == reflect.String
	_, described := reflect.TypeAssert[huma.SchemaProvider](reflect.New(t).Elem())
	if (custom || described) && t != reflect.TypeFor[uuid.UUID]() {
		f.enumerated = f.enumerated || f.Schema().Enum != nil
		format, text, f.list = f.Schema().Format, f.Schema().Type == huma.TypeString, f.Schema().Type == huma.TypeArray
	}
	switch {
	case t == reflect.TypeFor[time.Time](), format == "date-time":
		f.Kind = kind.Time
	case t == reflect.TypeFor[uuid.UUID](), format == "uuid":
		f.Kind = kind.UUID
	case format == "date":
		f.Kind = kind.Date
	case format == "decimal":
		f.Kind = kind.Decimal
	case t.Kind() == reflect.Int64, t.Kind() == reflect.Int, t.Kind() == reflect.Int32:
		f.Kind = kind.Integer
	case t.Kind() == reflect.Bool:
		f.Kind = kind.Boolean
	case text:
		f.Kind = kind.Text
	case custom:
		f.Kind = kind.Object
	default:
		return fmt.Errorf("a %s cannot be stored in the database: want a driver.Valuer, such as resource.JSON", t)
	}

	return nil
}

// Mentions reports whether callers may have the field refer to something.
func (f *Field) Mentions() bool { return !f.ReadOnly && (f.User || f.Item != "" || f.AnyItem) }

// Refer has the field of a row, which names an item already, name another one of the same type.
func (f *Field) Refer(row reflect.Value, to uuid.UUID) {
	switch v := f.Of(row); {
	case f.AnyItem:
		v.FieldByName("UUID").Set(reflect.ValueOf(to))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.ValueOf(&to))
	default:
		v.Set(reflect.ValueOf(to))
	}
}
