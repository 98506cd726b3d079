package definition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// BindKey turns the key of a value into what the slot column of a database takes.
func BindKey(on database.Dialect, kind field.Index, key any) any {
	number, ok := key.(string)
	if ok && kind == field.NumericIndex && on == database.SQLite {
		return field.OrderedNumber(number)
	}

	return key
}

// listSchema is what a list of records may be asked for.
func (d *Definition) listSchema(on database.Dialect) list.Schema {
	s := list.Schema{
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true, Sortable: true},
		Fields: []list.Field{
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Filterable: true, Sortable: true},
			{Name: "created_by", Expr: "created_by", Kind: kind.UUID, Nullable: true, Filterable: true, Sortable: true, NamesUser: true},
			{Name: "updated_at", Expr: "updated_at", Kind: kind.Time, Filterable: true, Sortable: true},
			{Name: "updated_by", Expr: "updated_by", Kind: kind.UUID, Nullable: true, Filterable: true, Sortable: true, NamesUser: true},
		},
		Searchable: true,
		Within:     d.within,
		Keys:       []string{"uuid", "module_uuid", "payload", "version", "created_at", "created_by", "updated_at", "updated_by"},
	}
	for _, f := range d.Fields {
		if f.IsInternal() {
			continue
		}
		s.Keys = append(s.Keys, "payload."+f.Key)
		if f.Typ.Filter != "" {
			s.Fields = append(s.Fields, f.listField(on))
		}
		for _, facet := range f.Facets() {
			s.Fields = append(s.Fields, facet.listField(on))
		}
	}

	return s
}

// listField is the field as a list filters and sorts by it: by its slot, or else by the document.
func (f *ModuleField) listField(on database.Dialect) list.Field {
	_, person := f.Values.(field.UserNamer)

	return list.Field{
		NamesUser:  person,
		Scale:      f.scale(),
		Shown:      f.shownKey,
		SumParts:   f.sumParts(on, f.Expression(on)),
		Beside:     f.beside(),
		Name:       f.Key,
		Expr:       f.Expression(on),
		Kind:       f.Typ.Filter,
		Nullable:   true,
		Sortable:   f.Typ.Sortable,
		Filterable: true,
		Operators:  f.Typ.Operators,
		Encode: func(text string) (any, error) {
			key, err := f.Values.Comparable(text)
			if err != nil {
				return nil, err
			}

			return f.bind(on, key), nil
		},
		EncodePart: func(text string) (string, error) {
			if p, ok := f.Values.(field.PartSearcher); ok {
				return p.Part(text)
			}

			return field.ComparableText(text)
		},
	}
}

// bind turns the key of a value into what the field's expression is compared with.
func (f *ModuleField) bind(on database.Dialect, key any) any {
	number, ok := key.(string)
	if on != database.SQLite || !ok || f.Typ.Index != field.NumericIndex {
		return key
	}
	if !f.Indexed && f.Typ.Filter == kind.Integer {
		if whole, err := strconv.ParseInt(number, 10, 64); err == nil {
			return whole
		}
	}

	return field.OrderedNumber(number)
}

// Expression is the SQL for the value of the field. What goes into it are numbers and constants of
// ours, never text of a caller.
func (f *ModuleField) Expression(on database.Dialect) string {
	switch {
	case f.Indexed && f.Overflow:
		return f.alias() + "." + KindColumn(f.Slot.Kind())
	case f.Indexed:
		return string(f.Slot)
	case on == database.SQLite:
		return f.sqliteExpression()
	default:
		return f.postgresExpression()
	}
}

func (f *ModuleField) postgresExpression() string {
	path := "data ->> '" + f.Number + "'::text"
	if f.Typ.Inside != "" {
		path = "data -> '" + f.Number + "'::text ->> '" + f.Typ.Inside + "'::text"
	}
	switch f.Typ.Index {
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

func (f *ModuleField) sqliteExpression() string {
	path := `'$."` + f.Number + `"'`
	if f.Typ.Inside != "" {
		path = `'$."` + f.Number + `".` + f.Typ.Inside + `'`
	}
	text := "json_extract(data, " + path + ")"
	if f.Typ.Number {
		text = "(data -> " + path + ")" // as it is written
	}
	if f.Typ.Filter == kind.Decimal {
		return field.OrderedDecimal(text)
	}

	return f.comparedTime(text)
}

// comparedTime is the SQL for the text of a time as it is compared: without the zone, since a Z
// would sort after the fraction of a second.
func (f *ModuleField) comparedTime(text string) string {
	if f.Typ.Filter == kind.Time {
		return "rtrim(" + text + ", 'Z')"
	}

	return text
}

// ListKey is the value of a record that lists are sorted by.
func (d *Definition) ListKey(row RecordRow, name string) any {
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
	if f := d.Field(name); f != nil {
		if text, ok := f.Comparand(row.Data); ok {
			return text
		}
	}

	return nil
}

// Scan is a part of a query for which no index is read in its order, so that the whole module is.
type Scan struct {
	// path is where it stands in the query: "sort", "filter[price]".
	Path string
	Key  string
	// why is what no index serves, advice how else to ask. Without them an index on the field would help.
	Why, Advice string
}

// Scans returns what of a query no index serves.
func (d *Definition) Scans(q list.Query) []Scan {
	var all []Scan
	for _, c := range q.Conditions() {
		one := Scan{Path: "filter[" + c.Field + "]", Key: c.Field}
		switch {
		case c.Operator == list.Like:
			one.Why, one.Advice = "No index supports like by "+c.Field, d.searchAdvice()
		case c.MatchesNull():
			one.Why, one.Advice = "No index serves "+string(c.Operator)+" by "+c.Field, "Add a filter that an index supports, or search with q=."
			if c.Operator == list.Null {
				one.Why = "No index covers the records that have no " + c.Field
			}
		case d.Indexed(c.Field):
			continue
		}
		all = append(all, one)
	}
	order := q.Sort()
	for _, k := range order {
		switch {
		case !d.Indexed(k.Field):
			all = append(all, Scan{Path: "sort", Key: k.Field})
		case len(order) > mostIndexedSort:
			all = append(all, Scan{Path: "sort", Key: k.Field, Why: "No index supports a sort by several keys", Advice: "Sort by one key."})
		}
	}

	return all
}

// searchAdvice says how parts of texts are found in a module of any size.
func (d *Definition) searchAdvice() string {
	var keys []string
	for _, f := range d.Fields {
		if f.SearchReady {
			keys = append(keys, f.Key)
		}
	}
	if len(keys) > 0 {
		return "Use q=, which finds the words of " + strings.Join(keys, ", ") + ", or starts."
	}

	return "Use q=, which finds the words of fields with searchable: true (PATCH " + d.fieldPath(nil) + "), or starts."
}

// fieldPath is where a field is changed.
func (d *Definition) fieldPath(f *ModuleField) string {
	id := "{field_uuid}"
	if f != nil {
		id = f.ID.String()
	}

	return Base + "/modules/" + d.Module.String() + "/fields/" + id
}

// Explain says why a part of a query reads all records, and what to ask instead.
func (d *Definition) Explain(one Scan) (why, advice string) {
	if one.Why != "" {
		return one.Why, one.Advice
	}
	why = "No index supports this query on " + one.Key
	f := d.Field(one.Key)
	switch {
	case one.Key == "created_at":
		advice = "Leave out sort, or send sort=uuid, for records in the order of their creation."
	case one.Key == "created_by" || one.Key == "updated_by":
		advice = "It cannot be indexed. Add a field of type user with indexed: true and the default me to find records by creator."
	case f == nil || f.Typ.Index == "":
		advice = "It cannot be indexed. " + d.searchAdvice()
	case f.Slot != "":
		advice = "Its index is being built: try again when index of the field is ready."
	default:
		advice = "Index it with indexed: true in PATCH " + d.fieldPath(f) + "."
	}

	return why, advice
}

// Narrowed reports whether an index finds the records that meet some condition of a query.
func (d *Definition) Narrowed(q list.Query) bool {
	return slices.ContainsFunc(q.Conditions(), func(c list.Condition) bool {
		return c.Group < 0 && d.Indexed(c.Field) && c.Operator != list.Like && !c.MatchesNull()
	})
}

// Steady reports whether the records that a query asks for, in the order of their ids, stand one after the other in one
// index: all of the module, or those that have one value in one slot. No other plan is better, whatever the value is.
func (d *Definition) Steady(q list.Query) bool {
	conditions := q.Conditions()
	if len(q.Sort()) > 1 || len(conditions) > 1 {
		return false
	}
	for _, c := range conditions {
		f := d.Field(c.Field)
		if f == nil || !f.Indexed || f.Overflow || c.Operator != list.Equal {
			return false
		}
	}

	return true
}

// mostIndexedSort is how many sort keys an index holds: one, and the id.
const mostIndexedSort = 2

// Indexed reports whether there is an index on what a list calls name.
func (d *Definition) Indexed(name string) bool {
	f := d.Field(name)

	return name == "uuid" || (f != nil && f.Indexed)
}

// IndexedKeys are the keys of the fields with an index.
func (d *Definition) IndexedKeys() []string {
	var keys []string
	for _, f := range d.Fields {
		if f.Indexed {
			keys = append(keys, f.Key)
		}
	}

	return keys
}

// DeletedList is what a list of the deleted records of a module may be asked for.
func (d *Definition) DeletedList() list.Schema {
	return list.Schema{
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
		Fields: []list.Field{
			{Name: "deleted_at", Expr: "deleted_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		DefaultSort: []string{"-deleted_at"},
		Keys:        append([]string{"deleted_at"}, d.Schema.Keys...),
	}
}
