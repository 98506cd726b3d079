package custommodules_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// library makes a module with searchable fields of every type that can be, and records named by number.
func library(t *testing.T, y yard) string {
	t.Helper()
	fields := []object{{"key": "number", "type": "integer", "indexed": true}, {"key": "secret", "type": "text"}}
	for _, typ := range []string{"text", "long_text", "email", "phone", "vin", "mc_number", "usdot_number", "scac", "address"} {
		fields = append(fields, object{"key": typ, "type": typ, "searchable": true})
	}
	module := y.module(t, "Library", fields...)
	for i, payload := range []object{
		{"text": "Blue Ridge Motors", "secret": "hidden"},
		{"text": "blue-ridge motoring, élan", "long_text": "Straße\nZWEI"},
		{"text": "Red ridge", "vin": "1HGCM82633A004352", "secret": "blue"},
		{"email": "Jane.Doe@blue-ridge.example.com", "phone": "(202) 555-0143"},
		{"address": object{"line1": "5 Elm St", "city": "Dallas", "state": "TX", "postal_code": "75201"}, "mc_number": "MC-123456"},
		{"usdot_number": "1234567", "scac": "ABCD", "text": "東京 Tokyo"},
		{},
		{"text": "O'Neil \"quoted\" & (co): a*b -not | or AND '"},
	} {
		payload["number"] = i
		y.made(t, module, payload)
	}

	return module
}

func TestSearch_FindsRecordsByTheBeginningsOfWords(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := library(t, y)
		for q, want := range map[string]string{
			"blue": "0 1 3", "BLUE ridge": "0 1 3", "ridge mot": "0 1", "motors blue": "0", "lue": "",
			"elan": "1", "ÉLAN": "1", "e\u0301lan": "1", "strasse": "1", "zwei": "1",
			"hidden": "", "1hgcm826": "2", "3A004352": "2", "004352": "2", "4352": "",
			"jane.doe@blue": "3", "202 555": "3", "(202) 555-0143": "3", "+12025550143": "3", "2025550143": "3", "5550143": "3",
			"dallas tx 75201": "4", "elm": "4", "MC-123456": "4", "mc123456": "4", "123456": "4 5", "abcd": "5",
			"東": "5", "京東": "5", "tokyo": "5", "o'neil": "7", "or and not": "7", "ridge": "0 1 2 3",
		} {
			require.Equalf(t, want, y.numbers(t, module, "q="+url.QueryEscape(q)), "q=%s", q)
		}
		require.Equal(t, "2 1 0", y.numbers(t, module, "q=ridge&sort=-number&filter[number][lt]=3"))
		require.Equal(t, "3 2 1 0", y.numbers(t, module, "q=ridge&sort=-uuid"))
		require.Equal(t, int64(4), y.get(t, recordsPath+"?q=ridge&count=exact&module_uuid="+module).OK(t).Get("meta.total").Int())
	})
}

func TestSearch_IsNotBrokenByAnything(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := library(t, y)
		for _, q := range []string{
			`"`, `'`, `a"b`, `a' OR 'b`, `foo:*`, `!!a & b`, `a <-> b`, `NEAR(a b)`, `words:a`, `a AND`, `OR`, `NOT b`, `*`, `^a`, `(a`, `a)`, `\`, `a\'b`,
			`{a b}`, `-a`, `+a`, `%`, `_`, "\u200b", "٣", "½", "ﬀ", "Ⅷ", "नमस्ते", strings.Repeat("é", 90),
		} {
			answer := y.get(t, recordsPath+"?module_uuid="+module+"&q="+url.QueryEscape(q))
			if answer.Status != http.StatusOK {
				answer.Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
				require.Equal(t, "q must have a letter or a digit.", answer.Get("errors.q.0").String(), q)
			}
		}
	})
}

func TestSearch_FollowsTheRecords(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.module(t, "Notes", object{"key": "number", "type": "integer"}, object{"key": "text", "type": "text", "searchable": true})
		path := recordsPath + "/" + y.made(t, module, object{"number": 0, "text": "alpha"})
		y.made(t, module, object{"number": 1, "text": "alpha beta"})
		require.Equal(t, "0 1", y.numbers(t, module, "q=alpha"))

		y.patch(t, path, object{"text": "gamma"}).OK(t)
		require.Equal(t, "1", y.numbers(t, module, "q=alpha"))
		require.Equal(t, "0", y.numbers(t, module, "q=gamma"))
		y.remove(t, path).OK(t)
		require.Empty(t, y.numbers(t, module, "q=gamma"))
		y.post(t, path+"/restore", nil).OK(t)
		require.Equal(t, "0", y.numbers(t, module, "q=gamma"))
		y.patch(t, path, object{"text": nil}).OK(t)
		require.Empty(t, y.numbers(t, module, "q=gamma"))
	})
}

func TestSearch_IsOfAModuleAndItsSearchableFields(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		first := y.module(t, "First", object{"key": "number", "type": "integer"}, object{"key": "text", "type": "text", "searchable": true})
		second := y.module(t, "Second", object{"key": "number", "type": "integer"}, object{"key": "text", "type": "text", "searchable": true})
		plain := y.module(t, "Plain", object{"key": "text", "type": "text"})
		y.made(t, first, object{"number": 1, "text": "alpha"})
		y.made(t, second, object{"number": 2, "text": "alpha"})
		require.Equal(t, "1", y.numbers(t, first, "q=alpha"))
		require.Equal(t, "2", y.numbers(t, second, "q=alpha"))
		y.get(t, recordsPath+"?q=a&module_uuid="+plain).Refused(t, http.StatusUnprocessableEntity, "custom_modules.not_searchable")
		for _, field := range []object{
			{"key": "n", "type": "integer", "searchable": true}, {"key": "s", "type": "text", "sensitive": true, "searchable": true},
		} {
			answer := y.post(t, modulesPath, object{"name": "Bad", "fields": []object{field}})
			answer.Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_definition")
			require.Contains(t, answer.Get("errors").Map(), "fields.0.searchable")
		}
	})
}

func TestSearch_OfAFieldThatHasValuesIsBuiltByAJob(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.module(t, "Notes", object{"key": "number", "type": "integer"}, object{"key": "text", "type": "text"},
			object{"key": "more", "type": "text", "searchable": true})
		for i := range 3 {
			y.made(t, module, object{"number": i, "text": "alpha" + strconv.Itoa(i), "more": "beta"})
		}
		text := y.field(t, module, "text")
		more := y.field(t, module, "more")
		require.Empty(t, y.numbers(t, module, "q=alpha"))
		require.Equal(t, "building", y.change(t, text, object{"searchable": true}).OK(t).Get("search_state").String())
		require.Eventually(t, func() bool { return y.get(t, text).Get("search_state").String() == "ready" }, time.Minute, 10*time.Millisecond)
		require.Equal(t, "0 1 2", y.numbers(t, module, "q=alpha"))
		require.Equal(t, "1", y.numbers(t, module, "q=alpha1"))

		y.change(t, more, object{"searchable": false}).OK(t)
		require.Eventually(t, func() bool { return y.numbers(t, module, "q=beta") == "" }, time.Minute, 10*time.Millisecond)
		require.Equal(t, "0 1 2", y.numbers(t, module, "q=alpha"))
	})
}

// Words that more than a thousand records have are not looked for as a set. What is found is the same.
func TestSearch_FindsTheSameForWordsThatManyAndFewRecordsHave(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.module(t, "Notes", object{"key": "number", "type": "integer"}, object{"key": "text", "type": "text", "searchable": true})
		const many = 1_100
		for begin := 0; begin < many; begin += 100 {
			items := make([]object, 100)
			for i := range items {
				items[i] = object{"do": "create", "payload": object{"number": begin + i, "text": "alpha" + strconv.Itoa((begin+i)%50)}}
			}
			y.bulk(t, module, true, items...).OK(t)
		}
		up, down := make([]string, 0, 30), make([]string, 0, 30)
		for i := range 22 {
			up, down = append(up, strconv.Itoa(7+50*i)), append(down, strconv.Itoa(1057-50*i))
		}
		last := make([]string, 30)
		for i := range last {
			last[i] = strconv.Itoa(many - 1 - i)
		}
		for range 2 { // the second time it is known that they are many
			require.Equal(t, strings.Join(last, " "), y.numbers(t, module, "q=alpha&sort=-uuid"))
		}
		require.Equal(t, strings.Join(up, " "), y.numbers(t, module, "q=alpha7"))
		require.Equal(t, strings.Join(down, " "), y.numbers(t, module, "q=alpha7&sort=-uuid"))
		require.Equal(t, strings.Join(down, " "), y.numbers(t, module, "q=alpha7&sort=-number"))

		path := recordsPath + "?q=alpha7&per_page=3&module_uuid=" + module
		second := y.get(t, path+"&cursor="+y.get(t, path+"&count=exact").OK(t).Get("meta.next_cursor").String()).OK(t)
		require.Equal(t, int64(157), second.Get("data.0.payload.number").Int())
		first := y.get(t, path+"&cursor="+second.Get("meta.prev_cursor").String()).OK(t)
		require.Equal(t, int64(7), first.Get("data.0.payload.number").Int())
		require.Equal(t, gjson.Null, first.Get("meta.prev_cursor").Type)
		require.Equal(t, int64(22), y.get(t, path+"&count=exact").OK(t).Get("meta.total").Int())
	})
}
