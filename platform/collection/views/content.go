package views

import (
	"maps"
	"net/url"
	"strconv"
	"strings"
)

// Content is the filter, sort and columns of a view. Fields are named by key as people see them, and by id
// as they are kept.
type Content struct {
	Filter  []Condition `json:"filter"`
	Sort    []Order     `json:"sort"`
	Columns []string    `json:"columns"`
}

// Condition is one condition. Those of one group hold together, and one group is enough; those of none
// always hold.
type Condition struct {
	Field    string `json:"field"`
	Operator string `json:"op"`
	Value    string `json:"value"`
	Group    *int   `json:"group,omitempty"`
}

// Order is one key to sort by.
type Order struct {
	Field      string `json:"field"`
	Descending bool   `json:"descending,omitempty"`
}

// Part is where a view names a field.
type Part struct {
	// Path is "filter.0", "sort.1" or "columns.2".
	Path, Field string
}

// Renamed returns the content with its fields renamed, and the parts for whose fields there is no other
// name, which are left out.
func (c Content) Renamed(to func(field string) (string, bool)) (made Content, lost []Part) {
	made = Content{Filter: []Condition{}, Sort: []Order{}, Columns: []string{}}
	rename := func(path string, at int, field string) (string, bool) {
		name, ok := to(field)
		if !ok {
			lost = append(lost, Part{path + "." + strconv.Itoa(at), field})
		}

		return name, ok
	}
	for i, condition := range c.Filter {
		if name, ok := rename("filter", i, condition.Field); ok {
			condition.Field = name
			made.Filter = append(made.Filter, condition)
		}
	}
	for i, order := range c.Sort {
		if name, ok := rename("sort", i, order.Field); ok {
			order.Field = name
			made.Sort = append(made.Sort, order)
		}
	}
	for i, column := range c.Columns {
		if name, ok := rename("columns", i, column); ok {
			made.Columns = append(made.Columns, name)
		}
	}

	return made, lost
}

// Query returns the query of a list that asks for the content, where given, a query as it was sent, goes
// before it: its sort and fields replace those of the view, and its filters by a field the view's by the same.
// Filters in groups stand beside those of the view only if it has none itself. Column is how fields= names a column.
func (c Content) Query(given url.Values, column func(key string) string) url.Values {
	made := maps.Clone(given)
	if made == nil {
		made = url.Values{}
	}
	grouped := hasKey(given, "filter[or]")
	for _, condition := range c.Filter {
		if key := condition.key(); condition.Group != nil && !grouped || condition.Group == nil && !hasKey(given, "filter["+condition.Field+"]") {
			made[key] = append(made[key], condition.Value)
		}
	}
	if len(c.Sort) > 0 && !given.Has("sort") {
		made.Set("sort", c.sort())
	}
	if len(c.Columns) > 0 && !given.Has("fields") {
		columns := make([]string, len(c.Columns))
		for i, key := range c.Columns {
			columns[i] = column(key)
		}
		made.Set("fields", strings.Join(columns, ","))
	}

	return made
}

// Path returns where a key of the query stands in the content: "filter.0". Keys that are of no part of it stay.
func (c Content) Path(key string) string {
	for i, condition := range c.Filter {
		if key == condition.key() || key == "filter["+condition.Field+"]" {
			return "filter." + strconv.Itoa(i)
		}
	}

	return key
}

// hasKey reports whether a query has a key that begins like that.
func hasKey(query url.Values, prefix string) bool {
	for key := range query {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}

	return false
}

func (c Condition) key() string {
	group := ""
	if c.Group != nil {
		group = "[or][" + strconv.Itoa(*c.Group) + "]"
	}

	return "filter" + group + "[" + c.Field + "][" + c.Operator + "]"
}

func (c Content) sort() string {
	keys := make([]string, len(c.Sort))
	for i, order := range c.Sort {
		keys[i] = order.Field
		if order.Descending {
			keys[i] = "-" + order.Field
		}
	}

	return strings.Join(keys, ",")
}
