package state_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

type status string

const (
	draft     status = "draft"
	posted    status = "posted"
	moving    status = "moving"
	delivered status = "delivered"
	cancelled status = "cancelled"
)

var errNoStops = errs.New(errs.Conflict, "voyages.no_stops", "The trip has no stops.")

// lifecycle is the table of the tests.
func lifecycle() state.Machine[status] {
	return state.Machine[status]{
		Item: "voyages.trip", Initial: draft, Final: []status{delivered, cancelled},
		Steps: []state.Step[status]{
			{From: []status{draft}, Verb: "post", To: posted, Guard: state.NewGuard("it has stops", hasStops)},
			{From: []status{posted}, Verb: "start", To: moving, Who: state.Who{Kinds: []principal.Kind{principal.System, principal.User}}},
			{From: []status{moving}, Verb: "deliver", To: delivered},
			{From: []status{posted}, Verb: "withdraw", To: draft, Reasoned: true},
			{From: []status{draft, posted}, Verb: "cancel", To: cancelled, Who: state.Who{Scope: "cancel"}},
		},
		Order: [][]status{{draft}, {posted}, {moving}, {delivered, cancelled}},
	}
}

func hasStops(_ context.Context, t trip) error {
	if t.Stops == 0 {
		return errNoStops
	}

	return nil
}

func TestValidate_ReportsEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	require.NoError(t, lifecycle().Validate())
	tests := map[string]func(*state.Machine[status]){
		`nothing leads to "lost"`: func(m *state.Machine[status]) {
			m.Steps = append(m.Steps, state.Step[status]{From: []status{"lost"}, Verb: "find", To: draft})
		},
		`nothing leaves "delivered", which is not final`: func(m *state.Machine[status]) { m.Final = []status{cancelled} },
		`"moving" is final, but something leaves it`:     func(m *state.Machine[status]) { m.Final = append(m.Final, moving) },
		`final state "gone" is not in the table`:         func(m *state.Machine[status]) { m.Final = append(m.Final, "gone") },
		`verb "post" is there twice from "draft"`: func(m *state.Machine[status]) {
			m.Steps = append(m.Steps, state.Step[status]{From: []status{draft}, Verb: "post", To: moving})
		},
		`verb "fly" leads from nowhere to "moving"`: func(m *state.Machine[status]) {
			m.Steps = append(m.Steps, state.Step[status]{Verb: "fly", To: moving})
		},
		`verb "Post it": want lower case`: func(m *state.Machine[status]) { m.Steps[0].Verb = "Post it" },
		`state "": want lower case`:       func(m *state.Machine[status]) { m.Initial = "" },
		`want an item type`:               func(m *state.Machine[status]) { m.Item = "trip" },
		`"draft" is in the order twice`:   func(m *state.Machine[status]) { m.Order = append(m.Order, []status{draft}) },
		`"far" in the order is not in the table`: func(m *state.Machine[status]) {
			m.Order = append(m.Order, []status{"far"})
		},
	}
	for want, change := range tests {
		m := lifecycle()
		m.Steps = slices.Clone(m.Steps)
		change(&m)
		require.ErrorContains(t, m.Validate(), want)
	}
}

func TestMachine_HasOtherStatesThatAThingStartsIn(t *testing.T) {
	t.Parallel()
	m := lifecycle()
	m.Starts = []status{"imported"}
	require.ErrorContains(t, m.Validate(), `nothing leaves "imported", which is not final`)

	m.Steps = append(slices.Clone(m.Steps), state.Step[status]{From: m.Starts, Verb: "check", To: draft})
	require.NoError(t, m.Validate(), "nothing leads to it, but things start there")
	require.Contains(t, m.Mermaid(), "[*] --> imported\n")
}

func TestAllowed_DependsOnTheStateTheCallerAndTheGuards(t *testing.T) {
	t.Parallel()
	user := principal.Principal{Kind: principal.User, Scopes: []string{"voyages:write"}}
	boss := principal.Principal{Kind: principal.User, Scopes: []string{"*"}}
	service := principal.Principal{Kind: principal.Service, Scopes: []string{"voyages:write"}}
	tests := []struct {
		current status
		thing   trip
		who     principal.Principal
		want    []string
	}{
		{draft, trip{Stops: 2}, user, []string{"post"}},
		{draft, trip{Stops: 2}, boss, []string{"post", "cancel"}},
		{draft, trip{}, boss, []string{"cancel"}},
		{posted, trip{}, user, []string{"start", "withdraw"}},
		{posted, trip{}, service, []string{"withdraw"}},
		{delivered, trip{}, boss, nil},
		{"unheard_of", trip{}, boss, nil},
	}
	log := state.NewLog(nil, clockOf(), nil)
	for _, test := range tests {
		allowed, err := lifecycle().Allowed(t.Context(), log, test.current, test.thing, test.who)
		require.NoError(t, err)
		var verbs []string
		for _, step := range allowed {
			verbs = append(verbs, step.Verb)
		}
		require.Equal(t, test.want, verbs, "%s %s", test.current, test.who.Kind)
	}
	_, err := lifecycle().Allowed(t.Context(), log, draft, "no trip", boss)
	require.ErrorContains(t, err, `guard "it has stops": want a state_test.trip, got a string`)
}

func TestMermaid_DrawsTheTable(t *testing.T) {
	t.Parallel()
	drawing := lifecycle().Mermaid()
	require.True(t, strings.HasPrefix(drawing, "stateDiagram-v2\n  [*] --> draft\n  draft --> posted: post [it has stops]\n"), drawing)
	require.Contains(t, drawing, "  posted --> cancelled: cancel\n")
	require.True(t, strings.HasSuffix(drawing, "  delivered --> [*]\n  cancelled --> [*]\n"), drawing)
}

func TestLife_IsCheckedWhenTheServiceIsBuilt(t *testing.T) {
	t.Parallel()
	sound := module.New("voyages", "", state.Life(lifecycle()))
	require.Equal(t, "state.Machine", sound.Contributions()[0].Kind)
	require.Equal(t, "voyages.trip", sound.Contributions()[0].Name)
	require.Equal(t, lifecycle().Mermaid(), module.Values[state.Drawing](sound)[0].Mermaid)
	require.NoError(t, fx.New(fx.NopLogger, sound.Options()).Err())

	broken := lifecycle()
	broken.Final = nil
	err := fx.New(fx.NopLogger, module.New("voyages", "", state.Life(broken)).Options()).Err()
	require.ErrorContains(t, err, `area "voyages": state machine of "voyages.trip": nothing leaves "delivered"`)
	err = fx.New(fx.NopLogger, module.New("loads", "", state.Life(lifecycle())).Options()).Err()
	require.ErrorContains(t, err, "is another area's")
}
