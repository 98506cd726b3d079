package custommodules

import (
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// bindKey turns the key of a value into what the slot column of a database takes.
func bindKey(on database.Dialect, kind slotKind, key any) any {
	number, ok := key.(string)
	if ok && kind == numericSlot && on == database.SQLite {
		return orderedNumber(number)
	}

	return key
}

// listSchema is what a list of records may be asked for.
func (d *definition) listSchema(on database.Dialect) list.Schema {
	s := list.Schema{
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true, Sortable: true},
		Fields: []list.Field{
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Filterable: true, Sortable: true},
			{Name: "updated_at", Expr: "updated_at", Kind: list.Time, Filterable: true, Sortable: true},
		},
		Searchable: true,
		Within:     d.within,
		Keys:       []string{"uuid", "module_uuid", "payload", "version", "created_at", "updated_at"},
	}
	for _, f := range d.fields {
		if f.arrival != nil {
			continue
		}
		s.Keys = append(s.Keys, "payload."+f.key)
		if f.typ.filter != "" {
			s.Fields = append(s.Fields, f.listField(on))
		}
		for _, facet := range f.facets() {
			s.Fields = append(s.Fields, facet.listField(on))
		}
	}

	return s
}

// listField is the field as a list filters and sorts by it: by its slot, or else by the document.
func (f *field) listField(on database.Dialect) list.Field {
	return list.Field{
		Beside:     f.beside(),
		Name:       f.key,
		Expr:       f.expression(on),
		Kind:       f.typ.filter,
		Nullable:   true,
		Sortable:   f.typ.sortable,
		Filterable: true,
		Operators:  f.typ.operators,
		Encode: func(text string) (any, error) {
			key, err := f.values.comparable(text)
			if err != nil {
				return nil, err
			}

			return f.bind(on, key), nil
		},
		EncodePart: func(text string) (string, error) {
			if p, ok := f.values.(partial); ok {
				return p.part(text)
			}

			return comparableText(text)
		},
	}
}

// bind turns the key of a value into what the field's expression is compared with.
func (f *field) bind(on database.Dialect, key any) any {
	number, ok := key.(string)
	if on != database.SQLite || !ok || f.typ.slot != numericSlot {
		return key
	}
	if !f.indexed && f.typ.filter == list.Integer {
		if whole, err := strconv.ParseInt(number, 10, 64); err == nil {
			return whole
		}
	}

	return orderedNumber(number)
}

// expression is the SQL for the value of the field. What goes into it are numbers and constants of
// ours, never text of a caller.
func (f *field) expression(on database.Dialect) string {
	switch {
	case f.indexed && f.overflow:
		return f.alias() + "." + f.slot.kind().value()
	case f.indexed:
		return string(f.slot)
	case on == database.SQLite:
		return f.sqliteExpression()
	default:
		return f.postgresExpression()
	}
}

func (f *field) postgresExpression() string {
	path := "data ->> '" + f.number + "'::text"
	if f.typ.inside != "" {
		path = "data -> '" + f.number + "'::text ->> '" + f.typ.inside + "'::text"
	}
	switch f.typ.slot {
	case numericSlot:
		return "(" + path + ")::numeric"
	case boolSlot:
		return "(" + path + ")::boolean"
	case uuidSlot:
		return "(" + path + ")::uuid"
	case timeSlot:
		return "(" + f.comparedTime(path) + `) COLLATE "C"`
	case textSlot:
	}

	return path
}

func (f *field) sqliteExpression() string {
	path := `'$."` + f.number + `"'`
	if f.typ.inside != "" {
		path = `'$."` + f.number + `".` + f.typ.inside + `'`
	}
	text := "json_extract(data, " + path + ")"
	if f.typ.number {
		text = "(data -> " + path + ")" // as it is written
	}
	if f.typ.filter == list.Decimal {
		return sqliteOrderedDecimal(text)
	}

	return f.comparedTime(text)
}

// comparedTime is the SQL for the text of a time as it is compared: without the zone, since a Z
// would sort after the fraction of a second.
func (f *field) comparedTime(text string) string {
	if f.typ.filter == list.Time {
		return "rtrim(" + text + ", 'Z')"
	}

	return text
}

// sqliteOrderedDecimal is orderedNumber in SQL, for the text of a decimal number.
func sqliteOrderedDecimal(text string) string {
	whole := "CAST(ltrim(" + text + ", '-') AS INTEGER)"
	point := "instr(" + text + " || '.', '.')"
	fraction := "CAST(substr(rtrim(substr(" + text + " || '.', " + point + " + 1), '.') || '000000000000000000', 1, 18) AS INTEGER)"
	digits := func(sign, whole, fraction string) string {
		return "'" + sign + "' || printf('%018d%018d', " + whole + ", " + fraction + ")"
	}

	return "CASE WHEN " + text + " IS NULL THEN NULL WHEN " + text + " LIKE '-%' THEN " +
		digits("09", "999999999999999999 - "+whole, "999999999999999999 - "+fraction) +
		" ELSE " + digits("10", whole, fraction) + " END"
}

// listKey is the value of a record that lists are sorted by.
func (d *definition) listKey(row recordRow, name string) any {
	switch name {
	case "uuid":
		return row.ID
	case "created_at":
		return row.CreatedAt
	case "updated_at":
		return row.UpdatedAt
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
}

// scans returns what of a query no index serves.
func (d *definition) scans(q list.Query) []scan {
	var all []scan
	for _, c := range q.Conditions() {
		if !d.indexed(c.Field) || c.Operator == list.Like || c.MatchesNull() {
			all = append(all, scan{"filter[" + c.Field + "]", c.Field})
		}
	}
	order := q.Sort()
	for _, k := range order {
		if !d.indexed(k.Field) || len(order) > mostIndexedSort {
			all = append(all, scan{"sort", k.Field})
		}
	}

	return all
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
