package custommodules

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// letters are those that a form of Unicode, or a dialect of regular expressions, makes something of.
const letters = "aAeEkKuU09 .-_;\u0301\u0308\u0323\u212a\u037eéü\u0958\ufb2c가ᄀ\u1161각\u1f82\n\r\u00a0\u2028\U0001F69A"

func oddText(least, most int) *rapid.Generator[string] {
	return rapid.Map(rapid.StringOfN(rapid.SampledFrom([]rune(letters)), least, most, -1), func(text string) string { return string(rawjson.Quote(text)) })
}

// patterns have what RE2 and ECMA 262 write or read in different ways.
func patterns() []string {
	return []string{
		"", `^.{1,3}$`, `^[A-Z]{2}$`, `^[^a-z]+$`, `é`, `(?i)^k`, `^\w+\s\S`, `\Aa\z`, `^a|b$`, `^[\p{L}\d_.-]+$`, `^(?:a|e){2,}?u*$`, `\x{212a}`,
		`^[[:upper:]]`, `\Qa.\E`, `\bA`, `(?s)^.$`, `^[\[\]^/]`, `^\-\_`, `[^\n]\n`, `^(?P<x>a)(b)?$`, `\PL`, `(?m)^a$`,
	}
}

func drawnChoices(t *rapid.T) (options, raw string) {
	ids := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"red", "K", "grün", "x.y", "각", "sky_2"}), 1, 5, rapid.ID[string]).Draw(t, "ids")
	offers := make([]string, len(ids))
	for i, id := range ids {
		offers[i] = fmt.Sprintf(`{"id":%q}`, id)
	}

	return `{"options":[` + strings.Join(offers, ",") + `]}`, rapid.SampledFrom(append(ids, "blue", "k")).Draw(t, "id")
}

// drawn makes, for the types whose options decide what they take, options and a value that may be right or not.
func drawn() map[string]func(*rapid.T) (options, raw string) {
	ofText := func(t *rapid.T) (string, string) {
		most := rapid.IntRange(1, 8).Draw(t, "most")
		options, err := json.Marshal(map[string]any{
			"max_length": most, "min_length": rapid.IntRange(0, most).Draw(t, "least"), "pattern": rapid.SampledFrom(patterns()).Draw(t, "pattern"),
		})
		require.NoError(t, err)

		return string(options), oddText(0, 4*most+1).Draw(t, "raw")
	}
	ofMeasure := func(units string) func(*rapid.T) (string, string) {
		return func(t *rapid.T) (string, string) {
			return "", jsonMatching(`{"value":"-?0{0,2}[0-9]{1,13}(\.[0-9]{1,7}0{0,2})?"(,"unit":"(`+units+`|stone)")?}`).Draw(t, "raw")
		}
	}

	return map[string]func(*rapid.T) (options, raw string){
		"text": ofText, "long_text": ofText,
		"decimal": func(t *rapid.T) (string, string) {
			return fmt.Sprintf(`{"scale":%d}`, rapid.IntRange(0, field.FractionDigits).Draw(t, "scale")),
				matching(`-?0{0,3}[0-9]{0,19}(\.[0-9]{0,19}0{0,3})?`).Draw(t, "raw")
		},
		"integer": func(t *rapid.T) (string, string) {
			least := rapid.Int64Range(-20, 20).Draw(t, "min")

			return fmt.Sprintf(`{"min":%d,"max":%d}`, least, least+rapid.Int64Range(0, 9).Draw(t, "more")), matchingNumber().Draw(t, "raw")
		},
		"select": func(t *rapid.T) (string, string) {
			options, id := drawnChoices(t)

			return options, string(rawjson.Quote(id))
		},
		"multi_select": func(t *rapid.T) (string, string) {
			options, id := drawnChoices(t)

			return options, "[" + string(rawjson.Quote(id)) + "]"
		},
		"phone": func(t *rapid.T) (string, string) {
			return fmt.Sprintf(`{"default_region":%q}`, rapid.SampledFrom([]string{"US", "MX", "DE"}).Draw(t, "region")), matching(`\+?[0-9 ()./-]{5,16}`).Draw(t, "raw")
		},
		"weight": ofMeasure("kg|g|t|oz|lb|cwt|ton"), "length": ofMeasure("m|mm|cm|km|in|ft|yd|mi"),
	}
}

func matchingNumber() *rapid.Generator[string] { return jsonMatching(`-?(0|[1-9][0-9]?)`) }

// exact are the types whose schema says everything that the type does.
func exact() map[string]bool {
	return map[string]bool{
		"decimal": true, "boolean": true, "time": true, "scac": true, "equipment": true, "user": true, "reference": true, "file": true,
	}
}

// disturbed is a value in another form of Unicode, or with a character more or less.
func disturbed(t *rapid.T, raw string) string {
	changed, runes := raw, []rune(raw)
	at := 1
	if len(runes) > 2 {
		at = rapid.IntRange(1, len(runes)-1).Draw(t, "at")
	}
	switch rapid.IntRange(0, 4).Draw(t, "how") {
	case 1:
		changed = norm.NFD.String(raw)
	case 2:
		changed = strings.ReplaceAll(raw, "K", "\u212a")
	case 3:
		changed = string(runes[:at]) + string(rapid.SampledFrom([]rune(letters+"15+:")).Draw(t, "more")) + string(runes[at:])
	case 4:
		changed = string(runes[:at-1]) + string(runes[at:])
	}
	if changed == "" || changed[0] == ' ' || !json.Valid([]byte(changed)) {
		return raw
	}

	return changed
}

func TestSchemas_TakeEveryValueThatTheTypeTakes(t *testing.T) {
	t.Parallel()
	handlers, known := definition.NewTypes(definition.Defaults()), drawn()
	for _, s := range samples() {
		draw := func(t *rapid.T) (string, string) { return s.options, s.values.Draw(t, "raw") }
		draws := []func(*rapid.T) (string, string){draw}
		if more := known[s.typ]; more != nil {
			draws = append(draws, more)
		}
		t.Run(s.typ+s.options, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				options, raw := rapid.SampledFrom(draws).Draw(rt, "draw")(rt)
				raw = disturbed(rt, raw)
				values, err := handlers.Values(definition.TypeName(s.typ), []byte(options))
				require.NoError(rt, err)
				schema := compiledSchema(t, values.Schema())
				got, refused := values.Parse([]byte(raw))
				outside := followsSchema(rt, schema, []byte(raw))
				if refused == nil {
					require.NoErrorf(rt, outside, "options %s: the type takes %s", options, raw)
					require.NoErrorf(rt, followsSchema(rt, schema, got.JSON), "options %s: %s is answered", options, got.JSON)
				} else if exact()[s.typ] {
					require.Errorf(rt, outside, "options %s: the type refuses %s: %v", options, raw, refused)
				}
			})
		})
	}
}

func TestSchemaPattern_MatchesWhatThePatternMatches(t *testing.T) {
	t.Parallel()
	for _, pattern := range patterns() {
		written, portable := field.SchemaPattern(pattern)
		require.Equal(t, pattern != `(?m)^a$`, portable, pattern)
		if !portable {
			continue
		}
		require.NotContains(t, strings.ReplaceAll(written, "(?:", ""), "(?", pattern)
		original, rewritten := regexp.MustCompile(pattern), regexp.MustCompile(written)
		rapid.Check(t, func(rt *rapid.T) {
			text := rapid.StringOfN(rapid.SampledFrom([]rune(letters+"b[]^/")), 0, 5, -1).Draw(rt, "text")
			require.Equalf(rt, original.MatchString(text), rewritten.MatchString(text), "%s became %s: %q", pattern, written, text)
		})
	}
}

func TestPayloadSchema_OfAChangeTakesAnyPatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ     string
		options string
		patch   string
	}{
		"no part of an address":      {"address", "", `{}`},
		"a part cleared":             {"address", "", `{"line2":null}`},
		"one part of a point":        {"geo_point", "", `{"lat":1}`},
		"a member of a free object":  {"json", `{"schema":{"type":["object","null"],"required":["a"],"properties":{"a":{},"b":{}},"additionalProperties":false}}`, `{"b":1}`},
		"a member deep in an object": {"json", `{"schema":{"type":"object","properties":{"a":{"required":["x"]}},"additionalProperties":false}}`, `{"a":{"y":1}}`},
		"null":                       {"text", "", `null`},
	} {
		f := &definition.ModuleField{Values: build(t, c.typ, c.options)}
		require.NoError(t, followsSchema(t, compiledSchema(t, f.PayloadSchema(definition.ForUpdate)), []byte(c.patch)), name)
	}
}
