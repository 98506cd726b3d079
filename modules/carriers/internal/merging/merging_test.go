package merging

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/rulebook"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/merge"
	"github.com/dispatchd/dispatchd/platform/resource"
)

func TestSuperseded_IsWhatTheOtherCarrierHasItself(t *testing.T) {
	t.Parallel()
	change := func() *remit.Change {
		c := &remit.Change{}
		c.ID = uuid.New()

		return c
	}
	into, from := remit.Standing{Effective: change(), Pending: change()}, remit.Standing{Effective: change(), Pending: change()}
	require.Equal(t, []uuid.UUID{from.Effective.ID, from.Pending.ID}, superseded(into, from))
	require.Empty(t, superseded(remit.Standing{}, from), "it gets those of the merged carrier")
	require.Empty(t, superseded(into, remit.Standing{}))
	require.Empty(t, superseded(remit.Standing{Pending: change()}, remit.Standing{Effective: change()}))
}

func TestSkipsPapers_KeepsPapersTogether(t *testing.T) {
	t.Parallel()
	file := uuid.New()
	for name, one := range map[string]struct {
		into store.Carrier
		key  string
		want bool
	}{
		"nothing is there":               {store.Carrier{}, "agreement_signed", false},
		"an agreement, another field":    {store.Carrier{Envelope: &file}, "agreement_expires", true},
		"an agreement, and the W-9":      {store.Carrier{Signed: "2026-01-05"}, "w9_received", false},
		"a W-9, another field of it":     {store.Carrier{W9Doc: &file}, "tin_last4", true},
		"papers, and what is none of it": {store.Carrier{Signed: "2026-01-05", W9: "2026-01-05"}, "phone", false},
	} {
		require.Equal(t, one.want, skipsPapers(one.key, one.into, store.Carrier{}), name)
	}
}

func TestUniteCarriers_HasEachEntryOnce(t *testing.T) {
	t.Parallel()
	into, from := store.Carrier{}, store.Carrier{}
	into.People.V = []store.Person{{Name: "Ann", Email: "ann@one.example", Role: "owner"}}
	from.People.V = []store.Person{{Name: "Ann", Email: "ann@one.example", Role: "dispatch"}, {Name: "Ann"}}
	from.Insurance.V = []store.Policy{{Kind: "cargo", Number: "C-1"}}
	from.Lanes.V = []store.Lane{{From: []string{"TX"}, To: []string{"FL"}}}
	values := merge.Values{}
	require.NoError(t, uniteCarriers(into, from, func(key string) bool { return key == "lanes" }, values))
	var people []store.Person
	require.NoError(t, json.Unmarshal(values["people"], &people))
	require.Equal(t, []store.Person{into.People.V[0], {Name: "Ann"}}, people, "a person is a name with its addresses")
	require.Contains(t, string(values["insurance"]), "C-1")
	require.NotContains(t, values, "lanes", "whose value is taken was said")
	require.NotContains(t, values, "equipment")
}

func TestKeepOverrides_StayWithTheCarrierThatTheyAllowed(t *testing.T) {
	t.Parallel()
	merged, into := uuid.New(), uuid.New()
	moved := &resource.Change[rulebook.Override]{Verb: resource.Move, Before: &rulebook.Override{Carrier: merged}, After: &rulebook.Override{Carrier: into}}
	made := &resource.Change[rulebook.Override]{Verb: resource.Create, After: &rulebook.Override{Carrier: into}}
	require.NoError(t, (*Merger)(nil).KeepOverrides(t.Context(), []*resource.Change[rulebook.Override]{moved, made}))
	require.Equal(t, []uuid.UUID{merged, into}, []uuid.UUID{moved.After.Carrier, made.After.Carrier})
}
