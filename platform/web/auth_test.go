package web_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestAuth_RefusesARequestWithoutAToken(t *testing.T) {
	t.Parallel()
	s := start(t)

	for _, header := range []string{"Authorization:", "Authorization: Basic YTpi", "Authorization: Bearer", "Authorization: all"} {
		r := s.call(t, http.MethodGet, things, "", header)

		require.Equal(t, "tokens.missing", r.refused(t, 401).Code, header)
		require.Equal(t, `Bearer realm="dispatchd"`, r.Header.Get("WWW-Authenticate"))
	}
}

func TestAuth_RefusesATokenThatIsNotKnown(t *testing.T) {
	t.Parallel()
	r := start(t).call(t, http.MethodGet, things, "", "Authorization: Bearer stolen")

	require.Equal(t, "tokens.unknown", r.refused(t, 401).Code)
	require.Equal(t, `Bearer realm="dispatchd", error="invalid_token", error_description="This token is not known."`,
		r.Header.Get("WWW-Authenticate"))
}

func TestAuth_NamesTheScopeThatIsMissing(t *testing.T) {
	t.Parallel()
	s := start(t)

	r := s.call(t, http.MethodPost, things, "not even JSON", "Authorization: Bearer reader")
	p := r.refused(t, 403)

	require.Equal(t, "web.scope_missing", p.Code)
	require.Equal(t, "things:write", p.Details["scope"])
	require.Contains(t, p.Message, "things:write")
	require.Equal(t, `Bearer realm="dispatchd", error="insufficient_scope", scope="things:write"`, r.Header.Get("WWW-Authenticate"))
	require.Equal(t, "things:count", s.call(t, http.MethodGet, things+"/count", "", "Authorization: Bearer reader").
		refused(t, 403).Details["scope"])
}

func TestAuth_TakesTheSchemeInAnyCase(t *testing.T) {
	t.Parallel()
	s := start(t)

	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
		s.call(t, http.MethodGet, things, "", "Authorization: "+scheme+" reader").ok(t)
	}
}

func TestAuth_IsNotAskedForAPublicOperation(t *testing.T) {
	t.Parallel()
	start(t).call(t, http.MethodGet, "/things/api/v1/fail/nothing-wrong", "", "Authorization:").ok(t)
}

func TestAuth_ThatCannotBeCheckedIs503(t *testing.T) {
	t.Parallel()
	r := start(t).call(t, http.MethodGet, things, "", "Authorization: Bearer away")

	require.Equal(t, "things.away", r.refused(t, 503).Code)
	require.Equal(t, "5", r.Header.Get("Retry-After"))
}

func TestAuth_PutsThePrincipalIntoTheLog(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := s.call(t, http.MethodGet, things+"/"+uuid.Max.String()+"?", "").ok(t)

	require.Eventually(t, func() bool { return len(s.log.String()) > 0 }, waiting, tick)
	require.Contains(t, s.log.String(), `msg=request method=GET route=/things/api/v1/things/{uuid} status=200`)
	require.NotEmpty(t, r.Header.Get("X-Request-Id"))
}
