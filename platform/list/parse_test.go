package list_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// loads is a small schema, as an area's function would return it.
func loads() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "number", Expr: "number", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "price", Expr: "price", Kind: kind.Decimal, Nullable: true, Sortable: true, Filterable: true},
			{Name: "open", Expr: "open", Kind: kind.Boolean, Filterable: true},
			{Name: "customer", Expr: "customer_id", Kind: kind.UUID, Filterable: true},
			{Name: "miles", Expr: "miles", Kind: kind.Integer, Filterable: true, Operators: []list.Operator{list.Equal}},
			{Name: "day", Expr: "day", Kind: kind.Date, Filterable: true},
			{Name: "at", Expr: "at", Kind: kind.Time, Filterable: true},
			{Name: "local", Expr: "local", Kind: kind.LocalTime, Filterable: true},
			{Name: "or", Expr: "or_column", Kind: kind.Text, Filterable: true},
			{Name: "hidden", Expr: "hidden", Kind: kind.Text},
		},
		ID:          list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID},
		DefaultSort: []string{"-price"},
		Keys:        []string{"uuid", "number", "customer", "customer.name"},
		Expand:      []string{"customer"},
		Searchable:  true,
	}
}

func parseLoads(query string) (list.Query, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return list.Query{}, err
	}
	in := list.FromQuery("/loads", values)

	return in.Parse(asking(), loads())
}

func TestParse_Understands(t *testing.T) {
	t.Parallel()
	for _, query := range []string{
		"", "per_page=1", "per_page=200", "per_page=", "cursor=", "sort=", "q=",
		"filter[number]=", "filter[number][eq]=x", "filter[number]=a&filter[number]=b", "filter[number][in]=a,b\\,c",
		"filter[price][gte]=-12.50", "filter[price][null]=true", "filter[open]=0", "filter[customer]=0190A1B2-0000-7000-8000-000000000000",
		"filter[day]=2026-02-28", "filter[at]=2026-02-28T10:00:00.123456%2B02:00", "filter[local]=2026-02-28+10:00:00",
		"filter[or]=x", "filter[or][like]=x", "filter[or][0][or]=x", "filter[or][0][number]=a&filter[or][999][price][lt]=1",
		"sort=number,-price", "sort=-uuid", "sort=number,uuid", "fields=number,customer.name", "expand=customer", "q=two+words",
		"count=exact", "count=estimate",
	} {
		_, err := parseLoads(query)
		require.NoError(t, err, query)
	}
}

func TestParse_RefusesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("filter[number]=a&", list.MaxConditions+1)
	for query, want := range map[string]string{
		"per_page=0": "1 to 200", "per_page=201": "1 to 200", "per_page=ten": "1 to 200", "per_page=1&per_page=2": "once",
		"sort=prise": `"prise"; allowed are number, price, uuid`, "sort=open": "allowed are", "sort=,": "allowed are",
		"sort=number,-number": "twice", "sort=uuid,price": "no key can follow it", "sort=number,number,number,number,number": "at most 4",
		"sort=--price": "allowed are", "sort=price&sort=number": "once",
		"filter[prise]=1": `"prise"; allowed are number, price, open`, "filter[hidden]=1": "allowed are", "filter[uuid]=1": "allowed are",
		"filter[price][like]=1": `"like"; allowed are eq, ne, lt, lte, gt, gte, in, nin, null`, "filter[open][in]=true": "eq, ne",
		"filter[customer][lt]=1": "eq, ne, in, nin", "filter[miles][gt]=1": "allowed are eq.", "filter[number][null]=true": "allowed are",
		"filter[price]=": "decimal", "filter[price]=1e3": "decimal", "filter[price]=1/2": "decimal", "filter[price]=.5": "decimal", "filter[price][in]=1,,2": "decimal",
		"filter[price]=" + strings.Repeat("1", 61): "decimal", "filter[price][null]=maybe": "true or false", "filter[open]=yes": "true or false",
		"filter[miles]=1.5": "whole number", "filter[miles]=9223372036854775808": "whole number",
		"filter[customer]=x": "UUID", "filter[customer]=0190a1b20000700080000000000000ab": "UUID",
		"filter[day]=2026-02-30": "date", "filter[day]=0000-01-01": "date", "filter[day]=26-01-01": "date", "filter[local]=2026-02-28T10:00:00": "local date-time",
		"filter[at]=2026-02-28": "time", "filter[at]=2026-02-28T10:00:00+02:00": "%2B", "filter[at]=2026-02-28T10:00:00.1234567Z": "time",
		"filter[at]=0000-01-01T00:00:00Z": "time", "filter[at]=9999-12-31T23:59:59-01:00": "time",
		"filter[number]=%ff": "not text", "filter[number]=a%00": "not text", "filter[number][in]=a,%ff": "not text", "filter[number][like]=": "needs text", "filter[number][starts]=": "needs text",
		"filter[number]=" + strings.Repeat("a", list.MaxValue+1): "at most 500", "filter[number][in]=" + strings.Repeat("a,", list.MaxListed): "at most 100",
		"filter=1": "filter[field]", "filter[number": "filter[field]", "filter[]=1": "filter[field]", "filter[number]x=1": "filter[field]", "filter[number][eq][x]=1": "filter[field]",
		"filter[or][0]=1": "filter[field]", "filter[or][0][number][eq][x]=1": "filter[field]", "filter[or][1000][number]=1": "filter[field]", "filter[or][01][number]=1": "filter[field]",
		"filter[or][0][prise]=1": "allowed are", many: "at most 20",
		"fields=nonsense": `"nonsense"; allowed are uuid, number, customer`, "expand=driver": "allowed are customer", "count=maybe": "exact or estimate",
		"q=" + strings.Repeat("a", list.MaxSearch+1): "at most", "q=" + strings.Repeat("a+", list.MaxWords+1): "at most", "q=%00": "q must be",
	} {
		_, err := parseLoads(query)
		require.ErrorIs(t, err, list.ErrInvalidQuery, query)
		require.Equal(t, errs.Invalid, errs.KindOf(err))
		require.Contains(t, messages(t, err), want, query)
	}
}

func messages(t *testing.T, err error) string {
	t.Helper()
	var invalid *errs.Error
	require.ErrorAs(t, err, &invalid)
	var all []string
	for _, texts := range invalid.Fields {
		all = append(all, texts...)
	}

	return strings.Join(all, "\n")
}

func TestParse_SaysWhatAFieldsOwnEncodeSays(t *testing.T) {
	t.Parallel()
	schema := loads()
	schema.Fields[0].Encode = func(string) (any, error) { return nil, errors.New("must be a load number") }
	in := list.FromQuery("/loads", url.Values{"filter[number]": {"x"}})
	_, err := in.Parse(t.Context(), schema)
	require.ErrorIs(t, err, list.ErrInvalidQuery)
	require.Equal(t, `"x" must be a load number.`, messages(t, err))

	schema.Fields[0].Encode = func(text string) (any, error) { return text, nil }
	in = list.FromQuery("/loads", url.Values{"filter[number]": {"x\x00"}})
	_, err = in.Parse(t.Context(), schema)
	require.ErrorIs(t, err, list.ErrInvalidQuery)
}

func TestParse_RefusesAWordThatTheFieldCannotHave(t *testing.T) {
	t.Parallel()
	schema := list.ShownAs[struct {
		Number string `json:"number" enum:"first,second"`
	}](loads())
	parse := func(key, value string) error {
		in := list.FromQuery("/loads", url.Values{key: {value}})
		_, err := in.Parse(t.Context(), schema)

		return err
	}
	for _, key := range []string{"filter[number]", "filter[number][ne]", "filter[number][in]"} {
		require.NoError(t, parse(key, "second"))
		require.NoError(t, parse(key, ""), "a row may have none")
		require.Equal(t, `"secnd" must be one of: first, second.`, messages(t, parse(key, "secnd")))
	}
	require.Error(t, parse("filter[number][in]", "first,secnd"))
	require.NoError(t, parse("filter[number][starts]", "sec"))
	require.Contains(t, schema.Describe(), "`number` (one of `first`, `second`)")
}

func TestParse_SaysWhatAFieldsOwnEncodePartSays(t *testing.T) {
	t.Parallel()
	schema := loads()
	schema.Fields[0].EncodePart = func(string) (string, error) { return "", errors.New("must be digits") }
	for _, operator := range []string{"like", "starts"} {
		in := list.FromQuery("/loads", url.Values{"filter[number][" + operator + "]": {"x"}})
		_, err := in.Parse(t.Context(), schema)
		require.ErrorIs(t, err, list.ErrInvalidQuery)
		require.Equal(t, `"x" must be digits.`, messages(t, err))
	}
	in := list.FromQuery("/loads", url.Values{"filter[number]": {"x"}})
	_, err := in.Parse(t.Context(), schema)
	require.NoError(t, err)
	in = list.FromQuery("/loads", url.Values{"filter[number][starts]": {"x\x00"}})
	_, err = in.Parse(t.Context(), schema)
	require.ErrorIs(t, err, list.ErrInvalidQuery)
}

func TestParse_SaysAllAtOnce(t *testing.T) {
	t.Parallel()
	_, err := parseLoads("per_page=x&sort=a,b&filter[c]=1&filter[price][gt]=cheap&fields=d&expand=e&count=f&cursor=%21")
	var invalid *errs.Error
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "list.invalid_query", invalid.Code)
	require.Len(t, invalid.Fields["sort"], 2)
	for _, key := range []string{"per_page", "filter[c]", "filter[price][gt]", "fields", "expand", "count"} {
		require.Len(t, invalid.Fields[key], 1, key)
	}
}

func TestParse_RefusesASearchThatNothingWouldAnswer(t *testing.T) {
	t.Parallel()
	in := list.FromQuery("/loads", url.Values{"q": {"x"}})
	schema := loads()
	schema.Searchable = false
	_, err := in.Parse(t.Context(), schema)
	require.ErrorIs(t, err, list.ErrInvalidQuery)
}

func TestParse_ReportsADefectInTheSchemaAsOurs(t *testing.T) {
	t.Parallel()
	in := list.FromQuery("/loads", nil)
	for name, spoil := range map[string]func(*list.Schema){
		"no id":        func(s *list.Schema) { s.ID = list.Field{} },
		"nullable id":  func(s *list.Schema) { s.ID.Nullable = true },
		"twice":        func(s *list.Schema) { s.Fields[1].Name = "number" },
		"no Kind":      func(s *list.Schema) { s.Fields[1].Kind = "" },
		"no Expr":      func(s *list.Schema) { s.Fields[1].Expr = "" },
		"bad name":     func(s *list.Schema) { s.Fields[1].Name = "a[b]" },
		"default sort": func(s *list.Schema) { s.DefaultSort = []string{"nothing"} },
	} {
		schema := loads()
		spoil(&schema)
		_, err := in.Parse(t.Context(), schema)
		require.Error(t, err, name)
		require.Equal(t, errs.Internal, errs.KindOf(err), name)
	}
}

func TestParse_RefusesAnInputThatWasNotRead(t *testing.T) {
	t.Parallel()
	_, err := new(list.Input).Parse(t.Context(), loads())
	require.Error(t, err)
	require.Equal(t, errs.Internal, errs.KindOf(err))
}

func TestQuery_TellsWhatItAsksFor(t *testing.T) {
	t.Parallel()
	q, err := parseLoads("filter[or][3][number]=a&filter[price][gt]=1&sort=number,-price&per_page=7&expand=customer&fields=number&q=x+y")
	require.NoError(t, err)
	require.Equal(t, []list.SortKey{{Field: "number"}, {Field: "price", Descending: true}, {Field: "uuid", Descending: true}}, q.Sort())
	require.Equal(t, 7, q.PerPage())
	require.True(t, q.Expands("customer"))
	require.False(t, q.Expands("driver"))
	require.Equal(t, []string{"number"}, q.Fields())
	require.Equal(t, "x y", q.Text())
	conditions := q.Conditions()
	require.Len(t, conditions, 2)
	require.Equal(t, "price", conditions[0].Field)
	require.Equal(t, list.Greater, conditions[0].Operator)
	require.Equal(t, -1, conditions[0].Group)
	require.Equal(t, 3, conditions[1].Group)
}

func TestParts_OnlyAKeyThatMayBeNullHasATail(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]bool{
		"sort=number,price": {false}, "sort=price": {false, true}, "": {false, true}, "sort=price&filter[price][gt]=1": {false},
		"sort=price&filter[price][ne]=1": {false, true}, "sort=price&filter[or][0][price]=1": {false, true}, "sort=price&filter[price][null]=true": {false, true},
	} {
		q, err := parseLoads(query)
		require.NoError(t, err)
		var tails []bool
		for _, part := range q.Parts() {
			tails = append(tails, part.InTail())
		}
		require.Equal(t, want, tails, query)
	}
}

func TestDescribe_NamesFieldsOperatorsAndSortKeys(t *testing.T) {
	t.Parallel()
	text := loads().Describe()
	require.Contains(t, text, "- `price` (decimal): eq, ne, lt, lte, gt, gte, in, nin, null\n")
	require.Contains(t, text, "Sort keys: `number`, `price`, `uuid`. Without `sort`: `-price`. `expand`: `customer`.")
	require.NotContains(t, text, "hidden")
}
