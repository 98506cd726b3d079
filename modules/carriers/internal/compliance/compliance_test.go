package compliance

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
)

func TestDayOf_IsTheDeliveryUnlessItIsPast(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		load *verdict.Load
		want field.Date
	}{
		{nil, "2026-11-30"}, {&verdict.Load{}, "2026-11-30"}, {&verdict.Load{Delivery: "2026-12-09"}, "2026-12-09"}, {&verdict.Load{Delivery: "2026-11-01"}, "2026-11-30"},
	} {
		require.Equal(t, one.want, dayOf(one.load, "2026-11-30"))
	}
}

func TestKnown_AddsWhatTheCompanyKnowsToTheRow(t *testing.T) {
	t.Parallel()
	c := &store.Carrier{Email: "office@one.example"}
	c.ID = uuid.New()
	c.Insurance.V = []store.Policy{{Kind: "cargo", Cover: "250000.00", Effective: "2026-12-05", Expires: "2027-12-04", Verified: "2026-11-01"}}
	k := known{
		remitTos: map[uuid.UUID]remit.Standing{c.ID: {Effective: &remit.Change{}, Pending: &remit.Change{}}},
		records:  map[uuid.UUID]store.Record{c.ID: {Open: 1}},
		contacts: map[uuid.UUID][]string{c.ID: {"packet@one.example", "+12145550143"}},
	}
	own := k.own(c, "2026-12-09")
	require.Equal(t, []string{"office@one.example", "packet@one.example"}, own.Emails)
	require.Equal(t, []string{"+12145550143"}, own.Phones)
	require.Equal(t, 1, own.OpenIncidents)
	require.True(t, own.RemitToPending)
	require.Equal(t, field.Date("2027-12-04"), own.Cargo.Expires)
	require.Empty(t, k.own(c, "2026-12-04").Cargo.Expires, "the certificate has not begun")
	require.Zero(t, k.own(&store.Carrier{}, "2026-12-09").OpenIncidents, "another carrier")
}

func TestChangeOf_IsAnotherStatusThanBefore(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	v := verdict.Verdict{
		Status: verdict.Blocked, CheckedAt: at,
		Blockers: []verdict.Finding{{Code: "no_authority"}}, Warnings: []verdict.Finding{{Code: "w9_missing"}}, Notes: []verdict.Finding{{Code: "also_broker"}},
	}
	c := &store.Carrier{}
	c.ID = uuid.New()
	change, is := changeOf(c, v)
	require.True(t, is)
	require.Equal(t, []any{c.ID, at, "unknown", "blocked", "no_authority w9_missing"}, []any{change.CarrierID, change.At, change.FromStatus, change.ToStatus, change.Codes})
	require.Equal(t, []events.Event{
		carriersapi.ComplianceChanged{Carrier: c.ID.String(), From: "unknown", To: "blocked", Codes: []string{"no_authority", "w9_missing"}},
	}, reportsOf([]store.VerdictChange{change}))
	c.Compliance = "blocked"
	_, is = changeOf(c, verdict.Verdict{Status: verdict.Blocked})
	require.False(t, is, "other findings of the same status are no change")
	clean, _ := changeOf(c, verdict.Verdict{Status: verdict.Eligible})
	require.Equal(t, []string{}, reportsOf([]store.VerdictChange{clean})[0].(carriersapi.ComplianceChanged).Codes, "none, rather than null") //nolint:forcetypeassert // it is
}

func TestBatches_CheckEachCarrierOnce(t *testing.T) {
	t.Parallel()
	ids := make([]uuid.UUID, recheckBatch+1)
	for i := range ids {
		ids[i] = uuid.New()
	}
	var checked []uuid.UUID
	all := batches(slices.Concat(ids, ids[:10]))
	require.Len(t, all, 2)
	for _, job := range all {
		checked = append(checked, job.Args.(Recheck).Carriers...) //nolint:forcetypeassert // it is
	}
	require.ElementsMatch(t, ids, checked)
	require.Empty(t, batches(nil))
}

func TestLine_LeavesOutWhatTheRecordLacks(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]regulatorapi.Address{
		"1 Main St, Dallas, TX 75201": {Street: "1 Main St", City: "Dallas", State: "TX", ZIP: "75201"},
		"Dallas, TX":                  {City: "Dallas", State: "TX"},
		"75201":                       {ZIP: "75201"},
		"":                            {},
	} {
		require.Equal(t, want, line(a))
	}
}

func TestShownVerdict_SaysWhichFindingsWereOverridden(t *testing.T) {
	t.Parallel()
	v := shownVerdict(uuid.Nil, verdict.Verdict{Eligible: true, Status: verdict.Warned, Warnings: []verdict.Finding{
		{Code: "cargo_low", Override: &verdict.Override{Reason: "Known."}}, {Code: "w9_missing"},
	}})
	require.Equal(t, []carriersapi.Finding{{Code: "cargo_low", Overridden: true}, {Code: "w9_missing"}}, v.Warnings)
	require.Equal(t, []any{true, "warned", []carriersapi.Finding{}}, []any{v.Eligible, v.Status, v.Blockers})
}
