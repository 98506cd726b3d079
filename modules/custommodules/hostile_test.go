package custommodules_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// longestRefusal bounds what a refusal says, whatever it was asked.
const longestRefusal = 64 << 10

// answered requires a refusal with a message, of a bounded length; or success where that is an answer too.
func answered(t *testing.T, what string, r moduletest.Response, succeeds bool) {
	t.Helper()
	if len(what) > 80 {
		what = what[:80]
	}
	if r.Status < http.StatusBadRequest {
		require.Truef(t, succeeds, "%s was taken: %d", what, r.Status)

		return
	}
	require.Lessf(t, r.Status, http.StatusInternalServerError, "%s: %s", what, r.Body)
	require.NotEmptyf(t, r.Get("message").String(), "%s: %s", what, r.Body)
	require.Truef(t, json.Valid(r.Body), "%s", what)
	require.LessOrEqualf(t, len(r.Body), longestRefusal, "%s", what)
}

func TestHostile_Definitions(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		many := func(n int) []object {
			var fields []object
			for i := range n {
				fields = append(fields, object{"key": "f" + strconv.Itoa(i), "type": "text"})
			}

			return fields
		}
		y.module(t, "Many", many(200)...)
		define := func(fields any) moduletest.Response {
			return y.post(t, modulesPath, object{"name": "Hostile", "fields": fields})
		}
		refused(t, define(many(201)), "custom_modules.invalid_definition", map[string]string{"fields": "A module must not have more than 200 fields."})
		broken := many(150)
		for i := range broken {
			broken[i]["key"], broken[i]["type"] = strings.Repeat("X y", 60), strings.Repeat("z", 500)
		}
		answered(t, "150 wrong fields", define(broken), false)
		for _, key := range []string{
			"", " ", "a b", "a-b", "a;drop", "a'b", `a"b`, "a.b", "a[0]", "a\x00b", "\u202e", "a\u200db", "1a", "_a", "é\u0301\u0301\U0001F69A",
			"and", "or", "not", "null", "true", "uuid", "payload", "version", "created_at", strings.Repeat("k", 65), strings.Repeat("k", 100_000),
		} {
			answered(t, "key "+key, define([]object{{"key": key, "type": "text"}}), false)
		}
		for _, pair := range [][2]string{{"a", "A"}, {"gro\u0308ße", "größe"}, {"ﬁ", "ﬁ"}} {
			answered(t, "keys "+pair[0], define([]object{{"key": pair[0], "type": "text"}, {"key": pair[1], "type": "text"}}), false)
		}
		for typ, options := range map[string][]any{
			"text": {
				object{"pattern": "("},
				object{"pattern": "(a{1000}){1000}"},
				object{"pattern": strings.Repeat("(a?)", 100_000)},
				object{"pattern": `(?<x>a)\k<x>`},
				object{"min_length": -1},
				object{"max_length": 1e300},
				object{"max_length": "x"},
				object{"nope": 1},
				"text", 1,
			},
			"decimal": {object{"scale": 1e9}, object{"min": "1e9"}, object{"min": strings.Repeat("9", 10_000)}, object{"min": "2", "max": "1"}},
			"integer": {json.RawMessage(`{"min":1e400}`), json.RawMessage(`{"min":1.5}`), object{"max": "9223372036854775808"}},
			"select":  {object{"options": nil}, object{"options": []object{{"id": "a"}, {"id": "a"}}}, object{"options": make([]object, 5_000)}, object{"options": "a"}},
			"json": {
				object{"schema": object{"$ref": "https://example.com/x"}},
				object{"schema": object{"$ref": "file:///etc/passwd"}},
				object{"schema": object{"type": 1}},
				object{"schema": object{"$ref": "#"}},
				object{"schema": object{"pattern": "("}},
				object{"max_bytes": -1},
			},
			"reference": {nil, object{}, object{"module_uuid": "x"}, object{"module_uuid": y.customer}, object{"module_uuid": y.customers, "on_delete": "explode"}},
			"phone":     {object{"default_region": "XX"}},
		} {
			for _, one := range options {
				spec := object{"key": "a", "type": typ, "options": one}
				answered(t, fmt.Sprint(typ, one), define([]object{spec}), strings.Contains(fmt.Sprint(one), "$ref:#"))
			}
		}
		for _, body := range []string{
			`{"name":"a","name":"b"}`, `{"name":"\ud800"}`, `{"name":"\u0000"}`, "{\"name\":\"\xff\"}", `[]`, `null`, `"x"`, ``, `{`, `{"name":{}}`,
			`{"name":"x","fields":{}}`, `{"name":"x","fields":[null]}`, `{"name":"x","fields":[[]]}`,
			`{"name":"x","fields":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`,
			`{"name":"` + strings.Repeat("x", 1<<20) + `"}`, `{"name":"x","description":"` + strings.Repeat("x", 200_000) + `"}`,
			`{"name":"x","fields":[{"key":"a","type":"text","default":` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + `}]}`,
		} {
			answered(t, body, y.post(t, modulesPath, body), false)
		}
	})
}

func TestHostile_Payloads(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.module(t, "Hostile",
			object{"key": "text", "type": "text", "options": object{"pattern": "^(a+)+$"}}, object{"key": "notes", "type": "long_text"},
			object{"key": "count", "type": "integer", "indexed": true}, object{"key": "price", "type": "decimal", "indexed": true},
			object{"key": "any", "type": "json"}, object{"key": "größe", "type": "integer"}, object{"key": "select", "type": "text"},
			object{"key": "code", "type": "text", "unique": true, "indexed": true}, object{"key": "where", "type": "geo_point"},
			object{"key": "day", "type": "date", "indexed": true}, object{"key": "moment", "type": "datetime", "indexed": true},
			object{"key": "customer", "type": "reference", "options": object{"module_uuid": y.customers}})
		record := y.create(t, module, object{"code": "x"}).OK(t).Header.Get("Location")
		nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
		unknown := func(n int) string {
			var text strings.Builder
			for i := range n {
				fmt.Fprintf(&text, `"k%d%s":0,`, i, strings.Repeat("y", 40))
			}

			return "{" + text.String() + `"text":1}`
		}
		for payload, succeeds := range map[string]bool{
			`{"any":` + nested(6) + `}`: true, `{"any":` + nested(7) + `}`: true, `{"any":` + nested(8) + `}`: false, `{"any":` + nested(20_000) + `}`: false,
			`{"any":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`: false,
			`{"notes":"` + strings.Repeat("x", 65_536) + `"}`:                           true, `{"notes":"` + strings.Repeat("x", 65_537) + `"}`: false,
			`{"notes":"` + strings.Repeat("ä", 65_536) + `"}`: true, `{"notes":"` + strings.Repeat("x", 256<<10) + `"}`: false, `{"notes":"` + strings.Repeat("x", 1<<20) + `"}`: false,
			`{"text":"` + strings.Repeat("a", 200) + `!"}`: false, `{"code":"` + strings.Repeat("\U0010FFFF", 255) + `"}`: true,
			`{"count":9007199254740993}`: true, `{"count":9223372036854775808}`: false, `{"count":1e18}`: false, `{"count":1e400}`: false, `{"count":-0}`: true,
			`{"count":1.0}`: false, `{"count":` + strings.Repeat("9", 10_000) + `}`: false, `{"price":"999999999999999999.99"}`: true,
			`{"price":"1e5"}`: false, `{"price":"NaN"}`: false, `{"price":"Infinity"}`: false, `{"price":"-0.00"}`: true, `{"price":"` + strings.Repeat("0", 100_000) + `"}`: true,
			`{"any":123456789012345678901234567890.123456789}`: true, `{"any":1e400}`: false, `{"any":1e308}`: true, `{"any":1E-308}`: true, `{"any":"\u0000"}`: false,
			`{"any":{"\ud800":1}}`: false, `{"any":{"a":1,"a":2}}`: false, `{"any":{"":1}}`: true, `{"any":{"` + strings.Repeat("k", 60_000) + `":1}}`: true,
			`{"notes":"\u0000"}`: false, `{"notes":"\ud800"}`: false, `{"notes":"\udc00\ud800"}`: false, `{"notes":"\ud83d\ude9a"}`: true,
			`{"gro\u0308ße":1}`: true, `{"größe":1,"gro\u0308ße":2}`: false, `{"gr\u00f6ße":1,"größe":1}`: false, `{"code":"c1","code":"c2"}`: false,
			`{"\u0063ode":"c3"}`: true, `{"select":"'; DROP TABLE custom_modules_records; --"}`: true, `{"uuid":"x"}`: false, `{"1":"x"}`: false, `{"data":"x"}`: false, `{"":1}`: false,
			`{"where":{"lat":1e-320,"lng":0}}`: true, `{"where":{"lat":1e400,"lng":0}}`: false, `{"day":"10000-01-01"}`: false, `{"day":"0000-00-00"}`: false,
			`{"moment":"9999-12-31T23:59:59.999999999Z"}`: false, `{"moment":"2026-12-31T23:59:60Z"}`: false, `{"customer":{"record_uuid":"` + strings.Repeat("0", 36) + `"}}`: false,
			unknown(4_000): false, `[]`: false, `"x"`: false, `7`: false, `null`: false, `{"code":{"code":{"code":1}}}`: false,
		} {
			answered(t, payload, y.post(t, recordsPath, `{"module_uuid":"`+module+`","payload":`+payload+`}`), succeeds)
			answered(t, "patch "+payload, y.Call(t, y.Owner.Token, http.MethodPatch, record, `{"payload":`+payload+`}`), succeeds)
			y.get(t, record).OK(t)
		}
		for _, body := range []string{
			`{"module_uuid":"` + module + `","payload":{},"payload":{}}`, `{"module_uuid":"` + module + `"}`, `{"module_uuid":"x","payload":{}}`,
			"{\"module_uuid\":\"" + module + "\",\"payload\":{\"notes\":\"\xff\"}}", `{"module_uuid":"` + module + `","payload":{"notes":"x}`, strings.Repeat("[", 100_000),
		} {
			answered(t, body, y.post(t, recordsPath, body), false)
		}
		y.get(t, recordsPath+"?module_uuid="+module+"&sort=-price").OK(t)
	})
}

func TestHostile_BulkAndQueries(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.module(t, "Hostile", object{"key": "notes", "type": "long_text"}, object{"key": "code", "type": "text", "unique": true, "indexed": true},
			object{"key": "count", "type": "integer", "indexed": true})
		items := func(n int, item object) []object {
			all := make([]object, n)
			for i := range all {
				all[i] = item
			}

			return all
		}
		large := object{"do": "create", "payload": object{"notes": strings.Repeat("x", 15_000)}}
		answered(t, "500 large", y.bulk(t, module, true, items(500, large)...), true)
		require.Equal(t, int64(1), y.count(t, "module_uuid="+module+"&per_page=1"))
		answered(t, "501", y.bulk(t, module, true, items(501, object{"do": "create", "payload": object{}})...), false)
		answered(t, "too large", y.bulk(t, module, true, items(500, object{"do": "create", "payload": object{"notes": strings.Repeat("x", 20_000)}})...), false)
		wrong := object{}
		for i := range 150 {
			wrong[strings.Repeat("w", 55)+strconv.Itoa(i)] = i
		}
		for _, atomic := range []bool{true, false} {
			answer := y.bulk(t, module, atomic, items(500, object{"do": "create", "payload": object{"count": "x", "code": 1}})...)
			require.Less(t, answer.Status, http.StatusInternalServerError)
		}
		answered(t, "500 items that are wrong in 150 ways", y.bulk(t, module, true, items(100, object{"do": "create", "payload": wrong})...), false)
		answered(t, "the same value", y.bulk(t, module, true, items(500, object{"do": "upsert", "by": "code", "payload": object{"code": "a", "count": 1}})...), true)

		path := recordsPath + "?module_uuid=" + module + "&"
		for _, query := range []string{
			"filter[count]=1e400", "filter[count]=9223372036854775808", "filter[code][like]=%00", "filter[code]=%ff", "filter[code][in]=" + strings.Repeat("a,", 101),
			"filter[code]=" + strings.Repeat("a", 501), "filter[code'%3b--]=1", "filter[][]=", "filter[or][1000][code]=a", "filter[or][0]=a", "filter[code][eq][eq]=a",
			"sort=code,code", "sort=" + strings.Repeat("code,", 5_000), "sort=code'--", "sort=-", "per_page=0", "per_page=1e9", "per_page=-1", "cursor=" + strings.Repeat("A", 3_000),
			"cursor=%00", "fields=" + strings.Repeat("a,", 200), "fields=payload.nope", strings.Repeat("filter[code]=a&", 21), "q=" + strings.Repeat("a+", 20),
		} {
			answered(t, query, y.get(t, path+query), strings.HasPrefix(query, "filter[code][like]=%25"))
		}
		for query, want := range map[string]int64{
			"filter[code][like]=%25": 0, "filter[code][starts]=_": 0, "filter[code]=a'--": 0, "filter[code]=a": 1, "filter[count]=-9223372036854775808": 0,
		} {
			require.Equalf(t, want, y.count(t, "module_uuid="+module+"&"+query), "%s", query)
		}
	})
}
