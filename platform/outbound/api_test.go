package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/secret"
)

// echo answers with what it was asked, or with a status that the query says.
func echo(t *testing.T) *API {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("fail") != "" {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"code": 20429}`)

			return
		}
		body := readAll(r.Body)
		_, _ = fmt.Fprintf(w, `{"path": %q, "query": %q, "type": %q, "auth": %q, "body": %q}`,
			r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Get("Content-Type"), r.Header.Get("Authorization"), body)
	}))
	t.Cleanup(server.Close)
	api, err := testClient(t, local()).API(server.URL + "/v2/")
	require.NoError(t, err)

	return api
}

type echoed struct{ Path, Query, Type, Auth, Body string }

func TestCall_SendsJSONAndForms(t *testing.T) {
	t.Parallel()
	api := echo(t)
	token := Bearer(func(context.Context) (secret.Text, error) { return secret.Hide("hunter2"), nil })
	var got echoed
	_, err := api.Call(t.Context(), Request{
		Method: http.MethodPost, Path: "accounts/" + url.PathEscape("a/b") + "/messages", Query: url.Values{"q": {"1 2"}},
		JSON: map[string]string{"to": "+1"}, Auth: token,
	}, &got)
	require.NoError(t, err)
	require.Equal(t, echoed{"/v2/accounts/a%2Fb/messages", "q=1+2", "application/json", "Bearer hunter2", `{"to":"+1"}`}, got)

	basic := Basic(func(context.Context) (string, secret.Text, error) { return "user", secret.Hide("pass"), nil })
	_, err = api.Call(t.Context(), Request{Method: http.MethodPost, Path: "/x", Form: url.Values{"Body": {"hi & bye"}}, Auth: basic}, &got)
	require.NoError(t, err)
	require.Equal(t, echoed{"/v2/x", "", "application/x-www-form-urlencoded", "Basic dXNlcjpwYXNz", "Body=hi+%26+bye"}, got)
}

func TestCall_StaysBeneathItsBase(t *testing.T) {
	t.Parallel()
	api := echo(t)
	for _, path := range []string{"../x", "a/../../x", "a/%2e%2e/x", "x?y", "x#y", "//evil.example.com/x", "\x00", "a/./b"} {
		_, err := api.Call(t.Context(), Request{Method: http.MethodGet, Path: path}, nil)
		if err != nil {
			refused(t, err, NotSent, BadRequest)

			continue
		}
		require.Equal(t, "//evil.example.com/x", path, "leads to a path of the same host")
	}
}

func TestCall_SaysWhatTheAnswerIsNot(t *testing.T) {
	t.Parallel()
	api := echo(t)
	answer, err := api.Call(t.Context(), Request{Method: http.MethodGet, Path: "x", Query: url.Values{"fail": {"1"}}}, nil)
	e := failure(t, err, Answered, BadStatus)
	require.Equal(t, 429, e.Status)
	require.JSONEq(t, `{"code": 20429}`, string(e.Answer.Body))
	require.Equal(t, answer.Body, e.Answer.Body)
	require.Greater(t, time.Until(e.RetryAt), 50*time.Second)

	var wrong []int
	_, err = api.Call(t.Context(), Request{Method: http.MethodGet, Path: "x"}, &wrong)
	refused(t, err, Answered, NotJSON)
}

func TestCall_SendsNothingWithoutCredentials(t *testing.T) {
	t.Parallel()
	revoked := errors.New("revoked")
	_, err := echo(t).Call(t.Context(), Request{
		Method: http.MethodGet, Path: "x", Auth: Bearer(func(context.Context) (secret.Text, error) { return secret.Text{}, revoked }),
	}, nil)
	refused(t, err, NotSent, NotAuthorized)
	require.ErrorIs(t, err, revoked)
}
