package list

import (
	"maps"
	"strings"
)

// Output is the answer of an operation that lists.
type Output[T any] struct {
	Link string `header:"Link" doc:"The next and the previous page (RFC 8288)."`
	Body Page[T]
}

// Answer returns the page as an answer: with its links, and its items cut to fields=.
func Answer[T any](q Query, page Page[T]) *Output[T] {
	if page.Data == nil {
		page.Data = []T{}
	}
	page.fields = q.cutTo()

	return &Output[T]{Link: q.Link(page.Meta), Body: page}
}

// cutTo returns the keys that items keep: the id always does.
func (q Query) cutTo() []string {
	if q.fields == nil {
		return nil
	}

	return append([]string{q.idName}, q.fields...)
}

// Link returns the Link header (RFC 8288) of a page: the list's own address with the other cursor,
// all other query keys kept. It is empty if the page is the only one.
func (q Query) Link(meta Meta) string {
	var links []string
	if meta.NextCursor != nil {
		links = append(links, q.link(*meta.NextCursor, "next"))
	}
	if meta.PrevCursor != nil {
		links = append(links, q.link(*meta.PrevCursor, "prev"))
	}

	return strings.Join(links, ", ")
}

func (q Query) link(cursor, relation string) string {
	values := maps.Clone(q.values)
	values.Set("cursor", cursor)

	return "<" + q.path + "?" + values.Encode() + `>; rel="` + relation + `"`
}
