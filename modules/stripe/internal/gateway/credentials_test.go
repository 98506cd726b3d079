package gateway_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/stripe/stripetest"
)

func TestOpen_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, made := serve(t)
	for name, test := range map[string]struct{ name, value string }{
		"no secret key": {"secret_key", ""}, "no publishable key": {"publishable_key", ""}, "keys confused": {"publishable_key", "sk_test_secretEXAMPLE1"},
		"a password": {"secret_key", "hunter2"}, "two modes": {"publishable_key", "pk_live_x"}, "signed by nobody": {"signing_secret", "x"},
		"connected to nobody": {"connected_account", "x"}, "unheard of": {"unheard_of", "x"},
	} {
		credentials := stripetest.New("EXAMPLE1").Credentials()
		credentials[test.name] = test.value
		_, err := made.Open(cardsapi.Opening{Credentials: credentials})
		require.Contains(t, refusal(t, err).Detail, test.name, name)
		require.Equal(t, cardsapi.Auth, refusal(t, err).Reason, name)
		require.NotContains(t, refusal(t, err).Detail, "hunter2", name)
	}
}

func TestPage_SaysWhetherMoneyMoves(t *testing.T) {
	t.Parallel()
	_, made := serve(t)
	for mode, live := range map[string]bool{"test": false, "live": true} {
		for _, kind := range []string{"sk", "rk"} {
			a, err := made.Open(cardsapi.Opening{Credentials: map[string]string{
				"secret_key": kind + "_" + mode + "_1", "publishable_key": "pk_" + mode + "_1", "connected_account": "acct_1",
			}})
			require.NoError(t, err)
			page := a.Page()
			require.Equal(t, "pk_"+mode+"_1", page.Application)
			require.Equal(t, "acct_1", page.Location, "Stripe's script is told for whom it is")
			require.Equal(t, live, page.Live)
		}
	}
}

func TestAccount_OfAPlatformActsForTheConnectedOne(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	vendor.Connected = "acct_1"
	paid(t, open(t, vendor, made), charge(stripetest.OK))
	credentials := vendor.Credentials()
	credentials["connected_account"] = "acct_2"
	other, err := made.Open(cardsapi.Opening{Credentials: credentials})
	require.NoError(t, err)
	err = other.Health(t.Context())
	require.Equal(t, cardsapi.Revoked, refusal(t, err).Reason)
	for _, credential := range credentials {
		require.NotContains(t, err.Error()+refusal(t, err).Detail, credential)
	}
}

func TestSaveCard_HasOneCustomerThoughAnAnswerWasLost(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	a, o := open(t, vendor, made), cardsapi.VendorCardOrder{Reference: uuid.NewString(), Token: cardsapi.Token{ID: stripetest.OK}}
	vendor.Fail(stripetest.Fault{Takes: true}, stripetest.Fault{Status: http.StatusBadGateway, Drops: true})
	_, err := a.SaveCard(t.Context(), o)
	require.False(t, refusal(t, err).NotDone)
	card, err := a.SaveCard(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, 1, vendor.Customers())
	require.Equal(t, "visa", card.Brand)
	require.Equal(t, "4242", card.Last4)
}

func TestSaveCard_OfWhichStripeRepeatsItsFirstAnswerIsAsItIsNow(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	a, o := open(t, vendor, made), cardsapi.VendorCardOrder{Reference: uuid.NewString(), Token: cardsapi.Token{ID: stripetest.Asks}}
	_, err := a.SaveCard(t.Context(), o)
	require.Error(t, err)
	vendor.Decide()
	card, err := a.SaveCard(t.Context(), o)
	require.NoError(t, err)
	require.True(t, card.Enabled)
}

func TestSaveCard_SaysWhyNot(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		token   string
		body    string
		reason  cardsapi.Reason
		notDone bool
	}{
		"declined":     {stripetest.Declined, "", cardsapi.Declined, true},
		"asks":         {stripetest.Asks, "", cardsapi.ActionRequired, true},
		"unknown":      {"pm_nonsense", "", cardsapi.InvalidToken, true},
		"failed later": {stripetest.OK, `{"id": "seti_1", "status": "requires_payment_method", "last_setup_error": {"type": "card_error", "code": "expired_card"}}`, cardsapi.ExpiredCard, true},
		"processing":   {stripetest.OK, `{"id": "seti_1", "status": "processing"}`, cardsapi.ProviderDown, false},
		"without":      {stripetest.OK, `{"id": "seti_1", "status": "succeeded", "payment_method": null}`, cardsapi.ProviderDown, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vendor, made := serve(t)
			if test.body != "" {
				vendor.Fail(stripetest.Fault{Method: http.MethodPost}, stripetest.Fault{Method: http.MethodPost, Status: http.StatusOK, Body: test.body})
			}
			_, err := open(t, vendor, made).SaveCard(t.Context(), cardsapi.VendorCardOrder{Reference: uuid.NewString(), Token: cardsapi.Token{ID: test.token}})
			e := refusal(t, err)
			require.Equal(t, test.reason, e.Reason)
			require.Equal(t, test.notDone, e.NotDone)
			require.NotContains(t, e.Detail, test.token)
		})
	}
}
