package web_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

const oneThingPath = things + "/ffffffff-ffff-ffff-ffff-ffffffffffff"

func TestResource_HasVersionAndPlace(t *testing.T) {
	t.Parallel()
	r := start(t).call(t, http.MethodPost, things, `{"name": "<x>"}`).ok(t)

	require.Equal(t, `"1"`, r.Header.Get("ETag"))
	require.Equal(t, oneThingPath, r.Header.Get("Location"))
	require.Equal(t, `{"uuid":"ffffffff-ffff-ffff-ffff-ffffffffffff","name":"<x>","tags":[]}`, r.body)
	require.Empty(t, r.Header.Get("Preference-Applied"))
	require.Equal(t, "private, no-cache", r.Header.Get("Cache-Control"))
}

func TestPrefer_DecidesWhatAWriteAnswers(t *testing.T) {
	t.Parallel()
	for documented, tests := range map[bool]map[string]struct {
		minimal bool
		applied string
	}{
		false: {
			"":                            {false, ""},
			"return=minimal":              {true, "return=minimal"},
			`Return="minimal"; x=1, wait`: {true, "return=minimal"},
			"return=other":                {false, ""},
			"respond-async":               {false, ""},
		},
		true: {
			"":                            {true, ""},
			"wait=1, return=minimal":      {true, "return=minimal"},
			"return=representation":       {false, "return=representation"},
			"return=representation; x=\"": {false, "return=representation"},
		},
	} {
		s := start(t, func(s *web.Settings) { s.DocumentedBodies = documented })
		for prefer, want := range tests {
			r := s.call(t, http.MethodPost, things, `{"name": "x"}`, "Prefer: "+prefer).ok(t)

			require.Equal(t, want.minimal, r.body == "{}", prefer)
			require.Equal(t, want.applied, r.Header.Get("Preference-Applied"), prefer)
			require.Equal(t, `"1"`, r.Header.Get("ETag"))
			require.Equal(t, oneThingPath, r.Header.Get("Location"))
		}
		require.NotEqual(t, "{}", s.call(t, http.MethodGet, oneThingPath, "", "Prefer: return=minimal").ok(t).body)
		s.call(t, http.MethodPost, things, `{}`, "Prefer: return=minimal").refused(t, 422)
	}
}

func TestIfNoneMatch_SavesReadingAgain(t *testing.T) {
	t.Parallel()
	s := start(t)

	for header, known := range map[string]bool{
		`"7"`: true, `W/"7"`: true, `"1", "7"`: true, "*": true, `"a,b" , W/"7"`: true,
		`"8"`: false, "7": false, `"7`: false, `"1" "7"`: false,
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r := s.call(t, method, oneThingPath, "", "If-None-Match: "+header)

			require.Equal(t, known, r.StatusCode == http.StatusNotModified, header)
			require.Equal(t, `"7"`, r.Header.Get("ETag"))
			require.Equal(t, known || method == http.MethodHead, r.body == "")
		}
	}
}

func TestIfMatch_RefusesAWriteToAnotherVersion(t *testing.T) {
	t.Parallel()
	s := start(t)

	for header, status := range map[string]int{
		"": 200, `"7"`: 200, "*": 200, `"1", "7"`: 200, `"1" ,"7",`: 200,
		`"8"`: 412, `W/"7"`: 412, `"1", W/"7"`: 412,
		"7": 422, `"7`: 422, `"1" "7"`: 422, `"7", *`: 422,
	} {
		r := s.call(t, http.MethodPatch, oneThingPath, `{}`, "If-Match: "+header)

		require.Equal(t, status, r.StatusCode, header)
	}
	p := s.call(t, http.MethodPatch, oneThingPath, `{}`, `If-Match: "6"`).refused(t, 412)
	require.Equal(t, "web.stale", p.Code)
	require.InDelta(t, 7, p.Details["current_version"], 0)
	require.Equal(t, []string{"If-Match"}, s.call(t, http.MethodPatch, oneThingPath, `{}`, `If-Match: x`).refused(t, 422).fields())
}

func TestCheck_IsAnErrorOfItsKind(t *testing.T) {
	t.Parallel()
	require.NoError(t, web.IfMatch{}.Check(1))
	require.Equal(t, errs.Stale, errs.KindOf(web.IfMatch{IfMatch: `"2"`}.Check(1)))
	require.Equal(t, errs.Invalid, errs.KindOf(web.IfMatch{IfMatch: `2`}.Check(1)))
}

func TestDelete_AnswersNoContent(t *testing.T) {
	t.Parallel()
	r := start(t).call(t, http.MethodDelete, oneThingPath, "")

	require.Equal(t, http.StatusNoContent, r.StatusCode)
	require.Empty(t, r.body)
	require.Empty(t, r.Header.Get("Content-Type"))
}

func FuzzIfMatch(f *testing.F) {
	for _, seed := range []string{`"1"`, `W/"1", "2"`, "*", `"`, `W/`, `"a" b`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if err := (web.IfMatch{IfMatch: header}).Check(1); err != nil {
			require.Contains(t, []errs.Kind{errs.Stale, errs.Invalid}, errs.KindOf(err))
		}
	})
}

func TestDocumentedBodies_LeaveSecretsWhole(t *testing.T) {
	t.Parallel()
	s := build(t, func(s *web.Settings) { s.DocumentedBodies = true })
	require.NoError(t, s.Mount("secrets", func(r *web.Router) {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/tokens", ID: "create_token", Summary: "Create a token", Access: web.Write, Secret: true,
			Errors: []*errs.Error{errNoThing},
		}, func(context.Context, *struct{}) (*web.Resource[thing], error) { return answer("the only time", 1), nil })
	}))
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })

	for _, prefer := range []string{"", "return=minimal"} {
		require.Contains(t, s.call(t, http.MethodPost, "/secrets/api/v1/tokens", "", "Prefer: "+prefer).ok(t).body, "the only time")
	}
}
