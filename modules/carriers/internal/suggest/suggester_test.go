package suggest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
)

func TestCovers_ComparesAmounts(t *testing.T) {
	t.Parallel()
	require.Nil(t, covers(""), "no value is declared")
	covered := covers("90000.00")
	for cover, want := range map[string]bool{"90000.00": true, "250000.00": true, "100000": true, "89999.99": false, "": false} {
		require.Equal(t, want, covered(cover), cover)
	}
}

func TestRanked_IsEnclosedByItsKindToo(t *testing.T) {
	t.Parallel()
	c := &store.Carrier{LegalName: "One", Signed: "2026-01-05"}
	c.Equipment.V = []store.Equipment{{Kind: "enclosed", Slots: 6}, {Kind: "open", Slots: 9}, {Kind: "wedge", Slots: 3, Enclosed: true}}
	got := ranked(c, store.Record{Open: 1, Confirmed: 2, Bounces: 1}, "2026-12-09")
	require.Equal(t, []Equipment{{6, true}, {9, false}, {3, true}}, got.Equipment)
	require.Equal(t, []any{"unknown", true, 3, 1, ""}, []any{got.Compliance, got.Agreement, got.Incidents, got.Bounces, got.CargoCover})
}

func TestPlace_IsComparedInCapitals(t *testing.T) {
	t.Parallel()
	require.Equal(t, Place{State: "TX", ZIP: "K1A"}, laneEnd{State: "tx", ZIP: " k1a "}.place())
}
