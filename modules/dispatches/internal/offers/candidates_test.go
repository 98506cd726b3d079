package offers

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

func TestRefusal_SaysWhyACarrierIsNotOfferedALoad(t *testing.T) {
	t.Parallel()
	hauler, other := uuid.New(), uuid.New()
	eligible := carriersapi.Verdict{Carrier: hauler.String(), Eligible: true}
	blocked := carriersapi.Verdict{Carrier: hauler.String(), Blockers: []carriersapi.Finding{{Code: "insurance_expired"}}}
	prospect := carriersapi.Verdict{Carrier: hauler.String(), Blockers: []carriersapi.Finding{{Code: "prospect"}}}
	unwanted := errs.New(errs.Conflict, "loads.unwanted", "The customer does not want this carrier.")
	open := func(carrier uuid.UUID) knownOfLoad { return knownOfLoad{open: []store.Offer{{Carrier: carrier}}} }
	cancelled := func(by store.DispatchState) knownOfLoad {
		return knownOfLoad{cancelled: []store.Dispatch{{Carrier: hauler, State: by}}}
	}
	for name, one := range map[string]struct {
		known    knownOfLoad
		verdict  carriersapi.Verdict
		override bool
		want     *errs.Error
	}{
		"nothing is against it":               {verdict: eligible},
		"it is blocked":                       {verdict: blocked, want: store.ErrIneligible},
		"it is blocked, with a reason":        {verdict: blocked, override: true},
		"a prospect":                          {verdict: prospect},
		"it has an open offer":                {known: open(hauler), verdict: eligible, want: store.ErrOfferOpen},
		"it has an open offer, with a reason": {known: open(hauler), verdict: eligible, override: true, want: store.ErrOfferOpen},
		"another one has an open offer":       {known: open(other), verdict: eligible},
		"it gave the load back":               {known: cancelled(store.CancelledByCarrier), verdict: eligible, want: errBounced},
		"it gave it back, with a reason":      {known: cancelled(store.CancelledByCarrier), verdict: eligible, override: true},
		"the load was taken from it":          {known: cancelled(store.CancelledByBroker), verdict: eligible},
		"it did not show up": {
			known:   knownOfLoad{cancelled: []store.Dispatch{{Carrier: hauler, State: store.CancelledByBroker, Responsible: store.Carrier}}},
			verdict: eligible, want: errBounced,
		},
		"its customer does not want it": {
			known: knownOfLoad{unwanted: map[string]error{hauler.String(): unwanted}}, verdict: eligible, override: true, want: unwanted,
		},
	} {
		require.Same(t, one.want, one.known.refusal(hauler, one.verdict, one.override), name)
	}
}

func TestOffer_IsAsTheRequestTheLoadAndTheSettingsSay(t *testing.T) {
	t.Parallel()
	load := loadsapi.Standing{CarrierPay: "900.00", Currency: "USD"}
	terms := preferences.Preferences{OfferMinutes: 240, NextMinutes: 30}
	of := func(change func(in *createOffersInput)) store.Offer {
		in := &createOffersInput{}
		change(in)

		return in.offer(load, terms)
	}
	plain := of(func(*createOffersInput) {})
	require.Equal(t, []any{"direct", "900.00", "USD", int64(240)}, []any{plain.Mode, string(plain.Amount), string(plain.Currency), plain.Minutes})
	sequence := of(func(in *createOffersInput) { in.Body.Mode = "sequential" })
	require.Equal(t, int64(30), sequence.Minutes, "each carrier of a sequence has less time")
	named := of(func(in *createOffersInput) {
		in.Body.Mode, in.Body.Amount, in.Body.Minutes = "sequential", "950.00", 60
	})
	require.Equal(t, []any{"950.00", int64(60)}, []any{string(named.Amount), named.Minutes})
	require.NotEqual(t, plain.Batch, sequence.Batch)
}

func TestStandingOf_IsTheStrongestStateOfTheOffers(t *testing.T) {
	t.Parallel()
	for want, states := range map[loadsapi.Offers][]store.OfferState{
		loadsapi.NoOffers:        {store.Queued, store.Withdrawn, store.Superseded},
		loadsapi.OffersDeclined:  {store.Declined, store.Withdrawn},
		loadsapi.OffersOut:       {store.Declined, store.Offered, store.Expired},
		loadsapi.OffersCountered: {store.Offered, store.Countered, store.Declined},
	} {
		require.Equal(t, want, standingOf(states))
	}
	require.Equal(t, loadsapi.OffersDeclined, standingOf([]store.OfferState{store.Expired}))
	require.Equal(t, loadsapi.NoOffers, standingOf(nil))
}
