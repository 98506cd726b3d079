package list

import (
	"fmt"
	"slices"
	"strings"
)

// SortKey is one key of an order.
type SortKey struct {
	Field      string
	Descending bool
}

// String returns the key as sort= has it.
func (k SortKey) String() string {
	if k.Descending {
		return "-" + k.Field
	}

	return k.Field
}

// key is a sort key with the field it names.
type key struct {
	Field

	desc bool
}

// sortKeys reads sort=, or returns the schema's own.
func (p *parser) sortKeys() []string {
	text := p.one("sort")
	if text == "" {
		return p.schema.DefaultSort
	}
	keys := strings.Split(text, ",")
	if len(keys) > MaxSortKeys {
		p.add("sort", "sort takes at most %d keys.", MaxSortKeys)

		return nil
	}
	for i, name := range keys {
		p.sortKey(keys[:i], strings.TrimPrefix(name, "-"))
	}

	return keys
}

func (p *parser) sortKey(before []string, name string) {
	field, known := p.fields.field(name)
	switch {
	case !known || (!field.Sortable && name != p.schema.ID.Name):
		p.add("sort", "%s", p.schema.unknownField("sort", name, p.schema.sortable()))
	case slices.ContainsFunc(before, named(name)):
		p.add("sort", "sort names %q twice.", name)
	case slices.ContainsFunc(before, named(p.schema.ID.Name)):
		p.add("sort", "sort: %q is unique, so no key can follow it.", p.schema.ID.Name)
	}
}

func named(name string) func(string) bool {
	return func(sortKey string) bool { return strings.TrimPrefix(sortKey, "-") == name }
}

// orderOf resolves sort keys. The id ends the order, in the direction of the key before it, so that
// one index read in either direction serves both.
func orderOf(sort []string, fields index, schema Schema) ([]key, error) {
	order := make([]key, 0, len(sort)+1)
	for _, text := range sort {
		name, desc := strings.CutPrefix(text, "-")
		field, known := fields.field(name)
		if !known {
			return nil, fmt.Errorf("list: the default sort names %q, which is not a field", name)
		}
		order = append(order, key{Field: *field, desc: desc})
		if name == schema.ID.Name {
			return order, nil
		}
	}
	last := len(order) - 1

	return append(order, key{Field: schema.ID, desc: last >= 0 && order[last].desc}), nil
}
