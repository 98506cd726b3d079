package web_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestQuery_NamesEveryWrongKeyAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t).call(t, http.MethodGet, things+"?per_page=0&sortt=x&filter[vin]=1&filter[a][eq]=2&tag=a&tag=b&x=%ff", "").refused(t, 422)

	const known = "This key is not known; allowed are per_page, tag, filter[…]."
	require.Equal(t, map[string][]string{
		"per_page": {"The per page must be at least 1."}, "sortt": {known}, "x": {known},
	}, p.Errors)
}

func TestQuery_RefusesTextThatIsNoneAndKeysGivenTwice(t *testing.T) {
	t.Parallel()
	p := start(t).call(t, http.MethodGet, things+"?per_page=1&per_page=2&tag=%ff&filter[a]=%00", "").refused(t, 422)

	require.Equal(t, map[string][]string{
		"per_page":  {"The per page must be given once."},
		"tag":       {"The tag must be text in UTF-8."},
		"filter[a]": {"The filter[a] must be text in UTF-8."},
	}, p.Errors)
}

func TestQuery_IsReadByTheHandler(t *testing.T) {
	t.Parallel()
	r := start(t).call(t, http.MethodGet, things+"?tag=a%2Fb&tag=c", "").ok(t)

	require.Contains(t, r.body, `"name":"a/b","tags":[]`)
	require.Contains(t, r.body, `"name":"c"`)
}

func TestPath_MustHaveItsForm(t *testing.T) {
	t.Parallel()
	s := start(t)

	require.Equal(t, map[string][]string{"uuid": {"The uuid must be a UUID."}},
		s.call(t, http.MethodGet, things+"/seven", "").refused(t, 422).Errors)
	require.Equal(t, "things.not_found", s.call(t, http.MethodGet, things+"/"+uuid.New().String(), "").refused(t, 404).Code)
}

func TestPath_IsUnescapedForTheHandler(t *testing.T) {
	t.Parallel()
	s := start(t)

	require.JSONEq(t, `"a b/c+d"`, s.call(t, http.MethodGet, failPath+"a%20b%2Fc+d", "").ok(t).body)
	require.JSONEq(t, `"%ff"`, s.call(t, http.MethodGet, failPath+"%ff", "").ok(t).body)
}

func TestRoute_WithAFixedPartGoesBeforeAParameter(t *testing.T) {
	t.Parallel()
	require.Equal(t, "3", start(t).call(t, http.MethodGet, things+"/count", "").ok(t).body)
}

func TestHead_IsAnsweredLikeGetWithoutTheBody(t *testing.T) {
	t.Parallel()
	s := start(t)

	for _, path := range []string{things + "/" + uuid.Max.String(), things, "/", "/healthz", "/readyz", "/openapi.json", "/docs"} {
		get := s.call(t, http.MethodGet, path, "").ok(t)
		head := s.call(t, http.MethodHead, path, "").ok(t)

		require.Empty(t, head.body, path)
		require.EqualValues(t, len(get.body), head.ContentLength, path)
		require.Equal(t, get.Header.Get("ETag"), head.Header.Get("ETag"), path)
	}
}
