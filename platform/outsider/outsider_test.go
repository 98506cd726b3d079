package outsider_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/outsider"
	"github.com/dispatchd/dispatchd/platform/web"
)

type ringInput struct {
	Body struct {
		Times int `json:"times" minimum:"1" maximum:"3"`
	}
}

var errWorn = errs.New(errs.Unavailable, "bells.worn", "The bell is worn.")

func bells() module.Module {
	return module.New("bells", "Bells", web.Routes(func(r *web.Router, _ *web.API) {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/ring", ID: "ring", Access: web.Public, Summary: "Ring", Errors: []*errs.Error{errWorn},
		}, func(_ context.Context, in *ringInput) (*struct{}, error) {
			if in.Body.Times == 3 { //nolint:mnd // too many
				return nil, errWorn
			}

			return nil, nil //nolint:nilnil // no body
		})
	}))
}

func TestMain(m *testing.M) { moduletest.Share(m, bells()) }

// What a robot does goes through all that a stranger's request goes through; what asks to come again is an error, so that its job is tried again.
func TestCaller_IsTreatedAsAStranger(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, []module.Module{bells()}, func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var caller *outsider.Caller
		boot(moduletest.With(fx.Populate(&caller)))
		for body, want := range map[string]int{`{"times": 1}`: http.StatusNoContent, `{"times": 9}`: http.StatusUnprocessableEntity, `{"times": 1, "loud": true}`: http.StatusUnprocessableEntity} {
			status, err := caller.Post(t.Context(), "/bells/api/v1/ring", "application/json", []byte(body))
			require.NoError(t, err, body)
			require.Equal(t, want, status, body)
		}
		status, err := caller.Post(t.Context(), "/audit/api/v1/entries", "application/json", nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusNotFound, status)
		_, err = caller.Post(t.Context(), "/bells/api/v1/ring", "application/json", []byte(`{"times": 3}`))
		require.ErrorContains(t, err, "503")
	})
}

func TestCaller_SaysThatNobodyServes(t *testing.T) {
	t.Parallel()
	_, err := outsider.New(&web.API{}).Post(t.Context(), "/", "application/json", nil)
	require.ErrorIs(t, err, outsider.ErrNotServing)
}
