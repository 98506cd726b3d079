package state_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// machines draws tables of up to six states, sound or not.
func machines(t *rapid.T) state.Machine[status] {
	states := []status{"a", "b", "c", "d", "e", "f"}[:rapid.IntRange(1, 6).Draw(t, "states")]
	one := rapid.SampledFrom(states)
	m := state.Machine[status]{Item: "voyages.trip", Initial: states[0]}
	for range rapid.IntRange(0, 10).Draw(t, "steps") {
		m.Steps = append(m.Steps, state.Step[status]{
			From: rapid.SliceOfNDistinct(one, 1, len(states), rapid.ID[status]).Draw(t, "from"),
			Verb: rapid.SampledFrom([]string{"go", "stop", "turn"}).Draw(t, "verb"),
			To:   one.Draw(t, "to"),
		})
	}
	for _, s := range states {
		if rapid.Bool().Draw(t, "final") {
			m.Final = append(m.Final, s)
		}
	}

	return m
}

func TestValidate_AcceptsOnlyTablesInWhichEveryWalkCanGoOnOrIsAtAnEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := machines(t)
		if m.Validate() != nil {
			return
		}
		current, visited := m.Initial, []status{m.Initial}
		for range 30 {
			allowed, err := m.Allowed(context.Background(), nil, current, nil, principal.Principal{}) //nolint:usetesting // rapid has none
			require.NoError(t, err)
			require.Equal(t, slices.Contains(m.Final, current), len(allowed) == 0, "a walk ends in a final state, and only there")
			if len(allowed) == 0 {
				break
			}
			verbs := map[string]bool{}
			for _, step := range allowed {
				require.False(t, verbs[step.Verb], "a verb leads to one state")
				verbs[step.Verb] = true
			}
			current = rapid.SampledFrom(allowed).Draw(t, "step").To
			visited = append(visited, current)
		}
		for _, s := range visited {
			require.Contains(t, m.States(), s)
		}
	})
}

func TestObserve_NeverMovesBackWhateverTheOrderOfEvents(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, area(), func(t *testing.T, a *moduletest.App) {
		ctx := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		log := state.NewLog(a.DB, clockOf(), a.Audit)
		m, order := lifecycle(), []status{draft, posted, moving, delivered}
		rapid.Check(t, func(rt *rapid.T) {
			id, current := uuid.New(), draft
			best := 0
			events := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 6).Draw(rt, "events")
			require.NoError(rt, a.DB.InTx(ctx, func(ctx context.Context) error {
				current, best = draft, 0
				for _, event := range events {
					next, moved, err := m.Observe(ctx, log, current, order[event], state.Move{UUID: id, Verb: "event"})
					require.NoError(rt, err)
					require.Equal(rt, event > best, moved, "late and repeated events do nothing")
					best, current = max(best, event), next
					require.Equal(rt, order[best], current)
				}

				return nil
			}))
			history, err := log.History(ctx, m.Item, id)
			require.NoError(rt, err)
			last := string(draft)
			for _, h := range history {
				require.Equal(rt, last, h.From)
				last = h.To
			}
			require.Equal(rt, string(current), last)
		})
	})
}
