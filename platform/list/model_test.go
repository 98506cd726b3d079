package list_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/list"
)

// The model is a list done naively: every row is looked at, and all are sorted in memory.

// domains returns the values that things have, few enough to be met again by a filter. The texts are
// those that a collation, LIKE or UTF-8 could trip over.
func domains() map[string][]string {
	return map[string][]string{
		"name": {"", "a", "A", "ab", "aB", "a%", "a_b", "axb", "a!", `a\`, "a,b", "é", "É", "aé", "z", "\uD7FF", "\uE000", "\U0010FFFF", "\U0010FFFFa"},
		"code": {"b", "B", "ba", "b%", "c"}, "qty": {"-2", "0", "1", "7", "10"},
		"price": {"-1.5000", "0.0000", "2.0000", "10.0000", "10.2500"}, "operable": {"true", "false"},
		"day": {"0001-01-01", "2026-09-22", "2026-10-01", "9999-12-31"},
		"seen": {
			"0001-01-01T00:00:00Z", "2026-09-22T10:00:00Z", "2026-09-22T10:00:00.000001Z", "2026-09-22T10:00:00.1Z",
		},
		"pickup": {"2026-09-22 09:00:00", "2026-09-22 10:00:00", "2027-01-01 00:00:00"},
		"ref":    {uuidOf(1), uuidOf(0x10), uuidOf(0xa0)},
	}
}

func nullable(field string) bool {
	return slices.Contains([]string{"name", "price", "operable", "day", "pickup", "ref"}, field)
}

func uuidOf(n int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012x", n) }

func drawThing(t *rapid.T, n int) thing {
	id := uuidOf(n)
	one := thing{"id": &id}
	for _, field := range slices.Sorted(maps.Keys(domains())) {
		text := rapid.SampledFrom(domains()[field]).Draw(t, field)
		one[field] = &text
		if nullable(field) && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
			one[field] = nil
		}
	}

	return one
}

// query is a drawn query, in the model's terms and in those of a request.
type query struct {
	order      []list.SortKey // without the id
	conditions []condition
	words      []string
	perPage    int
	values     url.Values
}

type condition struct {
	field, op string
	group     int // 0 is none
	texts     []string
}

func drawQuery(t *rapid.T) query {
	q := query{values: url.Values{}, perPage: rapid.IntRange(1, 4).Draw(t, "per_page")}
	q.values.Set("per_page", strconv.Itoa(q.perPage))
	for _, field := range rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(domains()))), 0, 3, rapid.ID[string]).Draw(t, "sort") {
		q.order = append(q.order, list.SortKey{Field: field, Descending: rapid.Bool().Draw(t, "desc")})
	}
	if q.order != nil {
		q.values.Set("sort", sortText(q.order))
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 1, 2, 4}).Draw(t, "conditions") {
		c := drawCondition(t)
		q.conditions = append(q.conditions, c)
		q.values.Add(c.key(), c.value())
	}
	if rapid.IntRange(0, 9).Draw(t, "search") == 0 {
		q.words = []string{rapid.SampledFrom([]string{"a", "B", "%"}).Draw(t, "q")}
		q.values.Set("q", q.words[0])
	}

	return q
}

func sortText(order []list.SortKey) string {
	texts := make([]string, len(order))
	for i, k := range order {
		texts[i] = k.String()
	}

	return strings.Join(texts, ",")
}

func drawCondition(t *rapid.T) condition {
	field := rapid.SampledFrom(slices.Sorted(maps.Keys(domains()))).Draw(t, "field")
	operators := []string{"eq", "ne"}
	if field != "operable" {
		operators = append(operators, "in", "nin")
	}
	if field != "operable" && field != "ref" {
		operators = append(operators, "lt", "lte", "gt", "gte")
	}
	if field == "name" || field == "code" {
		operators = append(operators, "like", "starts", "like", "starts")
	}
	if nullable(field) {
		operators = append(operators, "null")
	}
	c := condition{field: field, op: rapid.SampledFrom(operators).Draw(t, "op"), group: rapid.IntRange(0, 2).Draw(t, "group")}
	domain := domains()[field]
	most := 1
	switch c.op {
	case "null":
		domain = domains()["operable"]
	case "like", "starts":
		domain = slices.DeleteFunc(slices.Clone(domain), func(text string) bool { return text == "" })
	case "in", "nin":
		most = 3
	}
	c.texts = rapid.SliceOfN(rapid.SampledFrom(domain), 1, most).Draw(t, "texts")

	return c
}

func (c condition) key() string {
	key := "filter"
	if c.group > 0 {
		key += fmt.Sprintf("[or][%d]", c.group)
	}
	key += "[" + c.field + "]"
	if c.op != "eq" {
		key += "[" + c.op + "]"
	}

	return key
}

func (c condition) value() string {
	if c.op != "in" && c.op != "nin" {
		return c.texts[0]
	}
	escaped := make([]string, len(c.texts))
	for i, text := range c.texts {
		escaped[i] = strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(text)
	}

	return strings.Join(escaped, ",")
}

// rows returns the things that the query asks for, in its order.
func (q query) rows(things []thing) []thing {
	var rows []thing
	for _, one := range things {
		if q.matches(one) {
			rows = append(rows, one)
		}
	}
	slices.SortFunc(rows, q.compare)

	return rows
}

func (q query) matches(one thing) bool {
	groups := map[int]bool{}
	for _, c := range q.conditions {
		holds := c.matches(one)
		if c.group == 0 && !holds {
			return false
		}
		if others, there := groups[c.group]; there {
			holds = holds && others
		}
		groups[c.group] = holds
	}
	delete(groups, 0)
	for _, word := range q.words {
		if !contains(one["name"], word) && !contains(one["code"], word) {
			return false
		}
	}

	return len(groups) == 0 || groups[1] || groups[2]
}

func (c condition) matches(one thing) bool {
	value, text := one[c.field], c.texts[0]
	is := func(text string) bool { return value != nil && compareTexts(c.field, *value, text) == 0 }
	switch c.op {
	case "null":
		return (value == nil) == (text == "true")
	case "ne":
		return !is(text)
	case "nin":
		return !slices.ContainsFunc(c.texts, is)
	case "in":
		return slices.ContainsFunc(c.texts, is)
	case "eq":
		return is(text)
	case "like":
		return contains(value, text)
	}
	if value == nil {
		return false
	}
	order := compareTexts(c.field, *value, text)
	switch c.op {
	case "lt":
		return order < 0
	case "lte":
		return order <= 0
	case "gt":
		return order > 0
	case "gte":
		return order >= 0
	default:
		return strings.HasPrefix(*value, text)
	}
}

func contains(value *string, text string) bool {
	lower := strings.NewReplacer("A", "a", "B", "b")

	return value != nil && strings.Contains(lower.Replace(*value), lower.Replace(text))
}

func compareTexts(field, a, b string) int {
	switch field {
	case "qty", "price":
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)

		return x.Cmp(y)
	case "seen":
		x, y := strings.TrimSuffix(a, "Z"), strings.TrimSuffix(b, "Z")

		return cmp.Compare(x, y)
	default:
		return cmp.Compare(a, b)
	}
}

// compare orders things: nulls last either way, then the id, in the direction of the last key.
func (q query) compare(a, b thing) int {
	desc := false
	for _, k := range q.order {
		desc = k.Descending
		if order := compareValues(k, a[k.Field], b[k.Field]); order != 0 {
			return order
		}
	}
	if desc {
		a, b = b, a
	}

	return cmp.Compare(a.id(), b.id())
}

func compareValues(k list.SortKey, a, b *string) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	case k.Descending:
		a, b = b, a
	}

	return compareTexts(k.Field, *a, *b)
}
