package moduletest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// Response is an answer of the service.
type Response struct {
	Status int
	Header http.Header
	Body   []byte

	log *logbook
}

// Call sends a request and reads the answer, which must be as the service's OpenAPI document says. A body of type string or []byte goes out as it is,
// anything else as JSON, nil not at all. Headers come in pairs, name and value; a token of "" sends
// none.
func (a *App) Call(t testing.TB, token, method, path string, body any, headers ...string) Response {
	t.Helper()
	response, err := a.call(t.Context(), token, method, path, body, headers...)
	require.NoError(t, err)

	return response
}

func (a *App) call(
	ctx context.Context, token, method, path string, body any, headers ...string,
) (r Response, err error) {
	reader, err := bodyReader(body)
	if err != nil {
		return r, err
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+a.API.Address()+path, reader)
	if err != nil {
		return r, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	request.Host = request.Header.Get("Host") // "" is the address

	response, err := a.client.Do(request)
	if err != nil {
		return r, err
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return r, err
	}

	r = Response{Status: response.StatusCode, Header: response.Header, Body: text, log: a.log}
	raisedHere.noteCodes(path, text)

	return r, errors.Join(response.Body.Close(), a.documented(response.Request, r))
}

// documented says what of an answer the service's OpenAPI document does not have.
func (a *App) documented(sent *http.Request, r Response) error {
	d, err := a.document()
	if err != nil {
		return err
	}
	method := sent.Method
	if meant := sent.Header.Get("X-HTTP-Method-Override"); meant != "" && method == http.MethodPost {
		method = meant
	}

	return d.check(method, sent.URL.EscapedPath(), r)
}

func bodyReader(body any) (io.Reader, error) {
	switch b := body.(type) {
	case nil:
		return http.NoBody, nil
	case string:
		return strings.NewReader(b), nil
	case []byte:
		return bytes.NewReader(b), nil
	default:
		text, err := json.Marshal(body)

		return bytes.NewReader(text), err
	}
}

// Get returns the value at a path of the JSON body, such as "data.0.uuid" or "data.#" for a
// length; see github.com/tidwall/gjson. A value that is not there does not Exist.
func (r Response) Get(path string) gjson.Result { return gjson.GetBytes(r.Body, path) }

// OK requires a 2xx status and returns the response.
func (r Response) OK(t testing.TB) Response {
	t.Helper()
	if !r.succeeded() {
		require.Failf(t, "refused", "status %d: %s%s", r.Status, r.Body, r.reason())
	}

	return r
}

// misnamed matches keys of errors that name no field, or not as others are named: stops.0.city.
var misnamed = regexp.MustCompile(`^$|\[\d*\]`)

// Refused requires an error answer of that status and code, whose errors name fields, and returns the response.
func (r Response) Refused(t testing.TB, status int, code string) Response {
	t.Helper()
	require.Equalf(t, status, r.Status, "body: %s%s", r.Body, r.reason())
	require.Equalf(t, code, r.Get("code").String(), "body: %s", r.Body)
	require.NotEmptyf(t, r.Get("message").String(), "body: %s", r.Body)
	for key := range r.Get("errors").Map() {
		require.NotRegexpf(t, misnamed, key, "body: %s", r.Body)
	}

	return r
}

// reason is what the log has of a request that failed inside, for whoever reads the test's output.
func (r Response) reason() string {
	if r.Status < http.StatusInternalServerError || r.log == nil {
		return ""
	}

	return "\nlog: " + r.log.about(r.Get("request_id").String())
}

func (r Response) succeeded() bool { return r.Status >= 200 && r.Status < 300 }
