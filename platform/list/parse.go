package list

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// Parse reads what the request asks of the list that schema describes. Its errors are
// ErrInvalidQuery, with a message for each query key that is wrong, ErrCursorInvalid and
// ErrCursorMismatch; any other is a defect in the schema, or says that the time zone of the company could not be read, which
// is asked for only by a query with a relative date.
func (in *Input) Parse(ctx context.Context, schema Schema) (Query, error) {
	if in.query == nil {
		return Query{}, errNotRead
	}
	fields, err := schema.index()
	if err != nil {
		return Query{}, err
	}
	cursor, cursorErr := readCursor(in.query.Get("cursor"))
	p := parser{schema: schema, fields: fields, values: in.query, caller: caller{ctx: ctx, began: cursor.began}}
	if in.err != nil {
		p.add("query", "The query cannot be read: %s.", in.err)
	}
	q := p.query()
	if p.caller.err != nil {
		return Query{}, p.caller.err
	}
	q.path, q.values, q.bytes = in.path, in.query, in.bytes
	if err := p.err(); err != nil {
		return Query{}, err
	}
	q.order, err = orderOf(p.sort, fields, schema)
	if err != nil {
		return Query{}, err
	}
	q.began, q.me = p.caller.began, p.caller.me
	q.hash = q.fingerprint()
	if cursorErr != nil {
		return q, cursorErr
	}

	return q.from(cursor)
}

// parser reads the query key by key.
type parser struct {
	problems

	schema Schema
	fields index
	values url.Values
	caller caller
	sort   []string
}

func (p *parser) query() Query {
	q := Query{
		within:  p.schema.Within,
		perPage: p.perPage(),
		fields:  p.names("fields", p.schema.keys()),
		expand:  p.names("expand", p.schema.Expand),
		count:   p.count(),
		idName:  p.schema.ID.Name,
	}
	q.text, q.words = p.search()
	q.search = p.schema.Search
	q.filters = p.filters()
	p.sort = p.sortKeys()
	p.one("cursor")

	return q
}

// one returns the value of a key that may be given once; an empty one is as none.
func (p *parser) one(key string) string {
	values := p.values[key]
	if len(values) > 1 {
		p.add(key, "%s is given %d times, once is allowed.", key, len(values))
	}
	if len(values) == 0 {
		return ""
	}

	return values[0]
}

func (p *parser) perPage() int {
	text := p.one("per_page")
	if text == "" {
		return DefaultPerPage
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > MaxPerPage {
		p.add("per_page", "per_page must be a whole number from 1 to %d.", MaxPerPage)
	}

	return n
}

func (p *parser) count() Count {
	count := Count(p.one("count"))
	switch count {
	case "", CountExact, CountEstimate:
	default:
		p.add("count", "count must be %s or %s.", CountExact, CountEstimate)
	}

	return count
}

// names reads a comma separated list of allowed names.
func (p *parser) names(key string, allowed []string) []string {
	text := p.one(key)
	if text == "" {
		return nil
	}
	names := strings.Split(text, ",")
	if len(names) > MaxNames {
		p.add(key, "%s takes at most %d names.", key, MaxNames)

		return nil
	}
	for _, name := range names {
		if !slices.Contains(allowed, name) {
			p.add(key, "%s", unknownMessage(key, name, allowed))
		}
	}

	return names
}

// unknownField says why a query key cannot name a field: the caller may not use it, or it is not one of those that are allowed.
func (s Schema) unknownField(key, name string, allowed []string) string {
	if scope := s.Withheld[name]; scope != "" {
		return fmt.Sprintf("%s: %s requires the scope %s.", key, name, scope)
	}

	return unknownMessage(key, name, allowed)
}

// unknownMessage says what is not known and what is.
func unknownMessage[S ~string](key, name string, allowed []S) string {
	if len(allowed) == 0 {
		return key + " is not a parameter of this list."
	}

	return fmt.Sprintf("%s does not know %q; allowed are %s.", key, shorten(name), joinNames(allowed))
}

// shorten keeps a stranger's text from filling the answer.
func shorten(text string) string {
	const most = 60
	if len(text) <= most {
		return strings.ToValidUTF8(text, "�")
	}

	return strings.ToValidUTF8(text[:most], "") + "…"
}

func (p *parser) search() (text string, words []string) {
	text = p.one("q")
	words = strings.Fields(text)
	if text == "" {
		return "", nil
	}
	if _, err := kind.Text.Encode(text); err != nil || len(text) > MaxSearch || len(words) > MaxWords {
		p.add("q", "q must be text of at most %d bytes and %d words.", MaxSearch, MaxWords)
	}
	if !p.schema.Searchable && p.schema.Search == nil {
		p.add("q", "%s", unknownMessage[string]("q", text, nil))
	}

	return text, words
}
