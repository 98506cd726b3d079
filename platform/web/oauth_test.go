package web_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errNoClient = errs.New(errs.Unauthenticated, "flows.invalid_client", `There is no "client".`)
	errNoGrant  = errs.New(errs.Malformed, "flows.unsupported_grant_type", "There is no such grant.")
)

type grantInput struct{ web.Raw }

type grantOutput struct {
	Status int
	Body   []byte
}

// serveTokens serves an endpoint of tokens, which does what the body asks for.
func serveTokens(t *testing.T) *service {
	t.Helper()

	return serveFlows(t, func(r *web.Router) {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/token", ID: "issue_token", Summary: "Get a token", Access: web.Public, OAuth: true,
			Consumes: []string{"application/x-www-form-urlencoded"}, Produces: []string{"application/json"}, Status: http.StatusOK,
			Headers: [][2]string{{"Pragma", "no-cache"}}, Errors: []*errs.Error{errNoClient, errNoGrant},
		}, func(_ context.Context, in *grantInput) (*grantOutput, error) {
			switch string(in.RawBody) {
			case "client":
				return nil, errNoClient
			case "grant":
				return nil, errNoGrant
			case "away":
				return nil, errAway
			default:
				return &grantOutput{Status: http.StatusOK, Body: []byte("{}")}, nil
			}
		})
	})
}

func TestOAuth_RefusalsHaveTheShapeOfRFC6749(t *testing.T) {
	t.Parallel()
	s := serveTokens(t)
	for _, c := range []struct {
		body, media, want, about string
		status                   int
	}{
		{"fine", "application/x-www-form-urlencoded", "", "", http.StatusOK},
		{"", "application/x-www-form-urlencoded", "invalid_request", "", http.StatusBadRequest},
		{"client", "application/x-www-form-urlencoded", "invalid_client", "There is no client.", http.StatusUnauthorized},
		{"grant", "application/x-www-form-urlencoded", "unsupported_grant_type", "There is no such grant.", http.StatusBadRequest},
		{"away", "application/x-www-form-urlencoded", "temporarily_unavailable", "The things are away.", http.StatusServiceUnavailable},
		{"fine", "application/json", "invalid_request", "", http.StatusUnsupportedMediaType},
	} {
		got := s.call(t, http.MethodPost, "/flows/api/v1/token", c.body, "Content-Type: "+c.media)
		require.Equal(t, c.status, got.StatusCode, got.body)
		require.Equal(t, "no-cache", got.Header.Get("Pragma"))
		if c.want == "" {
			continue
		}
		require.Contains(t, got.body, `"error":"`+c.want+`"`)
		require.Contains(t, got.body, `"error_description":"`+c.about)
		if c.status == http.StatusUnauthorized {
			require.Equal(t, `Basic realm="dispatchd"`, got.Header.Get("WWW-Authenticate"))
		}
	}
	plain := start(t).call(t, http.MethodGet, "/things/api/v1/things/none", "")
	require.NotContains(t, plain.body, "error_description")
}

func TestOperations_AreServedAlone(t *testing.T) {
	t.Parallel()
	only := func(ids ...string) func(*web.Settings) { return func(s *web.Settings) { s.Operations = ids } }
	s := start(t, only("things_list_things"))
	require.Equal(t, http.StatusOK, s.call(t, http.MethodGet, things, "").StatusCode)
	require.Equal(t, http.StatusMethodNotAllowed, s.call(t, http.MethodPost, things, `{"name": "x"}`).StatusCode)
	require.Equal(t, http.StatusNotFound, s.call(t, http.MethodGet, things+"/ffffffff-ffff-ffff-ffff-ffffffffffff", "").StatusCode)
	require.Equal(t, http.StatusOK, s.call(t, http.MethodGet, "/readyz", "").StatusCode)
	require.Len(t, s.Operations(), 1)
	document, err := s.OpenAPI()
	require.NoError(t, err)
	require.NotContains(t, string(document), "things_create_thing")

	err = build(t, only("things_list_things", "things_lost_things")).Start(t.Context())
	require.ErrorContains(t, err, `no operation "things_lost_things"`)
	require.ErrorContains(t, err, "things_create_thing")
}
