package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/money"
)

func TestCounter_GivesTheTurnToTheOtherParty(t *testing.T) {
	t.Parallel()
	const rounds = 2
	o := offered()
	for _, step := range []struct {
		party  string
		amount money.Amount
		turn   string
	}{
		{store.Carrier, "990.00", store.Broker},
		{store.Broker, "950.00", store.Carrier},
		{store.Carrier, "980.00", store.Broker},
		{store.Broker, "960.00", store.Carrier},
	} {
		p := store.Proposal{Party: step.party, Amount: step.amount}
		require.NoError(t, o.Counter(p, rounds))
		o.Record(t.Context(), "counter", o.Current(p), noon)
		require.Equal(t, []any{step.amount, step.turn}, []any{o.Amount, o.Turn})
	}
	require.ErrorIs(t, o.Counter(store.Proposal{Party: store.Carrier, Amount: "975.00"}, rounds), store.ErrNoRoundsLeft)
	require.Equal(t, []any{5, money.Amount("960.00")}, []any{len(o.Transactions.V), o.Transactions.V[4].Amount})
}

func TestCounter_RefusesWhatChangesNothing(t *testing.T) {
	t.Parallel()
	revised := offered(store.Transaction{Type: "revise", Party: store.System, Changes: []loadview.Change{{Field: "vehicles"}}})
	for name, one := range map[string]struct {
		offer    store.Offer
		proposal store.Proposal
		want     error
	}{
		"nothing named":                       {offered(), store.Proposal{Party: store.Carrier}, store.ErrNothingChanged},
		"the same amount":                     {offered(), store.Proposal{Party: store.Carrier, Amount: "900.00"}, store.ErrNothingChanged},
		"the same days":                       {offered(), store.Proposal{Party: store.Carrier, Pickup: "2026-12-03"}, store.ErrNothingChanged},
		"another day":                         {offered(), store.Proposal{Party: store.Carrier, Pickup: "2026-12-04"}, nil},
		"another amount":                      {offered(), store.Proposal{Party: store.Carrier, Amount: "900.01"}, nil},
		"the company, of a load as it was":    {offered(), store.Proposal{Party: store.Broker}, store.ErrNothingChanged},
		"the company, of a load that changed": {revised, store.Proposal{Party: store.Broker}, nil},
		"the carrier, of a load that changed": {revised, store.Proposal{Party: store.Carrier}, store.ErrNothingChanged},
		"an amount that cannot be paid":       {offered(), store.Proposal{Party: store.Carrier, Amount: "0.00"}, store.ErrInvalidOffer},
		"a delivery before the pickup":        {offered(), store.Proposal{Party: store.Carrier, Delivery: "2026-12-01"}, store.ErrInvalidOffer},
	} {
		require.ErrorIs(t, one.offer.Counter(one.proposal, 10), one.want, name)
	}
	o := offered()
	require.ErrorIs(t, o.Counter(store.Proposal{Party: store.Carrier, Amount: "950.00"}, 0), store.ErrNoRoundsLeft, "a company that takes no counters")
}

func TestRecord_KeepsWhoAnsweredFirstAndFromWhereLast(t *testing.T) {
	t.Parallel()
	o := offered()
	o.Record(t.Context(), "extend", store.Proposal{Party: store.Broker}, noon)
	require.Nil(t, o.AnsweredAt, "the company does not answer itself")
	o.Record(t.Context(), "counter", store.Proposal{Party: store.Carrier, Address: "192.0.2.1"}, noon)
	o.Record(t.Context(), "accept", store.Proposal{Party: store.Carrier, Address: "192.0.2.2"}, *at(1))
	o.Record(t.Context(), "late_response", store.Proposal{Party: store.Carrier}, *at(2))
	require.Equal(t, noon, *o.AnsweredAt)
	require.Equal(t, "192.0.2.2", o.AnsweredFrom)
	require.Equal(t, []any{5, 5}, []any{len(o.Transactions.V), o.Transactions.V[4].N})
}

func TestRecord_LeavesTheTransactionsOfACopy(t *testing.T) {
	t.Parallel()
	o := offered()
	was := o
	o.Record(t.Context(), "counter", store.Proposal{Party: store.Carrier}, noon)
	require.Len(t, was.Transactions.V, 1)
}

func TestEnd_TakesTheTurnAndSaysWhy(t *testing.T) {
	t.Parallel()
	o := offered()
	o.End(t.Context(), "supersede", "Another carrier has the load.", noon)
	require.Equal(t, []any{"", "Another carrier has the load."}, []any{o.Turn, o.EndReason})
	last := o.Transactions.V[1]
	require.Equal(t, []any{"supersede", store.System, "Another carrier has the load."}, []any{last.Type, last.Party, last.Note})
}
