package list

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

var errNotRead = errors.New("list: the query was never read: " +
	"an input with a Resolve method of its own calls Input.Resolve in it")

// Input has the query keys of a list. Embed it in the input of the operation. Its fields are for
// the documentation; Parse reads the query as it was sent, which Resolve keeps.
type Input struct {
	PerPage PerPage           `query:"per_page" doc:"Maximum number of items in a page. Large items may make it shorter: there are more items as long as next_cursor is set."`
	Cursor  string            `query:"cursor" doc:"Where the page starts: next_cursor or prev_cursor of another page of the same list, filter, sort and search."`
	Sort    string            `query:"sort" doc:"Keys to sort by, separated by commas; a hyphen in front of one reverses it. Items without a value come last either way." example:"-price,pickup_date"`
	Filter  map[string]string `query:"filter,deepObject,explode" doc:"Conditions, all of which hold: filter[field]=value, or filter[field][op]=value with op one of eq, ne, lt, lte, gt, gte, in, nin, like, starts, null. Of filter[or][0][field]=…, filter[or][1][field]=… any one number is enough; all conditions of a number must hold. An item without a value only matches ne, nin and null=true. The values of in and nin are separated by commas. Dates and times may be relative to now in the company's time zone: today-7d, start_of_month+1mo, now-2h. For fields that hold users, me is the calling user."`
	Fields  string            `query:"fields" doc:"Keys to include in each item, separated by commas; the id is always included."`
	Expand  string            `query:"expand" doc:"References to embed, and details of values such as vin.decoded, separated by commas."`
	Q       string            `query:"q" doc:"Words to search for, ignoring case and accents; an item must have every word."`
	Count   Count             `query:"count" doc:"Count the items of all pages: exact, or estimate, which stays fast on large lists."`

	path  string
	query url.Values
	bytes int64
	err   error
}

// PerPage is the text of per_page. It is documented as the number it should be, and read as text,
// so that a wrong one is reported together with everything else.
type PerPage string

// Schema implements huma.SchemaProvider. Without a Type of its own Huma checks nothing.
func (PerPage) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Extensions: map[string]any{
		"type": huma.TypeInteger, "minimum": 1, "maximum": MaxPerPage, "default": DefaultPerPage,
	}}
}

// Count says whether and how the items of all pages are counted: CountExact, CountEstimate, or
// empty for not at all.
type Count string

// The values of count=.
const (
	CountExact    Count = "exact"
	CountEstimate Count = "estimate"
)

// Schema implements huma.SchemaProvider, as PerPage's does.
func (Count) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Extensions: map[string]any{
		"type": huma.TypeString, "enum": []Count{CountExact, CountEstimate},
	}}
}

// FromQuery returns the input of a list that is not read by Huma: a saved view, a test. The path
// is that of the list, for the Link header.
func FromQuery(path string, query url.Values) Input {
	if query == nil {
		query = url.Values{}
	}

	return Input{path: path, query: query}
}

// ParseExpand reads expand= of a request for one item, and reports which names are asked for: nil for none. The schema is that of the
// list, and is needed only if something is asked for. Errors: ErrInvalidQuery and those of schema.
func ParseExpand(ctx context.Context, text string, schema func(ctx context.Context) (Schema, error)) (asked func(name string) bool, err error) {
	if text == "" {
		return nil, nil
	}
	s, err := schema(ctx)
	if err != nil {
		return nil, err
	}
	in := FromQuery("", url.Values{"expand": {text}})
	q, err := in.Parse(ctx, s)

	return q.Expands, err
}

// UpTo has a page end when its rows have more than so many bytes, sooner than at MaxPageBytes.
func (in *Input) UpTo(bytes int64) *Input {
	made := *in
	made.bytes = bytes

	return &made
}

// WithQuery returns the input with another query, which change makes of it; it must not keep what it is given.
func (in *Input) WithQuery(change func(url.Values) url.Values) *Input {
	made := *in
	if in.query != nil {
		made.query = change(in.query)
	}

	return &made
}

// Conditions returns the input without what says nothing about which items are found: filters and the search alone.
func (in *Input) Conditions() *Input {
	return in.WithQuery(func(query url.Values) url.Values {
		made := url.Values{}
		for key, values := range query {
			if key == "q" || strings.HasPrefix(key, "filter") {
				made[key] = values
			}
		}

		return made
	})
}

// Resolve implements huma.Resolver: it keeps the query as it was sent. What is wrong with it is
// Parse's to say.
func (in *Input) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	in.path = u.EscapedPath()
	in.query, in.err = url.ParseQuery(u.RawQuery)

	return nil
}
