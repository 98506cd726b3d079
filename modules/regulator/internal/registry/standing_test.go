package registry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
)

const now regulatorapi.Date = "2026-11-24"

func bipd(policy string, effective regulatorapi.Date, amount regulatorapi.Dollars) filing {
	return filing{Filing: regulatorapi.Filing{Kind: regulatorapi.Liability, Policy: policy, Effective: effective, Amount: &amount, Source: "motus.insur"}}
}

func fromLegacy(f filing) filing {
	f.Source = "legacy.actpendinsur"

	return f
}

func TestStanding_OfTheSetsToday(t *testing.T) { //nolint:funlen // a table
	t.Parallel()
	end := func(policy string, reason string, ends regulatorapi.Date) ending {
		return ending{kind: regulatorapi.Liability, policy: policy, effective: "2026-06-01", reason: reason, ends: ends}
	}
	whole := asked{
		current: regulatorapi.Source{Name: "motus.insur", Outcome: regulatorapi.Rows}, ends: regulatorapi.Source{Name: "motus.inshist", Outcome: regulatorapi.None},
		legacy: regulatorapi.Source{Name: "legacy.actpendinsur", Outcome: regulatorapi.None}, live: regulatorapi.Source{Name: "qcmobile", Outcome: regulatorapi.Rows},
	}
	cases := map[string]struct {
		current []filing
		ends    []ending
		legacy  []filing
		live    onFile
		asked   asked

		policies []string
		outcome  regulatorapi.Outcome
		amount   *regulatorapi.Dollars
		cancels  regulatorapi.Date
	}{
		"nothing anywhere": {asked: whole, outcome: regulatorapi.None, amount: new(regulatorapi.Dollars(0))},
		"nothing, but a set was not read": {
			asked:   asked{current: whole.current, ends: whole.ends, legacy: regulatorapi.Source{Name: "legacy.actpendinsur", Outcome: regulatorapi.Unavailable}},
			outcome: regulatorapi.Unavailable,
		},
		"a filing": {current: []filing{bipd("A1", "2026-06-01", 750_000)}, asked: whole, policies: []string{"A1"}, outcome: regulatorapi.Rows, amount: new(regulatorapi.Dollars(750_000))},
		"primary and excess": {
			current: []filing{bipd("A1", "2026-06-01", 750_000), {Filing: regulatorapi.Filing{Kind: regulatorapi.Liability, Policy: "X", Effective: "2026-06-02", Excess: true, Amount: new(regulatorapi.Dollars(250_000)), Source: "motus.insur"}}},
			asked:   whole, policies: []string{"A1", "X"}, outcome: regulatorapi.Rows, amount: new(regulatorapi.Dollars(1_000_000)),
		},
		"cancelled": {
			current: []filing{bipd("A1", "2026-06-01", 750_000)}, ends: []ending{end("a-1", "CANCEL", "2026-10-01")}, asked: whole, outcome: regulatorapi.None, amount: new(regulatorapi.Dollars(0)),
		},
		"cancelled today": {
			current: []filing{bipd("A1", "2026-06-01", 750_000)}, ends: []ending{end("A1", "CANCEL", now)}, asked: whole, outcome: regulatorapi.None, amount: new(regulatorapi.Dollars(0)),
		},
		"cancelled without a day": {
			current: []filing{bipd("A1", "2026-06-01", 750_000)}, ends: []ending{end("A1", "CANCEL", "")}, asked: whole, outcome: regulatorapi.None, amount: new(regulatorapi.Dollars(0)),
		},
		"cancelled for a later day": {
			current: []filing{bipd("A1", "2026-06-01", 750_000)}, ends: []ending{end("A1", "CANCEL", "2026-12-10")}, asked: whole,
			policies: []string{"A1"}, outcome: regulatorapi.Rows, amount: new(regulatorapi.Dollars(750_000)), cancels: "2026-12-10",
		},
		"replaced on a later day": {
			current: []filing{bipd("A1", "2026-06-01", 750_000), bipd("B2", "2026-12-10", 750_000)}, ends: []ending{end("A1", "TERM/REPL", "2026-12-10")}, asked: whole,
			policies: []string{"A1"}, outcome: regulatorapi.Rows, amount: new(regulatorapi.Dollars(750_000)),
		},
		"another name of the insurer": {
			current: []filing{bipd("A1", "2026-06-01", 750_000)}, ends: []ending{end("A1", "NAMECHG", "2026-07-01")}, asked: whole,
			policies: []string{"A1"}, outcome: regulatorapi.Rows, amount: new(regulatorapi.Dollars(750_000)),
		},
		"the end of another filing": {
			current: []filing{bipd("A1", "2026-06-01", 750_000)}, ends: []ending{end("A2", "CANCEL", "2026-07-01")}, asked: whole,
			policies: []string{"A1"}, outcome: regulatorapi.Rows, amount: new(regulatorapi.Dollars(750_000)),
		},
		"the old set alone, and nobody to ask": {
			legacy: []filing{fromLegacy(bipd("P77", "2025-01-15", 750_000))}, asked: whole, policies: []string{"P77"}, outcome: regulatorapi.Unavailable, amount: new(regulatorapi.Dollars(750_000)),
		},
		"the old set, and the live answer has it": {
			legacy: []filing{fromLegacy(bipd("P77", "2025-01-15", 750_000))}, live: onFile{regulatorapi.Liability: new(regulatorapi.Dollars(1_000_000))}, asked: whole,
			policies: []string{"P77"}, outcome: regulatorapi.Rows, amount: new(regulatorapi.Dollars(1_000_000)),
		},
		"the old set, and the live answer has nothing": {
			legacy: []filing{fromLegacy(bipd("P77", "2025-01-15", 750_000))}, live: onFile{regulatorapi.Liability: new(regulatorapi.Dollars(0))}, asked: whole, outcome: regulatorapi.None, amount: new(regulatorapi.Dollars(0)),
		},
		"the old set, ended in the new one": {
			legacy: []filing{fromLegacy(bipd("P77", "2026-06-01", 750_000))}, ends: []ending{end("P77", "CANCEL", "2026-09-01")}, asked: whole, outcome: regulatorapi.None, amount: new(regulatorapi.Dollars(0)),
		},
		"the old set, followed by a newer filing": {
			legacy: []filing{fromLegacy(bipd("P77", "2025-01-15", 750_000))}, current: []filing{bipd("A1", "2026-06-01", 1_000_000)}, asked: whole,
			policies: []string{"A1"}, outcome: regulatorapi.Rows, amount: new(regulatorapi.Dollars(1_000_000)),
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stand, later := standing(c.current, c.ends, c.legacy, c.live, now)
			var policies []string
			for _, f := range stand {
				policies = append(policies, f.Policy)
			}
			require.Equal(t, c.policies, policies)
			on := sum(stand, later, c.live, c.asked, regulatorapi.Liability)
			require.Equal(t, c.outcome, on.Outcome)
			require.Equal(t, c.amount, on.Amount)
			require.Equal(t, c.cancels, on.Cancels)
			require.Equal(t, c.outcome == regulatorapi.Unavailable, on.Why != "")
		})
	}
}

func TestDollars_ReadsThousandsAndWholeAmounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]regulatorapi.Dollars{"00750": 750_000, "1000": 1_000_000, "75000": 75_000, "$1,000,000": 1_000_000, "0": 0, "75": 75_000} {
		require.Equal(t, &want, dollars(text), text)
	}
	for _, text := range []string{"", "none", "-1", "NaN", "1e300"} {
		require.Nil(t, dollars(text), text)
	}
}

func TestDay_ReadsEveryWayInWhichSetsWriteDays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"20261124", "11/24/2026", "2026-11-24", "20261124 1530", "2026-11-24T00:00:00.000"} {
		require.Equal(t, now, day(text), text)
	}
	for _, text := range []string{"", "00000000", "20261399", "24/11/2026", "soon"} {
		require.Empty(t, day(text), text)
	}
}

func TestSandbox_HasAnExampleOfEveryCase(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	box := newSandbox()
	facts := func(c SandboxCase) regulatorapi.Facts { return assemble(box.gather(SandboxUSDOT(c), at), today(at)) }

	usual := facts(CaseEligible)
	require.True(t, *usual.Operation.Allowed)
	require.True(t, *usual.Authority.Property)
	require.False(t, *usual.Authority.Broker)
	require.Equal(t, regulatorapi.Rows, usual.Insurance.Liability.Outcome)
	require.Equal(t, new(regulatorapi.Dollars(1_000_000)), usual.Insurance.Liability.Amount)
	require.Equal(t, regulatorapi.None, usual.Insurance.Cargo.Outcome, "cargo is on nobody's file, which is normal")
	require.True(t, usual.Identity.CarHauler())
	require.Less(t, usual.Authority.EarliestGrant, regulatorapi.Date("2020-06-01"))

	require.False(t, *facts(CaseNotAllowed).Operation.Allowed)
	require.Equal(t, regulatorapi.StatusInactive, facts(CaseInactive).Operation.Status)
	require.NotEmpty(t, facts(CaseOutOfService).Operation.OutOfServiceDate)
	require.False(t, *facts(CaseNoAuthority).Authority.Property)
	require.Nil(t, facts(CaseAuthorityUnknown).Authority.Property)
	broker := facts(CaseBrokerOnly)
	require.True(t, *broker.Authority.Broker)
	require.False(t, *broker.Authority.Property)
	require.Equal(t, regulatorapi.Date("2026-11-29"), facts(CasePendingRevocation).Authority.PendingSuspension.Effective)
	require.Equal(t, regulatorapi.Date("2026-11-12"), facts(CaseAuthorityVeryYoung).Authority.EarliestGrant)
	require.Equal(t, regulatorapi.Date("2026-08-07"), facts(CaseAuthorityYoung).Authority.EarliestGrant)
	require.Equal(t, regulatorapi.Date("1978-03-14"), facts(CaseCorrection).Authority.EarliestGrant)
	require.Equal(t, 860, facts(CaseReinstated).Authority.SleptDays)
	require.Equal(t, new(regulatorapi.Dollars(300_000)), facts(CaseBIPDLow).Insurance.Liability.Amount)
	require.Equal(t, regulatorapi.None, facts(CaseBIPDNone).Insurance.Liability.Outcome)
	require.Equal(t, regulatorapi.Date("2026-12-12"), facts(CaseBIPDCancelling).Insurance.Liability.Cancels)
	require.Empty(t, facts(CaseBIPDReplaced).Insurance.Liability.Cancels)
	require.Equal(t, regulatorapi.Unavailable, facts(CaseBIPDUnconfirmed).Insurance.Liability.Outcome)
	require.Equal(t, "unsatisfactory", facts(CaseUnsatisfactory).Safety.Rating)
	require.Equal(t, "conditional", facts(CaseConditional).Safety.Rating)
	require.InDelta(t, 45, *facts(CaseOOSRate).Inspections.Vehicle.Percent, 0.1)
	require.False(t, facts(CaseNotCarHauler).Identity.CarHauler())
	two := facts(CaseTwoDockets).Authority
	require.Equal(t, []regulatorapi.DocketStatus{{Number: "MC-990026", Status: regulatorapi.StatusActive}, {Number: "MC-880026", Status: regulatorapi.StatusInactive}}, two.Dockets)
	require.True(t, *facts(CaseAlsoBroker).Authority.Broker)
	require.Equal(t, 4, facts(CaseShared).Sharing.Phone)
	require.False(t, *facts(CaseIntrastate).Operation.Interstate)
	require.Equal(t, regulatorapi.Unavailable, facts(CaseUnavailable).Identity.Source.Outcome)
	require.Len(t, SandboxCases(), 30)
}

func TestStanding_EndsWithTheDayWhereTheRegulatorIs(t *testing.T) {
	t.Parallel()
	ends := []ending{{kind: regulatorapi.Liability, policy: "A1", effective: "2026-06-01", reason: "CANCEL", ends: "2026-12-01"}}
	for at, stands := range map[string]bool{
		"2026-11-30T23:59:00Z": true,
		"2026-12-01T00:30:00Z": true, // still 30 November in Washington
		"2026-12-01T04:59:00Z": true,
		"2026-12-01T05:00:00Z": false,
	} {
		now, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		stand, _ := standing([]filing{bipd("A1", "2026-06-01", 750_000)}, ends, nil, onFile{}, today(now))
		require.Equal(t, stands, len(stand) == 1, at)
	}
}

func TestStanding_AFilingThatIsFiledAgainAfterItsEndIsReinstated(t *testing.T) {
	t.Parallel()
	again, ended := bipd("A1", "2026-06-01", 750_000), bipd("B2", "2026-06-01", 750_000)
	again.sent, ended.sent = "2026-10-15", "2026-05-20"
	ends := []ending{
		{kind: regulatorapi.Liability, policy: "A1", effective: "2026-06-01", reason: "CANCEL", ends: "2026-10-01"},
		{kind: regulatorapi.Liability, policy: "B2", effective: "2026-06-01", reason: "CANCEL", ends: "2026-10-01"},
	}
	stand, _ := standing([]filing{again, ended}, ends, nil, nil, now)
	require.Len(t, stand, 1)
	require.Equal(t, "A1", stand[0].Policy)
}
