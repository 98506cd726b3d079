package list

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Page is the body of a list.
type Page[T any] struct {
	Data []T  `json:"data" nullable:"false"`
	Meta Meta `json:"meta"`

	fields []string
}

// Meta says where a page stands.
type Meta struct {
	PerPage    int       `json:"per_page" doc:"How many items a full page has."`
	NextCursor *string   `json:"next_cursor" doc:"The cursor of the next page; null if this is the last."`
	PrevCursor *string   `json:"prev_cursor" doc:"The cursor of the page before; null if this is the first."`
	Total      *int64    `json:"total,omitempty" doc:"Total number of items on all pages; only with count."`
	TotalKind  TotalKind `json:"total_kind,omitempty" enum:"exact,estimate,at_least" doc:"How to read total: as exact, as an estimate, or as a lower bound."`
	Warnings   []Warning `json:"warnings,omitempty" doc:"Parts of the query that will be refused once there are more items, and what to do about it."`
}

// Warning is about a part of a query that will be refused when the list has more items.
type Warning struct {
	Path    string `json:"path" doc:"The part of the query." example:"filter[price]"`
	Field   string `json:"field" doc:"The key concerned." example:"price"`
	Message string `json:"message" doc:"The reason, when it starts to apply, and what to do."`
}

// SchemaName is the name of Warning in the OpenAPI document.
func (Warning) SchemaName() string { return "ListWarning" }

// SchemaName is the name of Meta in the OpenAPI document: one schema for the lists of all areas.
func (Meta) SchemaName() string { return "ListMeta" }

// TransformSchema implements huma.SchemaTransformer: with fields=, an item has nothing for certain but its uuid.
func (Page[T]) TransformSchema(r huma.Registry, page *huma.Schema) *huma.Schema {
	items := page.Properties["data"].Items
	whole := r.SchemaFromRef(items.Ref)
	if items.Ref == "" || whole == nil {
		return page
	}
	partial := *whole
	partial.Required = nil
	if _, has := partial.Properties["uuid"]; has {
		partial.Required = []string{"uuid"}
	}
	at := strings.LastIndex(items.Ref, "/") + 1
	name := "Partial" + items.Ref[at:]
	partial.Description = "The items of a list of " + items.Ref[at:] + ": all keys, or those that fields= names."
	r.Map()[name] = &partial
	items.Ref = items.Ref[:at] + name

	return page
}

// NewPage makes the page of the rows that Query.Apply found. The keys of a row are its values of
// the sort keys, in the order of Query.Sort, the id last. Where nothing shows it, a page that
// starts at a cursor is taken to have rows on the other side of it; Find looks.
func NewPage[T any](q Query, rows []T, keys func(T) []any) (Page[T], error) {
	c, err := cutOut(q, len(rows), func(i int) []any { return keys(rows[i]) })
	if err != nil {
		return Page[T]{}, err
	}
	c.before = q.at != nil

	return pageOf(q, c, rows)
}

// Convert makes a page of items of one of rows.
func Convert[R, T any](page Page[R], item func(R) T) Page[T] {
	data := make([]T, len(page.Data))
	for i, row := range page.Data {
		data[i] = item(row)
	}

	return Page[T]{Data: data, Meta: page.Meta}
}
