package moduletest

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const bellDocument = `{"paths": {
	"/bells/{bell}": {"get": {"responses": {
		"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Bell"}}}},
		"404": {"$ref": "#/components/responses/NotFound"}, "304": {"description": "The same."}}}},
	"/bells/first": {"get": {"responses": {"204": {"description": "None."}}}}},
	"components": {
		"responses": {"NotFound": {"content": {"application/json": {"schema": {"type": "object", "required": ["message"]}}, "text/html": {}}}},
		"schemas": {"Bell": {"type": "object", "required": ["at"], "properties": {"at": {"type": "string", "format": "date-time"}}, "additionalProperties": false}}}}`

func TestDocument_CatchesAnAnswerThatItDoesNotHave(t *testing.T) {
	t.Parallel()
	d, err := newDocument([]byte(bellDocument))
	require.NoError(t, err)
	const json = "application/json"
	for name, c := range map[string]struct {
		method, path string
		status       int
		media, body  string
		want         string
	}{
		"right":             {"GET", "/bells/1", 200, json, `{"at": "2026-02-28T10:00:00Z"}`, ""},
		"with a charset":    {"GET", "/bells/1", 404, "text/html; charset=utf-8", `<p>`, ""},
		"no operation":      {"GET", "/cats/1", 200, json, `1`, ""},
		"HEAD":              {"HEAD", "/bells/1", 200, json, ``, ""},
		"not modified":      {"GET", "/bells/1", 304, "", ``, ""},
		"wrong format":      {"GET", "/bells/1", 200, json, `{"at": "today"}`, "is not valid date-time"},
		"unknown member":    {"GET", "/bells/1", 200, json, `{"at": "2026-02-28T10:00:00Z", "by": 1}`, "additional properties 'by' not allowed"},
		"missing member":    {"GET", "/bells/1", 404, json, `{}`, "missing property 'message'"},
		"no JSON":           {"GET", "/bells/1", 200, json, `{`, "unexpected EOF"},
		"unknown status":    {"GET", "/bells/1", 500, json, `{}`, "it does not have the status"},
		"unknown media":     {"GET", "/bells/1", 200, "text/plain", `x`, "it does not have the media type text/plain"},
		"no media":          {"GET", "/bells/1", 200, "", `x`, "the media type"},
		"no body":           {"GET", "/bells/1", 200, json, ``, "the answer has no body"},
		"body of nothing":   {"GET", "/bells/first", 204, json, `{}`, "it does not have the media type"},
		"fixed parts first": {"GET", "/bells/first", 200, json, `{"at": "2026-02-28T10:00:00Z"}`, "it does not have the status"},
	} {
		err := d.check(c.method, c.path, Response{Status: c.status, Header: http.Header{"Content-Type": {c.media}}, Body: []byte(c.body)})
		if c.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.want, name)
		}
	}
}
