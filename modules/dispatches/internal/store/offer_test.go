package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

var noon = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

// at is a time some hours from noon.
func at(hours int) *time.Time {
	t := noon.Add(time.Duration(hours) * time.Hour)

	return &t
}

// offered is an open offer for 900 dollars, on the carrier's turn until two o'clock.
func offered(transactions ...store.Transaction) store.Offer {
	o := store.Offer{
		State: store.Offered, Turn: store.Carrier, Amount: "900.00", Currency: "USD", PickupDate: "2026-12-03", DeliveryDate: "2026-12-06", ExpiresAt: at(2),
	}
	o.Transactions.V = append([]store.Transaction{{
		N: 1, Type: "offer", Party: store.Broker, Amount: "900.00", Pickup: "2026-12-03", Delivery: "2026-12-06",
	}}, transactions...)

	return o
}

func with(o store.Offer, change func(o *store.Offer)) store.Offer {
	change(&o)

	return o
}

func fields(t *testing.T, err error) any {
	t.Helper()
	refusal, is := errors.AsType[*errs.Error](err)
	require.True(t, is, "%v", err)

	return refusal.Details["fields"]
}

func TestOffer_SaysWhyItIsOver(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		offer store.Offer
		want  error
	}{
		"open":                      {offered(), nil},
		"open at the last moment":   {with(offered(), func(o *store.Offer) { o.ExpiresAt = at(0); *o.ExpiresAt = noon.Add(1) }), nil},
		"expired, not yet moved on": {with(offered(), func(o *store.Offer) { o.ExpiresAt = at(0) }), store.ErrOfferExpired},
		"expired":                   {with(offered(), func(o *store.Offer) { o.State = store.Expired }), store.ErrOfferExpired},
		"countered":                 {with(offered(), func(o *store.Offer) { o.State = store.Countered }), nil},
		"another carrier has it":    {with(offered(), func(o *store.Offer) { o.State = store.Superseded }), store.ErrVehicleTaken},
		"withdrawn":                 {with(offered(), func(o *store.Offer) { o.State = store.Withdrawn }), store.ErrNotOpen},
		"declined":                  {with(offered(), func(o *store.Offer) { o.State = store.Declined }), store.ErrNotOpen},
		"accepted":                  {with(offered(), func(o *store.Offer) { o.State = store.Accepted }), store.ErrNotOpen},
	} {
		require.ErrorIs(t, one.offer.Ended(noon), one.want, name)
	}
}

func TestCheckAnswer_IsForThePartyWhoseTurnItIsAndWhatItSaw(t *testing.T) {
	t.Parallel()
	countered := with(offered(store.Transaction{N: 2, Type: "counter", Party: store.Carrier, Amount: "990.00"}), func(o *store.Offer) {
		o.State, o.Turn = store.Countered, store.Broker
	})
	for name, one := range map[string]struct {
		offer    store.Offer
		proposal store.Proposal
		want     error
	}{
		"the carrier answers the offer":        {offered(), store.Proposal{Party: store.Carrier, Shown: 1}, nil},
		"it does not say what it saw":          {offered(), store.Proposal{Party: store.Carrier}, nil},
		"the company waits":                    {offered(), store.Proposal{Party: store.Broker, Shown: 1}, store.ErrNotYourTurn},
		"the carrier has countered":            {countered, store.Proposal{Party: store.Carrier, Shown: 2}, store.ErrNotYourTurn},
		"the company answers an earlier offer": {countered, store.Proposal{Party: store.Broker, Shown: 1}, store.ErrTermsChanged},
		"a key is compared with the load":      {countered, store.Proposal{Party: store.Broker, Shown: 1, Key: "a.b"}, nil},
		"it is over": {
			with(offered(), func(o *store.Offer) { o.State = store.Withdrawn }), store.Proposal{Party: store.Carrier, Shown: 1}, store.ErrNotOpen,
		},
	} {
		require.ErrorIs(t, one.offer.CheckAnswer(one.proposal, noon), one.want, name)
	}
	stale := countered.CheckAnswer(store.Proposal{Party: store.Broker, Shown: 1}, noon)
	require.Equal(t, []string{"amount"}, fields(t, stale), "it names what has changed")
}

func TestCheckAcceptance_LetsTheCompanyAcceptForItsCarrier(t *testing.T) {
	t.Parallel()
	expired := with(offered(), func(o *store.Offer) { o.State = store.Expired })
	late := with(expired, func(o *store.Offer) { o.LateAt = at(1) })
	for name, one := range map[string]struct {
		offer    store.Offer
		proposal store.Proposal
		want     error
	}{
		"on the phone":                       {offered(), store.Proposal{Party: store.Broker, Shown: 1}, nil},
		"on the phone, to earlier terms":     {offered(store.Transaction{N: 2, Type: "extend"}), store.Proposal{Party: store.Broker, Shown: 1}, store.ErrTermsChanged},
		"after a late response":              {late, store.Proposal{Party: store.Broker, Shown: 1}, nil},
		"after a late response, by the link": {late, store.Proposal{Party: store.Carrier, Shown: 1}, store.ErrOfferExpired},
		"expired without a late response":    {expired, store.Proposal{Party: store.Broker, Shown: 1}, store.ErrOfferExpired},
		"another carrier has the load": {
			with(offered(), func(o *store.Offer) { o.State = store.Superseded }), store.Proposal{Party: store.Broker, Shown: 1}, store.ErrVehicleTaken,
		},
	} {
		require.ErrorIs(t, one.offer.CheckAcceptance(one.proposal, noon), one.want, name)
	}
}

func TestCheckAccepted_RefusesOtherTermsThanThoseThatWereShown(t *testing.T) {
	t.Parallel()
	o := offered(
		store.Transaction{N: 2, Type: "counter", Party: store.Carrier, Amount: "990.00"}, store.Transaction{N: 3, Type: "counter", Party: store.Broker, Amount: "950.00"},
		store.Transaction{N: 4, Type: "accept", Party: store.Carrier, Amount: "950.00"},
	)
	for _, again := range []store.Proposal{{}, {Shown: 3}, {Shown: 4}, {Shown: 1, Key: "a"}} {
		require.NoError(t, o.CheckAccepted(again))
	}
	err := o.CheckAccepted(store.Proposal{Shown: 1})
	require.ErrorIs(t, err, store.ErrTermsChanged)
	require.Equal(t, []string{"amount"}, fields(t, err))
}

func TestTakesLateResponse_OnceAndSoonAndToWhatWasShownLast(t *testing.T) {
	t.Parallel()
	expired := with(offered(store.Transaction{N: 2, Type: "expire", Party: store.System}), func(o *store.Offer) { o.State, o.ExpiresAt = store.Expired, at(-1) })
	for name, one := range map[string]struct {
		offer    store.Offer
		proposal store.Proposal
		want     bool
	}{
		"what was shown before it expired":     {expired, store.Proposal{Shown: 1}, true},
		"what is shown since":                  {expired, store.Proposal{Shown: 2}, true},
		"a key is compared with the load":      {expired, store.Proposal{Key: "a"}, true},
		"nothing that is named":                {expired, store.Proposal{}, false},
		"before the job has moved it on":       {with(offered(), func(o *store.Offer) { o.ExpiresAt = at(-1) }), store.Proposal{Shown: 1}, true},
		"after a day":                          {with(expired, func(o *store.Offer) { o.ExpiresAt = at(-25) }), store.Proposal{Shown: 1}, false},
		"within a day":                         {with(expired, func(o *store.Offer) { o.ExpiresAt = at(-24) }), store.Proposal{Shown: 1}, true},
		"a second one":                         {with(expired, func(o *store.Offer) { o.LateAt = at(0) }), store.Proposal{Shown: 1}, false},
		"of an offer that was withdrawn":       {with(expired, func(o *store.Offer) { o.State = store.Withdrawn }), store.Proposal{Shown: 1}, false},
		"of an offer that was never sent":      {with(expired, func(o *store.Offer) { o.ExpiresAt = nil }), store.Proposal{Shown: 1}, false},
		"of an offer that another carrier has": {with(expired, func(o *store.Offer) { o.State = store.Superseded }), store.Proposal{Shown: 1}, false},
	} {
		require.Equal(t, one.want, one.offer.TakesLateResponse(one.proposal, noon), name)
	}
}

func TestHasCarrierTerms_UntilTheCompanyNamesItsOwn(t *testing.T) {
	t.Parallel()
	counter := store.Transaction{N: 2, Type: "counter", Party: store.Carrier, Amount: "990.00"}
	reply := store.Transaction{N: 3, Type: "counter", Party: store.Broker, Amount: "950.00"}
	again := store.Transaction{N: 3, Type: "reactivate", Party: store.Broker}
	expire := store.Transaction{N: 3, Type: "expire", Party: store.System}
	require.False(t, store.Offer{}.HasCarrierTerms())
	require.False(t, offered().HasCarrierTerms())
	require.True(t, offered(counter).HasCarrierTerms())
	require.True(t, offered(counter, expire).HasCarrierTerms())
	require.False(t, offered(counter, reply).HasCarrierTerms())
	require.False(t, offered(counter, again).HasCarrierTerms(), "the company has sent it again at them")
}

func TestChangesSinceAnswer_AreThoseThatTheCarrierHasNotAnsweredTo(t *testing.T) {
	t.Parallel()
	revise := func(field string) store.Transaction {
		return store.Transaction{Type: "revise", Party: store.System, Changes: []loadview.Change{{Field: field}}}
	}
	of := func(o store.Offer) []string { return loadview.FieldsOf(o.ChangesSinceAnswer()) }
	counter := store.Transaction{Type: "counter", Party: store.Carrier}
	require.Empty(t, of(offered()))
	require.Equal(t, []string{"stops", "vehicles"}, of(offered(revise("stops"), revise("vehicles"))))
	require.Equal(t, []string{"vehicles"}, of(offered(revise("stops"), counter, revise("vehicles"))))
	require.Equal(t, []string{"vehicles"}, of(offered(revise("vehicles"), store.Transaction{Type: "counter", Party: store.Broker})), "the company's counter is no answer")
	require.Empty(t, of(offered(revise("stops"), store.Transaction{Type: "reactivate", Party: store.Broker})))
	require.Equal(t, []string{"vehicles"}, offered(revise("stops"), revise("vehicles")).LastRevisedFields())
	require.Equal(t, []string{}, offered().LastRevisedFields())
}

func TestCheckNamed_TakesATransactionOrAVersion(t *testing.T) {
	t.Parallel()
	require.NoError(t, store.CheckNamed(web.IfMatch{}, 3))
	require.NoError(t, store.CheckNamed(web.IfMatch{IfMatch: `"7"`}, 0))
	for _, every := range []string{"", "*"} {
		require.ErrorIs(t, store.CheckNamed(web.IfMatch{IfMatch: every}, 0), store.ErrTermsUnnamed)
	}
}

func TestCheckTerms_RefusesWhatNoCarrierCanBeOffered(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		change func(o *store.Offer)
		field  string
	}{
		"nothing":                             {func(o *store.Offer) { o.Amount = "0.00" }, "amount"},
		"less than nothing":                   {func(o *store.Offer) { o.Amount = "-1.00" }, "amount"},
		"no amount":                           {func(o *store.Offer) { o.Amount = "" }, "amount"},
		"a tenth of a cent":                   {func(o *store.Offer) { o.Amount = "1.001" }, "amount"},
		"cents of a currency without":         {func(o *store.Offer) { o.Amount, o.Currency = "1.50", "JPY" }, "amount"},
		"whole units of a currency without":   {func(o *store.Offer) { o.Amount, o.Currency = "150", "JPY" }, ""},
		"a delivery before the pickup":        {func(o *store.Offer) { o.DeliveryDate = "2026-12-02" }, "delivery_date"},
		"a delivery on the day of the pickup": {func(o *store.Offer) { o.DeliveryDate = o.PickupDate }, ""},
		"days that the carrier is to name":    {func(o *store.Offer) { o.PickupDate, o.DeliveryDate = "", "" }, ""},
	} {
		wrong := with(offered(), one.change).CheckTerms(store.ErrInvalidOffer)
		if one.field == "" {
			require.Empty(t, wrong.Fields, name)
		} else {
			require.NotEmpty(t, wrong.Fields[one.field], name)
		}
	}
}
