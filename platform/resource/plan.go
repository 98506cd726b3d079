package resource

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/web"
)

// plan is what is known of a struct, once for all requests.
type plan struct {
	name, table string
	fields      []*field
	// stored are the fields with those that are hidden.
	stored  []*field
	byKey   map[string]*field
	columns []string // of the row, company_id first
	// searched are the fields that q= looks into, in the order of the lines of an entry of the index: the title first, nil if
	// there is none. There are none at all where q= finds nothing.
	searched []*field
	forms    func() forms
}

// forms are made of a plan when the first request needs them.
type forms struct {
	// schema is what lists can be asked for on a database; masked for callers without the sensitive fields.
	schema, masked map[database.Dialect]list.Schema
	// body and patch are the bodies of a create and of a change.
	body, patch *huma.Schema
	// update is the statement that stores a row that was changed, by the id of its company and its own; updateRows stores
	// many.
	insert, updateRows database.Rows
	update             string
}

// compile reads the tags of R.
func compile[R any]() (plan, error) {
	t := reflect.TypeFor[R]()
	p := plan{name: t.String(), byKey: map[string]*field{}, columns: []string{"company_id"}}
	fail := func(err error) (plan, error) { return plan{}, fmt.Errorf("struct %s: %w", t, err) }
	if _, has := any(new(R)).(interface{ Meta() *Row }); t.Kind() != reflect.Struct || !has {
		return fail(errors.New("want a struct that embeds resource.Row"))
	}
	named, ok := any(new(R)).(interface{ TableName() string })
	if !ok {
		return fail(errors.New("want a method TableName with the name of its table"))
	}
	p.table = named.TableName()
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
		p.stored, p.columns = append(p.stored, made), append(p.columns, made.columns...)
		if made.hidden {
			continue
		}
		if _, twice := p.byKey[made.key]; twice {
			return fail(fmt.Errorf("field %s: another one has the key %q", f.Name, made.key))
		}
		p.fields, p.byKey[made.key] = append(p.fields, made), made
	}

	return p, nil
}

// complete checks the fields together. Lists are sorted as sort says.
func (p *plan) complete(sort []string) error {
	for _, f := range p.fields {
		if f.schema.Enum != nil && !f.nullable && !f.required && f.preset == nil && !f.readonly {
			return fmt.Errorf("field %s: one of some words is required, has a default, or is a pointer: the empty text is none of them", f.name)
		}
	}
	p.searched = p.searchable()
	p.forms = sync.OnceValue(func() forms { return p.newForms(sort) })

	return nil
}

func (p *plan) newForms(sort []string) forms {
	f := forms{
		schema: map[database.Dialect]list.Schema{}, masked: map[database.Dialect]list.Schema{},
		body: p.bodySchema(true), patch: p.bodySchema(false),
		insert: p.insertRows(""), update: p.updateSQL(), updateRows: p.insertRows(p.conflictSQL()),
	}
	for _, on := range []database.Dialect{database.Postgres, database.SQLite} {
		f.schema[on] = p.schemaOf(on, sort, func(*field) bool { return true })
		if f.masked[on] = f.schema[on]; p.sensitive() {
			f.masked[on] = p.schemaOf(on, sort, func(f *field) bool { return !f.sensitive })
		}
	}

	return f
}

// sensitive reports whether any field is.
func (p *plan) sensitive() bool {
	return slices.ContainsFunc(p.fields, func(f *field) bool { return f.sensitive })
}

// titles are the fields that make up what people call an item.
func (p *plan) title() *field {
	if i := slices.IndexFunc(p.fields, func(f *field) bool { return f.title }); i >= 0 {
		return p.fields[i]
	}

	return nil
}

// references are the fields that name an item, of one type or of any.
func (p *plan) references() []*field {
	var all []*field
	for _, f := range p.fields {
		if f.item != "" || f.anyItem {
			all = append(all, f)
		}
	}

	return all
}

// schemaOf is what lists can be asked for of some of the fields.
func (p *plan) schemaOf(on database.Dialect, sort []string, of func(*field) bool) list.Schema {
	s := list.Schema{Keys: []string{"expanded"}, DefaultSort: sort, Searchable: p.searched != nil}
	for _, f := range p.fields {
		s.Keys = append(s.Keys, f.key)
		if !of(f) {
			continue
		}
		if f.key == "uuid" {
			s.ID = list.Field{Name: f.key, Expr: f.column, Kind: list.UUID, Filterable: true}

			continue
		}
		if f.item != "" || f.anyItem {
			s.Expand = append(s.Expand, f.expands())
			s.Keys = append(s.Keys, "expanded."+f.expands())
		}
		if f.anyItem {
			s.Fields = append(s.Fields, f.itemFilters()...)
		}
		if f.kind != "" && (f.sort || !f.nofilter || f.kind == list.Decimal) {
			s.Fields = append(s.Fields, f.listed(on))
		}
	}

	return s.Prepared()
}

// bodySchema is the body of a create, or of a merge patch: of that, no key is required, and null takes a value away.
func (p *plan) bodySchema(create bool) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false}
	for _, f := range p.fields {
		if !f.writable() || (f.fixed && !create) {
			continue
		}
		property := *f.schema
		property.Nullable = !f.required
		if property.Nullable && len(property.Enum) > 0 {
			property.Enum = append(slices.Clone(property.Enum), nil)
		}
		if !create {
			property.Default = nil
		}
		if f.required && create && f.preset == nil {
			s.Required = append(s.Required, f.key)
		}
		s.Properties[f.key] = &property
	}
	s.Properties[OwnKey] = &huma.Schema{
		Type: huma.TypeObject, Nullable: true, AdditionalProperties: true,
		Description: "Values of the fields that the company has added, by their keys: a merge patch.",
	}
	web.PrecomputeMessages(s)

	return s
}

// insertRows is the statement that inserts rows; then is what comes after their values.
func (p *plan) insertRows(then string) database.Rows {
	return database.NewUntypedRows("INSERT INTO "+p.table+" ("+strings.Join(p.columns, ", ")+")", len(p.columns), then)
}

// conflictSQL stores rows that are there in the place of inserting them: no other statement with many rows has the types of
// the columns by itself on both databases.
func (p *plan) conflictSQL() string {
	var set []string
	for _, column := range p.columns {
		if column != "company_id" && column != "id" {
			set = append(set, column+" = excluded."+column)
		}
	}

	return "ON CONFLICT (company_id, id) DO UPDATE SET " + strings.Join(set, ", ")
}

// updateSQL is the statement that stores a row of a company, by its id.
func (p *plan) updateSQL() string {
	return "UPDATE " + p.table + " SET " + strings.Join(p.columns[1:], " = ?, ") + " = ? WHERE company_id = ? AND id = ?"
}

// values are the values of a row in the order of the columns but company_id.
func (p *plan) values(row reflect.Value) []any {
	values := make([]any, 0, len(p.columns)+1)
	for _, f := range p.stored {
		values = append(values, f.stored(row)...)
	}

	return values
}

// key is the value of a sort key, for cursors.
func (p *plan) key(row reflect.Value, name string) any { return p.byKey[name].plain(row) }

// itemFields are the fields as other areas see them.
func (p *plan) itemFields() []item.Field {
	var all []item.Field
	for _, f := range p.fields {
		if f.key != "version" && f.key != "deleted_at" {
			all = append(all, item.Field{Key: f.key, Label: f.label, Kind: f.shape, Sensitive: f.sensitive})
		}
	}

	return all
}

// taggedLines are the lines of a manifest that the tags of R ask for.
func taggedLines[R any](item, plural string) []fx.Option {
	var all []fx.Option
	for _, f := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		for word := range strings.SplitSeq(f.Tag.Get("field"), ",") {
			if template, ok := strings.CutPrefix(word, "number="); ok {
				all = append(all, numbering.Series(item, template))
			}
			if word == "sensitive" {
				all = append(all, web.DeclareScope(word, "See and set the sensitive fields of "+spoken(plural)))
			}
		}
	}

	return all
}
