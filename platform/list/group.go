package list

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// GroupInput has the query keys of an operation that counts and sums what a list has, by group. Embed it in the input of the
// operation, or leave everything to ServeGroups.
type GroupInput struct {
	GroupBy string            `query:"group_by" doc:"One or two keys to group by, separated by commas. Dates and times are grouped by a calendar unit in the company's time zone: day, week (from Monday), month, quarter or year, as in created_at:month." example:"status,created_at:month"`
	Sum     string            `query:"sum" doc:"Up to 4 keys of numbers to sum in each group, separated by commas." example:"price"`
	Filter  map[string]string `query:"filter,deepObject,explode" doc:"Conditions, as in the list."`
	Q       string            `query:"q" doc:"Words to search for, as in the list."`

	path  string
	query url.Values
	err   error
}

// Resolve implements huma.Resolver, as that of Input.
func (in *GroupInput) Resolve(ctx huma.Context) []error {
	var sent Input
	failed := sent.Resolve(ctx)
	in.path, in.query, in.err = sent.path, sent.query, sent.err

	return failed
}

// GroupsFromQuery returns the input of an operation that is not read by Huma, as FromQuery does.
func GroupsFromQuery(path string, query url.Values) GroupInput {
	if query == nil {
		query = url.Values{}
	}

	return GroupInput{path: path, query: query}
}

// List returns the input of the list whose items are grouped: the filters and the search.
func (in *GroupInput) List() *Input {
	if in.query == nil {
		return &Input{}
	}
	query := url.Values{}
	for key, values := range in.query {
		if key != "group_by" && key != "sum" {
			query[key] = values
		}
	}

	return &Input{path: in.path, query: query, err: in.err}
}

// Grouping is what a request asks for of the groups of a list, understood and checked.
type Grouping struct {
	query Query
	keys  []groupKey
	sums  []Field
}

// groupKey is a field to group by.
type groupKey struct {
	Field

	name string // as the request has it
	unit unit   // "" groups by the values themselves
	zone *time.Location
	// bounds are where the groups of a unit begin, and where the last one ends.
	bounds []time.Time
}

// Parse reads what the request asks of the list that schema describes. Its errors are those of Input.Parse.
func (in *GroupInput) Parse(ctx context.Context, schema Schema) (Grouping, error) {
	q, err := in.List().Parse(ctx, schema)
	if err != nil {
		return Grouping{}, err
	}

	return in.Of(ctx, schema, q)
}

// Of is Parse for a query of the list that was parsed already: the items that it finds are grouped.
func (in *GroupInput) Of(ctx context.Context, schema Schema, q Query) (Grouping, error) {
	fields, err := schema.index()
	if err != nil {
		return Grouping{}, err
	}
	p := parser{schema: schema, fields: fields, values: in.query, caller: caller{ctx: ctx, began: q.began}}
	g := Grouping{query: q, keys: p.groupKeys(), sums: p.sums()}
	if p.caller.err != nil {
		return Grouping{}, p.caller.err
	}

	return g, p.err()
}

// currencies returns the fields with the currencies of the sums, but for those that the items are grouped by.
func (g Grouping) currencies() []Field {
	var all []Field
	for _, f := range g.sums {
		if f.Currency == nil || slices.Contains(g.Keys(), f.Currency.Name) ||
			slices.ContainsFunc(all, func(other Field) bool { return other.Name == f.Currency.Name }) {
			continue
		}
		all = append(all, *f.Currency)
	}

	return all
}

// Query returns the query of the list whose items are grouped.
func (g Grouping) Query() Query { return g.query }

// Keys returns the names of the fields to group by.
func (g Grouping) Keys() []string {
	names := make([]string, len(g.keys))
	for i, k := range g.keys {
		names[i] = k.Name
	}

	return names
}

// Sums returns the names of the fields to add up.
func (g Grouping) Sums() []string {
	names := make([]string, len(g.sums))
	for i, f := range g.sums {
		names[i] = f.Name
	}

	return names
}

// groupKeys reads group_by=.
func (p *parser) groupKeys() []groupKey {
	text := p.one("group_by")
	if text == "" {
		p.add("group_by", "group_by needs a key: %s.", joinNames(p.schema.groupable()))

		return nil
	}
	names := strings.Split(text, ",")
	if len(names) > MaxGroupKeys {
		p.add("group_by", "group_by takes at most %d keys.", MaxGroupKeys)

		return nil
	}
	keys := make([]groupKey, 0, len(names))
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			p.add("group_by", "group_by names %q twice.", shorten(name))
		}
		if k, ok := p.groupKey(name); ok {
			keys = append(keys, k)
		}
	}

	return keys
}

func (p *parser) groupKey(text string) (groupKey, bool) {
	name, asked, divided := strings.Cut(text, ":")
	field, known := p.fields.field(name)
	switch {
	case !known || !field.groupable():
		p.add("group_by", "%s", p.schema.unknownField("group_by", name, p.schema.groupable()))

		return groupKey{}, false
	case divided && !field.Kind.Dated():
		p.add("group_by", "group_by: %s is not a date or time; leave out the unit.", name)

		return groupKey{}, false
	case divided && !slices.Contains(units, unit(asked)):
		p.add("group_by", "%s", unknownMessage("group_by="+name, asked, units))

		return groupKey{}, false
	case !divided && field.Kind.Dated() && field.Kind != kind.Date:
		p.add("group_by", "group_by: %s is a time; it is grouped by %s:day, or another of %s.", name, name, joinNames(units))

		return groupKey{}, false
	}
	k := groupKey{Field: *field, name: text, unit: unit(asked), zone: time.UTC}
	if divided && field.Kind == kind.Time {
		now, err := p.caller.currentTime()
		if err != nil {
			p.caller.err = err

			return groupKey{}, false
		}
		k.zone = now.Location()
	}

	return k, true
}

// sums reads sum=.
func (p *parser) sums() []Field {
	text := p.one("sum")
	if text == "" {
		return nil
	}
	names := strings.Split(text, ",")
	if len(names) > MaxSums {
		p.add("sum", "sum takes at most %d keys.", MaxSums)

		return nil
	}
	var fields []Field
	for i, name := range names {
		field, known := p.fields.field(name)
		switch {
		case !known || !field.summable():
			p.add("sum", "%s", p.schema.unknownField("sum", name, p.schema.names(Field.summable)))
		case slices.Contains(names[:i], name):
			p.add("sum", "sum names %q twice.", name)
		default:
			fields = append(fields, *field)
		}
	}

	return fields
}

// groupable reports whether items may be grouped by the field: it is filtered by its values, which are not long.
func (f Field) groupable() bool {
	return f.Filterable && f.Held == nil && slices.Contains(f.operators(), Equal) && (f.Sortable || f.Kind != kind.Text)
}

func (f Field) summable() bool {
	return (f.Filterable || f.Summable) && f.Kind.Numeric()
}

func (s Schema) groupable() []string { return s.names(Field.groupable) }
