package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func TestRequest_IsRefusedAndNoDefectHoweverOddItIs(t *testing.T) {
	t.Parallel()
	s := start(t)
	odd := []string{
		"", "%", "%zz", "%00", "%ff%fe", "%ED%A0%80", "=", "&&", "[", "]", "[]=", "filter[=1", "filter]=1", "filter[a][b]=1&filter[a]=2", "filter[%ff]=1",
		"per_page", "per_page=", "per_page=0", "per_page=-1", "per_page=1e3", "per_page=99999999999999999999", "per_page=0x10", "per_page=%201", "per_page=1&per_page=2",
		"tag", "tag=&tag=", "tag=" + strings.Repeat("x,", 1000), "tag[]=1", "per_page=5;tag=1", "a=%F0%28%8C%BC",
	}
	for _, query := range odd {
		for _, path := range []string{things + "?" + query, things + "/" + url.PathEscape(query) + "?" + query} {
			r := s.call(t, http.MethodGet, path, "")
			require.Contains(t, []int{http.StatusOK, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusBadRequest}, r.StatusCode, path+r.body)
		}
	}
	for _, body := range []string{
		" ", "null", "true", "0", `""`, "[]", "{", `{"name":null}`, `{"name":"\ud800"}`, "{\"name\":\"\xff\"}", `{"name":"x","year":1e400}`, `{"name":"x","year":-0}`,
		`{"name":"x","name":"x"}`, `{"name":{"name":{}}}`, `{"stops":[null,[],{}]}`, "\ufeff{}", strings.Repeat("[", 20000), `{"":""}`, `{"name":"x","owner":"` + uuid.Nil.String() + `"}`,
	} {
		for _, path := range []string{things, raw} {
			r := s.call(t, http.MethodPost, path, body)
			require.Less(t, r.StatusCode, http.StatusInternalServerError, path+" "+body+r.body)
		}
	}
}

func TestMount_RefusesByNameWhatInputsAndOutputsCannotHave(t *testing.T) {
	t.Parallel()
	mount := func(register func(*web.Router)) error { return build(t).Mount("things", register) }

	err := mount(func(r *web.Router) {
		web.Register(r, sound(), func(context.Context, *struct {
			Session string  `cookie:"session"`
			Price   float64 `query:"price"`
		},
		) (*struct{}, error) {
			return nil, nil
		})
	})
	require.ErrorContains(t, err, `operation "list_others": its input has session of a cookie`)
	require.ErrorContains(t, err, "its input has a float64 for price of the query")

	err = mount(func(r *web.Router) {
		web.Register(r, sound(), func(context.Context, *struct{}) (*struct{ Names []string }, error) { return nil, nil })
	})
	require.ErrorContains(t, err, `operation "list_others": the field Names of its output`)

	err = mount(func(r *web.Router) {
		web.Register(r, sound(), func(context.Context, *string) (*struct{}, error) { return nil, nil })
	})
	require.ErrorContains(t, err, "its input and output: want structs")
}

// unwritable is an answer that is no JSON.
type unwritable struct {
	Of func() `json:"of"`
}

// MarshalText implements encoding.TextMarshaler, so that it can be described.
func (unwritable) MarshalText() ([]byte, error) { return nil, errNoThing }

func TestAnswer_ThatCannotBeWrittenIsADefect(t *testing.T) {
	t.Parallel()
	s := build(t)
	require.NoError(t, s.Mount("more", func(r *web.Router) {
		op := sound()
		op.Errors = []*errs.Error{errNoThing}
		web.Register(r, op, func(context.Context, *struct{}) (*web.Resource[unwritable], error) {
			return web.NewResource(unwritable{}, 1, "/more"), nil
		})
	}))
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })

	r := s.call(t, http.MethodGet, "/more/api/v1/others", "")
	r.refused(t, http.StatusInternalServerError)
	require.Empty(t, r.Header.Get("Etag"), "nothing of the answer that did not come")
}
