package custommodules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
)

// bindKey turns the key of a value into what the slot column of a database takes.
func bindKey(on database.Dialect, kind field.Index, key any) any {
	number, ok := key.(string)
	if ok && kind == field.NumericIndex && on == database.SQLite {
		return field.OrderedNumber(number)
	}

	return key
}

// listSchema is what a list of records may be asked for.
func (d *definition) listSchema(on database.Dialect) list.Schema {
	s := list.Schema{
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true, Sortable: true},
		Fields: []list.Field{
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Filterable: true, Sortable: true},
			{Name: "created_by", Expr: "created_by", Kind: list.UUID, Nullable: true, Filterable: true, Sortable: true, NamesUser: true},
			{Name: "updated_at", Expr: "updated_at", Kind: list.Time, Filterable: true, Sortable: true},
			{Name: "updated_by", Expr: "updated_by", Kind: list.UUID, Nullable: true, Filterable: true, Sortable: true, NamesUser: true},
		},
		Searchable: true,
		Within:     d.within,
		Keys:       []string{"uuid", "module_uuid", "payload", "version", "created_at", "created_by", "updated_at", "updated_by"},
	}
	for _, f := range d.fields {
		if f.unseen() {
			continue
		}
		s.Keys = append(s.Keys, "payload."+f.key)
		if f.typ.Filter != "" {
			s.Fields = append(s.Fields, f.listField(on))
		}
		for _, facet := range f.facets() {
			s.Fields = append(s.Fields, facet.listField(on))
		}
	}

	return s
}

// listField is the field as a list filters and sorts by it: by its slot, or else by the document.
func (f *moduleField) listField(on database.Dialect) list.Field {
	_, person := f.values.(field.UserNamer)

	return list.Field{
		NamesUser:  person,
		Scale:      f.scale(),
		Shown:      f.shownKey,
		SumParts:   f.sumParts(on, f.expression(on)),
		Beside:     f.beside(),
		Name:       f.key,
		Expr:       f.expression(on),
		Kind:       f.typ.Filter,
		Nullable:   true,
		Sortable:   f.typ.Sortable,
		Filterable: true,
		Operators:  f.typ.Operators,
		Encode: func(text string) (any, error) {
			key, err := f.values.Comparable(text)
			if err != nil {
				return nil, err
			}

			return f.bind(on, key), nil
		},
		EncodePart: func(text string) (string, error) {
			if p, ok := f.values.(field.PartSearcher); ok {
				return p.Part(text)
			}

			return field.ComparableText(text)
		},
	}
}

// bind turns the key of a value into what the field's expression is compared with.
func (f *moduleField) bind(on database.Dialect, key any) any {
	number, ok := key.(string)
	if on != database.SQLite || !ok || f.typ.Index != field.NumericIndex {
		return key
	}
	if !f.indexed && f.typ.Filter == list.Integer {
		if whole, err := strconv.ParseInt(number, 10, 64); err == nil {
			return whole
		}
	}

	return field.OrderedNumber(number)
}

// expression is the SQL for the value of the field. What goes into it are numbers and constants of
// ours, never text of a caller.
func (f *moduleField) expression(on database.Dialect) string {
	switch {
	case f.indexed && f.overflow:
		return f.alias() + "." + kindColumn(f.slot.kind())
	case f.indexed:
		return string(f.slot)
	case on == database.SQLite:
		return f.sqliteExpression()
	default:
		return f.postgresExpression()
	}
}

func (f *moduleField) postgresExpression() string {
	path := "data ->> '" + f.number + "'::text"
	if f.typ.Inside != "" {
		path = "data -> '" + f.number + "'::text ->> '" + f.typ.Inside + "'::text"
	}
	switch f.typ.Index {
	case field.NumericIndex:
		return "(" + path + ")::numeric"
	case field.BoolIndex:
		return "(" + path + ")::boolean"
	case field.UUIDIndex:
		return "(" + path + ")::uuid"
	case field.TimeIndex:
		return "(" + f.comparedTime(path) + `) COLLATE "C"`
	case field.TextIndex:
	}

	return path
}

func (f *moduleField) sqliteExpression() string {
	path := `'$."` + f.number + `"'`
	if f.typ.Inside != "" {
		path = `'$."` + f.number + `".` + f.typ.Inside + `'`
	}
	text := "json_extract(data, " + path + ")"
	if f.typ.Number {
		text = "(data -> " + path + ")" // as it is written
	}
	if f.typ.Filter == list.Decimal {
		return field.OrderedDecimal(text)
	}

	return f.comparedTime(text)
}

// comparedTime is the SQL for the text of a time as it is compared: without the zone, since a Z
// would sort after the fraction of a second.
func (f *moduleField) comparedTime(text string) string {
	if f.typ.Filter == list.Time {
		return "rtrim(" + text + ", 'Z')"
	}

	return text
}

// listKey is the value of a record that lists are sorted by.
func (d *definition) listKey(row recordRow, name string) any {
	switch name {
	case "uuid":
		return row.ID
	case "created_at":
		return row.CreatedAt
	case "created_by":
		return row.CreatedBy
	case "updated_at":
		return row.UpdatedAt
	case "updated_by":
		return row.UpdatedBy
	}
	if f := d.field(name); f != nil {
		if text, ok := f.comparand(row.Data); ok {
			return text
		}
	}

	return nil
}

// scan is a part of a query for which no index is read in its order, so that the whole module is.
type scan struct {
	// path is where it stands in the query: "sort", "filter[price]".
	path string
	key  string
	// why is what no index serves, advice how else to ask. Without them an index on the field would help.
	why, advice string
}

// scans returns what of a query no index serves.
func (d *definition) scans(q list.Query) []scan {
	var all []scan
	for _, c := range q.Conditions() {
		one := scan{path: "filter[" + c.Field + "]", key: c.Field}
		switch {
		case c.Operator == list.Like:
			one.why, one.advice = "No index serves like by "+c.Field, d.searchAdvice()
		case c.MatchesNull():
			one.why, one.advice = "No index serves "+string(c.Operator)+" by "+c.Field, "Add a filter that an index serves, or ask with q=."
			if c.Operator == list.Null {
				one.why = "No index holds the records that have no " + c.Field
			}
		case d.indexed(c.Field):
			continue
		}
		all = append(all, one)
	}
	order := q.Sort()
	for _, k := range order {
		switch {
		case !d.indexed(k.Field):
			all = append(all, scan{path: "sort", key: k.Field})
		case len(order) > mostIndexedSort:
			all = append(all, scan{path: "sort", key: k.Field, why: "No index serves a sort by several keys", advice: "Sort by one key."})
		}
	}

	return all
}

// searchAdvice says how parts of texts are found in a module of any size.
func (d *definition) searchAdvice() string {
	var keys []string
	for _, f := range d.fields {
		if f.searchReady {
			keys = append(keys, f.key)
		}
	}
	if len(keys) > 0 {
		return "Use q=, which finds the words of " + strings.Join(keys, ", ") + ", or starts."
	}

	return "Use q=, which finds the words of fields with searchable: true (PATCH " + d.fieldPath(nil) + "), or starts."
}

// fieldPath is where a field is changed.
func (d *definition) fieldPath(f *moduleField) string {
	id := "{field_uuid}"
	if f != nil {
		id = f.id.String()
	}

	return base + "/modules/" + d.module.String() + "/fields/" + id
}

// explain says why a part of a query reads all records, and what to ask instead.
func (d *definition) explain(one scan) (why, advice string) {
	if one.why != "" {
		return one.why, one.advice
	}
	why = "No index serves this by " + one.key
	f := d.field(one.key)
	switch {
	case one.key == "created_at":
		advice = "Records come in the order in which they were created without sort, or with sort=uuid."
	case one.key == "created_by" || one.key == "updated_by":
		advice = "There can be none. A field of the type user with indexed: true and the default me has who made a record."
	case f == nil || f.typ.Index == "":
		advice = "There can be none. " + d.searchAdvice()
	case f.slot != "":
		advice = "Its index is being built: ask again when index of the field is ready."
	default:
		advice = "It gets one with indexed: true in PATCH " + d.fieldPath(f) + "."
	}

	return why, advice
}

// narrowed reports whether an index finds the records that meet some condition of a query.
func (d *definition) narrowed(q list.Query) bool {
	return slices.ContainsFunc(q.Conditions(), func(c list.Condition) bool {
		return c.Group < 0 && d.indexed(c.Field) && c.Operator != list.Like && !c.MatchesNull()
	})
}

// steady reports whether the records that a query asks for, in the order of their ids, stand one after the other in one
// index: all of the module, or those that have one value in one slot. No other plan is better, whatever the value is.
func (d *definition) steady(q list.Query) bool {
	conditions := q.Conditions()
	if len(q.Sort()) > 1 || len(conditions) > 1 {
		return false
	}
	for _, c := range conditions {
		f := d.field(c.Field)
		if f == nil || !f.indexed || f.overflow || c.Operator != list.Equal {
			return false
		}
	}

	return true
}

// mostIndexedSort is how many sort keys an index holds: one, and the id.
const mostIndexedSort = 2

// indexed reports whether there is an index on what a list calls name.
func (d *definition) indexed(name string) bool {
	f := d.field(name)

	return name == "uuid" || (f != nil && f.indexed)
}

// indexedKeys are the keys of the fields with an index.
func (d *definition) indexedKeys() []string {
	var keys []string
	for _, f := range d.fields {
		if f.indexed {
			keys = append(keys, f.key)
		}
	}

	return keys
}
