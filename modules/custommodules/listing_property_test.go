package custommodules

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// column is a field that lists filter and sort by: the values it has, as JSON and as a filter spells them,
// few enough to be met again.
type column struct {
	typ     definition.TypeName
	options string
	values  map[string]string // by the text of a filter
	compare func(a, b string) int
}

// columns are of every type that can be compared. The texts are those that a collation, LIKE or UTF-8
// could trip over; the numbers those that a float would.
func columns() []column {
	quoted := func(texts ...string) map[string]string {
		all := map[string]string{}
		for _, text := range texts {
			all[text] = string(rawjson.Quote(text))
		}

		return all
	}
	plain := func(texts ...string) map[string]string {
		all := map[string]string{}
		for _, text := range texts {
			all[text] = text
		}

		return all
	}
	numbers := func(a, b string) int {
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)

		return x.Cmp(y)
	}
	pounds := func(texts ...string) map[string]string {
		all := map[string]string{}
		for _, text := range texts {
			all[text+" kg"] = `{"value":"` + text + `","unit":"kg"}`
		}

		return all
	}
	moments := func(a, b string) int { return strings.Compare(strings.TrimSuffix(a, "Z"), strings.TrimSuffix(b, "Z")) }

	return []column{
		{"text", "", quoted("", "a", "A", "ab", "aB", "a%", "a_b", "a!", `a\`, "a,b", "é", "É", "z", "\uD7FF", "\uE000", "\U0010FFFF"), strings.Compare},
		{"integer", "", plain("-9223372036854775808", "-9223372036854775807", "-1", "0", "9007199254740992", "9007199254740993", "9223372036854775807"), numbers},
		{"decimal", `{"scale":18}`, quoted("-999999999999999999.999999999999999999", "-0.000000000000000001", "0.000000000000000000",
			"0.100000000000000000", "999999999999999999.999999999999999998", "999999999999999999.999999999999999999"), numbers},
		{"boolean", "", plain("true", "false"), strings.Compare},
		{"date", "", quoted("0001-01-01", "2026-09-22", "2026-10-01", "9999-12-31"), strings.Compare},
		{"local_datetime", "", quoted("0001-01-01 00:00:00", "2026-09-22 09:00:00", "2026-09-22 10:00:00", "9999-12-31 23:59:59"), strings.Compare},
		{"datetime", "", quoted("0001-01-01T00:00:00Z", "2026-09-22T10:00:00Z", "2026-09-22T10:00:00.000001Z", "2026-09-22T10:00:00.1Z"), moments},
		{"time", "", quoted("00:00:00", "09:30:00", "23:59:59"), strings.Compare},
		{"select", someChoices, quoted("red", "sky.blue", "grün"), strings.Compare},
		{"email", "", quoted("ann@example.com", "bob@example.com"), strings.Compare},
		{"usdot_number", "", quoted("1", "12", "9"), strings.Compare},
		{"weight", "", pounds("0", "0.000001", "2", "10.5", "999999999999.999999"), func(a, b string) int {
			return numbers(strings.TrimSuffix(a, " kg"), strings.TrimSuffix(b, " kg"))
		}},
	}
}

// listed is a record of the model: the text of a filter for each key; none for null.
type listed struct {
	id     uuid.UUID
	values map[string]string
}

type listing struct {
	s       *service
	ctx     context.Context
	module  uuid.UUID
	columns map[string]column
	rows    []listed
}

// ways are how columns are kept: with an index in the record, plainly, and with an index beside it.
func ways() []string { return []string{"i_", "p_", "o_"} }

// newListing makes a module that has each column in all ways.
func newListing(ctx context.Context, t require.TestingT, s *service, name string) *listing {
	l := &listing{s: s, ctx: ctx, columns: map[string]column{}}
	spec := modeling.NewModule{Name: name}
	for _, prefix := range ways() {
		if prefix == "o_" {
			spec.Fields = append(spec.Fields, fillers()...)
		}
		for _, c := range columns() {
			key := prefix + string(c.typ)
			l.columns[key] = c
			spec.Fields = append(spec.Fields, definition.NewField{Key: key, Type: c.typ, Options: rawjson.Object(c.options), Indexed: prefix != "p_"})
		}
	}
	made, _, err := s.modeling.CreateModule(ctx, spec)
	require.NoError(t, err)
	l.module = made.ID

	return l
}

// add makes a record with values for some of the columns, the same in all ways.
func (l *listing) add(t *rapid.T) {
	row := listed{id: database.NewID(), values: map[string]string{}}
	payload := []string{}
	for _, c := range columns() {
		if rapid.IntRange(0, 3).Draw(t, "null") == 0 {
			continue
		}
		text := rapid.SampledFrom(slices.Sorted(maps.Keys(c.values))).Draw(t, string(c.typ))
		for _, prefix := range ways() {
			row.values[prefix+string(c.typ)] = text
			payload = append(payload, `"`+prefix+string(c.typ)+`":`+c.values[text])
		}
	}
	_, err := l.s.records.CreateRecord(l.ctx, row.id, l.module, []byte("{"+strings.Join(payload, ",")+"}"))
	require.NoError(t, err)
	l.rows = append(l.rows, row)
}

type asked struct {
	sort       []list.SortKey
	conditions []askedCondition
	values     url.Values
}

type askedCondition struct {
	field    string
	operator list.Operator
	group    int // -1 is none
	texts    []string
}

func (l *listing) draw(t *rapid.T) asked {
	q := asked{values: url.Values{}}
	keys := slices.Sorted(maps.Keys(l.columns))
	sortable := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !l.s.definitions.Types[l.columns[k].typ].Sortable })
	var texts []string
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(sortable), 0, 2, rapid.ID[string]).Draw(t, "sort") {
		k := list.SortKey{Field: key, Descending: rapid.Bool().Draw(t, "desc")}
		q.sort, texts = append(q.sort, k), append(texts, k.String())
	}
	if texts != nil {
		q.values.Set("sort", strings.Join(texts, ","))
	}
	for range rapid.SampledFrom([]int{0, 1, 1, 2, 4}).Draw(t, "conditions") {
		key := rapid.SampledFrom(keys).Draw(t, "field")
		c := askedCondition{field: key, group: rapid.IntRange(-1, 1).Draw(t, "group")}
		operators := l.s.definitions.Types[l.columns[key].typ].Operators
		if operators == nil {
			operators = map[kind.Kind][]list.Operator{
				kind.Text: append(list.Ordered, list.Like, list.Starts), kind.Boolean: {list.Equal, list.NotEqual},
			}[l.s.definitions.Types[l.columns[key].typ].Filter]
		}
		if operators == nil {
			operators = list.Ordered
		}
		c.operator = rapid.SampledFrom(append(slices.Clone(operators), list.Null)).Draw(t, "operator")
		c.texts = l.drawTexts(t, c)
		path := "[" + c.field + "][" + string(c.operator) + "]"
		if c.group >= 0 {
			path = "[or][" + strconv.Itoa(c.group) + "]" + path
		}
		escaped := c.texts
		if c.operator == list.In || c.operator == list.NotIn {
			escaped = nil
			for _, text := range c.texts {
				escaped = append(escaped, strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(text))
			}
		}
		q.values.Add("filter"+path, strings.Join(escaped, ","))
		q.conditions = append(q.conditions, c)
	}

	return q
}

func (l *listing) drawTexts(t *rapid.T, c askedCondition) []string {
	texts := slices.Sorted(maps.Keys(l.columns[c.field].values))
	switch c.operator {
	case list.Null:
		return []string{rapid.SampledFrom([]string{"true", "false"}).Draw(t, "null")}
	case list.In, list.NotIn:
		return rapid.SliceOfN(rapid.SampledFrom(texts), 1, 3).Draw(t, "list")
	case list.Like, list.Starts:
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	default:
	}

	return []string{rapid.SampledFrom(texts).Draw(t, "text")}
}

func (l *listing) meets(row listed, c askedCondition) bool {
	compare := l.columns[c.field].compare
	have, there := row.values[c.field]
	among := func() bool {
		return slices.ContainsFunc(c.texts, func(text string) bool { return there && compare(have, text) == 0 })
	}
	lower := func(text string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}

			return r
		}, text)
	}
	switch c.operator {
	case list.Null:
		return there == (c.texts[0] == "false")
	case list.Equal, list.In:
		return among()
	case list.NotEqual, list.NotIn:
		return !among()
	case list.Less:
		return there && compare(have, c.texts[0]) < 0
	case list.LessOrEqual:
		return there && compare(have, c.texts[0]) <= 0
	case list.Greater:
		return there && compare(have, c.texts[0]) > 0
	case list.GreaterOrEqual:
		return there && compare(have, c.texts[0]) >= 0
	case list.Like:
		return there && strings.Contains(lower(have), lower(c.texts[0]))
	case list.Starts:
		return there && strings.HasPrefix(have, c.texts[0])
	}

	return false
}

// want returns the ids that a query should give, in their order.
func (l *listing) want(q asked) []uuid.UUID {
	var found []listed
	for _, row := range l.rows {
		groups := map[int]bool{}
		sound := true
		for _, c := range q.conditions {
			meets := l.meets(row, c)
			if c.group < 0 {
				sound = sound && meets
				continue
			}
			before, seen := groups[c.group]
			groups[c.group] = meets && (before || !seen)
		}
		if sound && (len(groups) == 0 || slices.Contains(slices.Collect(maps.Values(groups)), true)) {
			found = append(found, row)
		}
	}
	slices.SortFunc(found, func(a, b listed) int { return l.order(q, a, b) })
	ids := make([]uuid.UUID, len(found))
	for i, row := range found {
		ids[i] = row.id
	}

	return ids
}

func (l *listing) order(q asked, a, b listed) int {
	descending := false
	for _, k := range q.sort {
		descending = k.Descending
		x, hasX := a.values[k.Field]
		y, hasY := b.values[k.Field]
		switch {
		case hasX != hasY && hasX:
			return -1
		case hasX != hasY:
			return 1
		case !hasX:
			continue
		}
		if by := l.columns[k.Field].compare(x, y); by != 0 {
			return direction(by, k.Descending)
		}
	}

	return direction(bytes.Compare(a.id[:], b.id[:]), descending)
}

func direction(by int, descending bool) int {
	if descending {
		return -by
	}

	return by
}

// page reads a page at a cursor.
func (l *listing) page(t require.TestingT, q asked, perPage int, cursor string) records.Page {
	values := maps.Clone(q.values)
	values.Set("per_page", strconv.Itoa(perPage))
	if cursor != "" {
		values.Set("cursor", cursor)
	}
	in := list.FromQuery("/records", values)
	got, err := l.s.records.FindRecords(l.ctx, l.module, uuid.Nil, &in)
	require.NoErrorf(t, err, "%s", values.Encode())

	return got
}

func idsOf(p records.Page) []uuid.UUID {
	ids := make([]uuid.UUID, len(p.Data))
	for i, row := range p.Data {
		ids[i] = row.ID
	}

	return ids
}

func at(cursor *string) string { return *cursor }

// Both databases answer every query as a model does that looks at each record and sorts them in memory.
func TestFind_AnswersAsAModelDoes(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		n := 0
		someTimes(t, 12, func(t *rapid.T) {
			n++
			l := newListing(ctx, t, s, fmt.Sprint("Module ", n))
			for range rapid.IntRange(4, 14).Draw(t, "rows") {
				l.add(t)
			}
			for range 12 {
				q := l.draw(t)
				want := l.want(q)
				var forward, backward []uuid.UUID
				got := l.page(t, q, rapid.IntRange(1, 5).Draw(t, "per_page"), "")
				forward = append(forward, idsOf(got)...)
				for got.Meta.NextCursor != nil {
					got = l.page(t, q, rapid.IntRange(1, 5).Draw(t, "per_page"), at(got.Meta.NextCursor))
					forward = append(forward, idsOf(got)...)
				}
				require.Equalf(t, want, append([]uuid.UUID{}, forward...), "%v", q.values)
				backward = idsOf(got)
				for got.Meta.PrevCursor != nil {
					got = l.page(t, q, rapid.IntRange(1, 5).Draw(t, "per_page"), at(got.Meta.PrevCursor))
					backward = append(idsOf(got), backward...)
				}
				require.Equalf(t, want, append([]uuid.UUID{}, backward...), "%v", q.values)
			}
		})
	})
}

// Whoever pages through a list meets every record once that stays unchanged, whatever comes, changes and
// goes meanwhile, also by the keys that the list is sorted by.
func TestFind_MeetsWhatStaysOnceWhileOthersComeAndGo(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		n := 0
		someTimes(t, 8, func(t *rapid.T) {
			n++
			l := newListing(ctx, t, s, fmt.Sprint("Module ", n))
			for range 14 {
				l.add(t)
			}
			staying := slices.Clone(l.rows[:7])
			going := slices.Clone(l.rows[7:])
			q := l.draw(t)
			q.conditions, q.values = nil, url.Values{"sort": q.values["sort"]}
			seen := map[uuid.UUID]int{}
			got := l.page(t, q, 2, "")
			for {
				for _, id := range idsOf(got) {
					seen[id]++
				}
				if got.Meta.NextCursor == nil {
					break
				}
				if len(going) > 0 {
					l.disturb(t, going[0], len(going))
					going = going[1:]
				}
				got = l.page(t, q, 2, at(got.Meta.NextCursor))
			}
			for _, row := range staying {
				require.Equalf(t, 1, seen[row.id], "%v", q.values)
			}
		})
	})
}

// disturb deletes a record, or gives it other values; and makes one.
func (l *listing) disturb(t *rapid.T, row listed, n int) {
	l.add(t)
	if n%2 == 0 {
		require.NoError(t, l.s.records.DeleteRecord(l.ctx, row.id, records.Always{}))

		return
	}
	_, err := l.s.records.UpdateRecord(l.ctx, row.id, []byte(`{"i_integer":-1,"p_integer":-1,"o_integer":-1,"i_text":"a","p_text":"z","o_text":"a","i_date":null,"o_date":null}`), records.Always{})
	require.NoError(t, err)
}
