package resource_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

func TestChange_ByAVerbOfTheLifeTakesItsStep(t *testing.T) {
	t.Parallel()
	eachKeeper(t, func(t *testing.T, a *moduletest.App, k kept) {
		t.Helper()
		ctx := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		id := uuid.MustParse(a.Call(t, a.Owner.Token, http.MethodPost, gates, object{"name": "East"}).OK(t).Get("uuid").String())
		shut := func(do func(ctx context.Context, g *gate) error) (gate, error) {
			return k.gates.Change(ctx, id, web.IfMatch{}, "shut", do)
		}

		_, err := shut(func(_ context.Context, g *gate) error {
			g.Lanes = 3

			return nil
		})
		require.ErrorContains(t, err, `a change of a yard.gate by the verb "shut" of its life takes no step`)
		require.Empty(t, a.EventNames(t, a.Owner), "nothing is said to have happened")

		same, err := shut(func(context.Context, *gate) error { return nil })
		require.NoError(t, err, "nothing was changed")
		require.Equal(t, int64(1), same.Version)

		now, err := shut(func(ctx context.Context, g *gate) error {
			g.Lanes = 3

			return k.gates.Step(ctx, g, state.Move{Verb: "shut"})
		})
		require.NoError(t, err)
		require.Equal(t, status("shut"), now.State)
		require.Equal(t, []string{"yard.gate.shut"}, a.EventNames(t, a.Owner))
	})
}
