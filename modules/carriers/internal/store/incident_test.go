package store

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

func TestRecord_CountsWhatWasNotDismissed(t *testing.T) {
	t.Parallel()
	one, other := uuid.New(), uuid.New()
	records := recordsOf([]counted{
		{one, "damage", "open", false, 2},
		{one, "bounce", "open", false, 1},
		{one, "no_show", "confirmed", true, 3},
		{one, "late", "closed", true, 1},
		{one, "bounce", "dismissed", false, 5},
		{one, "bounce", "closed", false, 7}, // dismissed before
		{other, "fraud", "dismissed", false, 1},
	})
	require.Equal(t, Record{Open: 3, Confirmed: 4, Bounces: 4}, records[one])
	require.Zero(t, records[other])
	var own verdict.Own
	records[one].Facts(&own)
	require.Equal(t, []int{3, 4, 4}, []int{own.OpenIncidents, own.ConfirmedIncidents, own.Bounces})
}

func TestIncident_BansAfterFraudAlone(t *testing.T) {
	t.Parallel()
	for kind, bans := range map[string]bool{
		"double_brokered": true, "fraud": true, "no_show": false, "late": false, "held_hostage": false, "damage": false, "bounce": false, "other": false,
	} {
		require.Equal(t, bans, Incident{Kind: kind}.Bans(), kind)
	}
}

func TestKeepConfirmed_GuardsWhatABanStandsOn(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		verb      resource.Verb
		confirmed bool
		refused   bool
	}{
		"an open one is deleted":     {resource.Delete, false, false},
		"a confirmed one is deleted": {resource.Delete, true, true},
		"a confirmed one is changed": {resource.Update, true, false},
	} {
		row := Incident{}
		if one.confirmed {
			row.ConfirmedAt = &noon
		}
		c := resource.Change[Incident]{Verb: one.verb, Before: &row, After: &row}
		if one.refused {
			require.ErrorIs(t, keepConfirmed(as(t, "carriers:write"), nil, c), principal.ErrScopeMissing, name)
		} else {
			require.NoError(t, keepConfirmed(as(t, "carriers:write"), nil, c), name)
		}
		require.NoError(t, keepConfirmed(as(t, "carriers:override"), nil, c), name)
	}
}
