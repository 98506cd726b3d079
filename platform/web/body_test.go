package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

const raw = "/things/api/v1/raw"

func TestBody_NamesEveryWrongFieldAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)

	p := s.call(t, http.MethodPost, things+"?pretty=1",
		`{"year": "x", "owner": "no", "kind": "bike", "stops": [{"city": "A"}, {}], "colour": "red"}`).refused(t, 422)

	require.Equal(t, "web.invalid", p.Code)
	require.Equal(t, "The given data was invalid.", p.Message)
	require.Equal(t, map[string][]string{
		"name":         {"The name is required."},
		"year":         {"The year must be an integer."},
		"owner":        {"The owner must be a UUID."},
		"kind":         {"The kind must be one of: car, boat."},
		"stops.0.city": {"The city must be at least 2 characters long."},
		"stops.1.city": {"The city is required."},
		"colour":       {"This key is not known. Known are: kind, name, owner, stops, vin, year."},
		"pretty":       {"This key is not known; no keys are allowed."},
	}, p.Errors)
}

func TestBody_RefusesWhatFitsTheSchemaButNotTheField(t *testing.T) {
	t.Parallel()
	s := start(t)

	p := s.call(t, http.MethodPost, things, `{"name": "x", "year": 4000}`).refused(t, 422)

	require.Equal(t, map[string][]string{"year": {"The year must be an integer of 8 bits at most."}}, p.Errors)
}

func TestBody_LetsAValueSayWhatItMustBe(t *testing.T) {
	t.Parallel()
	s := start(t)

	p := s.call(t, http.MethodPost, things, `{"name": "x", "kind": "car", "vin": "1M8"}`).refused(t, 422)

	require.Equal(t, map[string][]string{"vin": {"The vin must be 17 characters."}}, p.Errors)
}

func TestBody_SaysWhereJSONIsMalformed(t *testing.T) {
	t.Parallel()
	s := start(t)

	for name, test := range map[string]struct{ body, where string }{
		"syntax":        {"{\n  \"name\": oops}", "line 2, column 11: unexpected 'o'"},
		"cut off":       {`{"name": "x`, "line 1, column 12: it ends unexpectedly"},
		"trailing":      {`{"name": "x"} {}`, "line 1, column 15: unexpected '{'"},
		"given twice":   {"{\"name\": \"ä\",\n\"name\": \"y\"}", `line 2, column 1: the key "name" is given twice`},
		"not UTF-8":     {"{\"name\": \"\xff\"}", "line 1, column 11: it is not valid UTF-8"},
		"null char":     {`{"name": "a\u0000b"}`, "line 1, column 12: it has the character U+0000"},
		"not JSON":      {"name=x", "line 1, column 2: unexpected 'a'"},
		"no number":     {`{"name": "x", "year": -1e400}`, "line 1, column 23: a number has too many digits or too large an exponent"},
		"control char":  {"{\"name\": \"a\tb\"}", `line 1, column 12: the character U+0009 is not allowed here; in a string, write it as \u0009`},
		"no escape":     {`{"name": "a\qb"}`, "line 1, column 12: the backslash does not start a valid JSON escape"},
		"bare key":      {`{1: "x"}`, "line 1, column 2: a key must be a string in double quotes"},
		"nested deeply": {`{"name": ` + strings.Repeat("[", 10_001), "lists and objects are nested more than 10000 levels deep"},
		"nested double": {`{"module_uuid": {"a": 1, "a": 2}}`, `the key "a" is given twice`},
	} {
		for _, path := range []string{things, raw} {
			p := s.call(t, http.MethodPost, path, test.body).refused(t, 400)

			require.Equal(t, "web.malformed_json", p.Code, name)
			require.Contains(t, p.Message, test.where, name)
			require.NotRegexp(t, `\bGo\b|jsontext|float64|invalid character`, p.Message, name)
		}
	}
}

func TestBody_MayHaveABackslashBeforeU0000(t *testing.T) {
	t.Parallel()
	s := start(t)

	s.call(t, http.MethodPost, things, `{"name": "\\u0000"}`).ok(t)
}

func TestBody_IsRequired(t *testing.T) {
	t.Parallel()
	s := start(t)

	for _, path := range []string{things, raw} {
		p := s.call(t, http.MethodPost, path, "").refused(t, 400)

		require.Equal(t, "web.body_missing", p.Code)
	}
}

func TestBody_MayBeLabelledAsText(t *testing.T) {
	t.Parallel()
	s := start(t)

	for _, label := range []string{"text/plain", "text/plain; charset=UTF-8", "Application/JSON;charset=utf-8", ""} {
		s.call(t, http.MethodPost, things, `{"name": "x"}`, "Content-Type: "+label).ok(t)
		s.call(t, http.MethodPost, raw, `{"payload": {}}`, "Content-Type: "+label).ok(t)
	}
	s.call(t, http.MethodPatch, things+"/"+uuid.Max.String(), `{"name": "x"}`, "Content-Type: application/merge-patch+json").ok(t)
}

func TestBody_OfAnUndeclaredMediaTypeIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)

	for _, header := range []string{
		"Content-Type: application/x-www-form-urlencoded", "Content-Type: application/xml",
		"Content-Type: application/merge-patch+json", "Content-Type: application/json; charset=latin1",
		"Content-Type: nonsense;;;=", "Content-Encoding: gzip",
	} {
		for _, path := range []string{things, raw} {
			p := s.call(t, http.MethodPost, path, `{"name": "x"}`, header).refused(t, 415)

			require.Equal(t, "web.unsupported_media", p.Code)
			if !strings.HasPrefix(header, "Content-Encoding") {
				require.Contains(t, p.Message, "send it as application/json or text/plain.")
			}
		}
	}
}

func TestBody_OverTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	fits := func(n int) string { return `{"payload": "` + strings.Repeat("x", n-15) + `"}` }

	s.call(t, http.MethodPost, raw, fits(64<<10)).ok(t)
	for _, size := range []int{64<<10 + 1, 100 << 10, 4 << 20} {
		p := s.call(t, http.MethodPost, raw, fits(size)).refused(t, 413)

		require.Equal(t, "web.body_too_large", p.Code)
		require.Equal(t, "The body is larger than the limit of 64KiB.", p.Message)
		require.InDelta(t, 64<<10, p.Details["limit_bytes"], 0)
	}
}

func TestBody_OverTheLimitInChunksIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Address()+raw,
		onlyReader{strings.NewReader(`{"payload": "` + strings.Repeat("x", 1<<20) + `"}`)})
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer all")

	do(t, request).refused(t, 413)
}

// onlyReader hides the length of a reader.
type onlyReader struct{ *strings.Reader }

func (r onlyReader) Len() {}

func TestBody_IsKeptByTheHandlerOfARawOne(t *testing.T) {
	t.Parallel()
	s := start(t)
	body := `{"payload": {"vin": "1"}}`

	s.call(t, http.MethodPost, raw, body).ok(t)
	kept := <-s.area.got
	for range 20 {
		s.call(t, http.MethodPost, raw, `{"payload": {"xxx": "yyy", "zzz": 12345}}`).ok(t)
	}

	require.Equal(t, body, string(kept))
}

func TestRawBody_NamesUnknownKeysAndWrongTypes(t *testing.T) {
	t.Parallel()
	s := start(t)

	p := s.call(t, http.MethodPost, raw, `{"module_uuid": 7, "paylod": {}, "Payload": {}}`).refused(t, 422)

	require.Equal(t, []string{"Payload", "module_uuid", "payload", "paylod"}, p.fields())
	require.Equal(t, []string{"The module uuid must be a string."}, p.Errors["module_uuid"])
}
