package list

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// Query is what a request asks of a list, understood and checked. Make one with Input.Parse; it is
// not changed afterwards, and may be used by several goroutines.
type Query struct {
	perPage int
	bytes   int64 // of a page, 0 for MaxPageBytes
	order   []key // ends with the id
	filters []Condition
	text    string
	words   []string // of text
	search  []string // expressions to find the words in
	fields  []string
	expand  []string
	count   Count

	at       *position // where the page starts; nil is at the beginning
	backward bool      // the page is read from its end
	part     part
	// began is the present that relative dates of the query are counted from, zero where it has none; me is who "me"
	// was, nil where nobody said it.
	began   time.Time
	me      *uuid.UUID
	within  func(tx *gorm.DB, led bool) *gorm.DB
	stretch Stretch // bounds a walk through the tail, nil for none
	last    any     // the id at which such a walk ends, nil for the end

	idName string
	path   string
	values url.Values
	hash   uint64
}

// PerPage returns the size of a page.
func (q Query) PerPage() int { return q.perPage }

// Text returns q=, trimmed of nothing. It is the area's to apply if the schema has no Search.
func (q Query) Text() string { return q.text }

// Expands reports whether expand= names the reference.
func (q Query) Expands(name string) bool { return slices.Contains(q.expand, name) }

// Fields returns the keys that items are cut to, nil for whole items. Answer sees to it.
func (q Query) Fields() []string { return slices.Clone(q.fields) }

// Conditions returns the filters, so that an area may refuse those that no index serves.
func (q Query) Conditions() []Condition { return slices.Clone(q.filters) }

// Sort returns the order of the list. Its last key is the id.
func (q Query) Sort() []SortKey {
	keys := make([]SortKey, len(q.order))
	for i, k := range q.order {
		keys[i] = SortKey{Field: k.Name, Descending: k.desc}
	}

	return keys
}

// fingerprint tells lists apart: a cursor is of use only where rows come in the order in which it
// was made. Every query key counts but those that change nothing about that, the keys of the area
// among them, and the path.
func (q Query) fingerprint() uint64 {
	values := url.Values{}
	for name, texts := range q.values {
		if !slices.Contains([]string{"cursor", "sort", "per_page", "fields", "expand", "count"}, name) {
			values[name] = texts
		}
	}
	parts := []string{q.path, values.Encode()}
	if q.me != nil {
		parts = append(parts, q.me.String())
	}
	for _, k := range q.Sort() {
		parts = append(parts, k.String())
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))

	return binary.BigEndian.Uint64(sum[:])
}

func (q Query) pageBytes() int64 { return cmp.Or(q.bytes, MaxPageBytes) }
