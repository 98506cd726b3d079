package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/cardstest"
	"github.com/dispatchd/dispatchd/modules/stripe/internal/gateway"
	"github.com/dispatchd/dispatchd/modules/stripe/stripetest"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
	"github.com/dispatchd/dispatchd/platform/web"
)

// returnURL is where cardholders are sent back to.
const returnURL = "https://app.example.test"

// serve returns an adapter that reaches an account in this process alone.
func serve(t *testing.T) (*stripetest.Stripe, *gateway.Stripe) {
	t.Helper()

	return serveAt(t, returnURL)
}

func serveAt(t *testing.T, address string) (*stripetest.Stripe, *gateway.Stripe) {
	t.Helper()
	vendor := stripetest.New("EXAMPLE1")
	network, url := vendortest.Serve(t, vendor)
	made, err := gateway.New(gateway.Settings{BaseURL: url}, web.Settings{BaseURL: address}, network, clock.System{})
	require.NoError(t, err)

	return vendor, made
}

func open(t *testing.T, vendor *stripetest.Stripe, s *gateway.Stripe) cardsapi.Account {
	t.Helper()
	a, err := s.Open(cardsapi.Opening{Account: uuid.NewString(), Credentials: vendor.Credentials()})
	require.NoError(t, err)

	return a
}

func charge(token string) cardsapi.VendorCharge {
	return cardsapi.VendorCharge{
		Reference: uuid.NewString(), Amount: cardsapi.Money{Units: 1250, Currency: "USD"}, Token: cardsapi.Token{ID: token},
	}
}

func refusal(t *testing.T, err error) *cardsapi.VendorError {
	t.Helper()
	e, ok := errors.AsType[*cardsapi.VendorError](err)
	require.Truef(t, ok, "%v", err)

	return e
}

func TestStripe_KeepsTheContractOfVendors(t *testing.T) {
	t.Parallel()
	cardstest.Run(t, func(t *testing.T) cardstest.Subject {
		t.Helper()
		vendor, made := serve(t)
		after := func(f stripetest.Fault) func() string {
			return func() string {
				f.Method = http.MethodPost
				vendor.Fail(f)

				return stripetest.OK
			}
		}
		wrong := vendor.Credentials()
		wrong["secret_key"] = "sk_test_ofSomebodyElse"

		return cardstest.Subject{
			Vendor: made, Opening: cardsapi.Opening{Account: uuid.NewString(), Credentials: vendor.Credentials()},
			Refused: cardsapi.Opening{Account: uuid.NewString(), Credentials: wrong},
			Charged: func(*testing.T) int { return vendor.Charged() },
			Tokens: cardstest.Tokens{
				OK: func() string { return stripetest.OK }, Asks: stripetest.Asks,
				LosesAnswer: after(stripetest.Fault{Drops: true, Takes: true}), LosesCall: after(stripetest.Fault{Status: http.StatusBadGateway, Drops: true}),
				Limited: after(stripetest.Fault{
					Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "7"},
					Body: `{"error": {"type": "invalid_request_error", "code": "rate_limit"}}`,
				}),
				Declines: map[cardsapi.Reason]string{
					cardsapi.Declined: stripetest.Declined, cardsapi.CVV: stripetest.WrongCVC, cardsapi.AVS: stripetest.WrongZip,
					cardsapi.ExpiredCard: stripetest.Expired, cardsapi.InsufficientFunds: stripetest.InsufficientFunds, cardsapi.Limit: stripetest.OverLimit,
					cardsapi.Fraud: stripetest.Fraudulent,
				},
				Final: []cardsapi.Reason{cardsapi.ExpiredCard},
			},
			Confirm: func(t *testing.T, p cardsapi.VendorPayment) {
				t.Helper()
				require.NotNil(t, vendor.Confirm(p.ID, true))
			},
		}
	})
}

func TestCharge_PromisesNothingThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	said := func(kind, code, more string) string {
		return `{"error": {"type": "` + kind + `", "code": "` + code + `", "message": "Strange: pm_card_visa"` + more + `}}`
	}
	invalid := func(code string) string { return said("invalid_request_error", code, "") }
	declined := func(code string) string { return said("card_error", "card_declined", `, "decline_code": "`+code+`"`) }
	for name, test := range map[string]struct {
		fault     stripetest.Fault
		reason    cardsapi.Reason
		notDone   bool
		retryable bool
		final     bool
	}{
		"429 for years":           {stripetest.Fault{Status: 429, Header: map[string]string{"Retry-After": "99999999"}}, cardsapi.RateLimited, true, true, false},
		"locked":                  {stripetest.Fault{Status: 429, Body: invalid("lock_timeout")}, cardsapi.RateLimited, true, true, false},
		"no key":                  {stripetest.Fault{Status: 401, Body: "no"}, cardsapi.Auth, true, false, false},
		"an expired key":          {stripetest.Fault{Status: 401, Body: invalid("api_key_expired")}, cardsapi.Auth, true, false, false},
		"no permission":           {stripetest.Fault{Status: 403, Body: invalid("more_permissions_required")}, cardsapi.Auth, true, false, false},
		"no longer connected":     {stripetest.Fault{Status: 403, Body: invalid("account_invalid")}, cardsapi.Revoked, true, false, false},
		"a proxy's 403":           {stripetest.Fault{Status: 403, Body: "<html>", Takes: true}, cardsapi.ProviderDown, false, false, false},
		"unknown code":            {stripetest.Fault{Status: 400, Body: invalid("never_heard_of")}, cardsapi.UnknownReason, true, false, false},
		"unknown type":            {stripetest.Fault{Status: 400, Body: said("teapot_error", "", "")}, cardsapi.UnknownReason, true, false, false},
		"a proxy's 400":           {stripetest.Fault{Status: 400, Body: "<html>", Takes: true}, cardsapi.ProviderDown, false, false, false},
		"key reused":              {stripetest.Fault{Status: 400, Body: said("idempotency_error", "", "")}, cardsapi.Duplicate, false, false, false},
		"key in use":              {stripetest.Fault{Status: 409, Body: said("idempotency_error", "idempotency_key_in_use", ""), Takes: true}, cardsapi.Duplicate, false, true, false},
		"an API error of 4xx":     {stripetest.Fault{Status: 400, Body: said("api_error", "", ""), Takes: true}, cardsapi.ProviderDown, false, true, false},
		"a dependency":            {stripetest.Fault{Status: 424, Body: invalid(""), Takes: true}, cardsapi.ProviderDown, false, true, false},
		"402 without a card":      {stripetest.Fault{Status: 402, Body: "{}", Takes: true}, cardsapi.ProviderDown, false, false, false},
		"500":                     {stripetest.Fault{Status: 500, Body: said("api_error", "", ""), Takes: true}, cardsapi.ProviderDown, false, true, false},
		"500 with a card":         {stripetest.Fault{Status: 500, Body: declined("stolen_card")}, cardsapi.ProviderDown, false, true, false},
		"503":                     {stripetest.Fault{Status: 503}, cardsapi.ProviderDown, false, true, false},
		"cut off":                 {stripetest.Fault{Cuts: true, Takes: true}, cardsapi.ProviderDown, false, true, false},
		"not JSON":                {stripetest.Fault{Status: 200, Body: `{"id": `, Takes: true}, cardsapi.ProviderDown, false, true, false},
		"another form":            {stripetest.Fault{Status: 200, Body: `{"id": 7}`, Takes: true}, cardsapi.ProviderDown, false, true, false},
		"without an id":           {stripetest.Fault{Status: 200, Body: `{}`, Takes: true}, cardsapi.ProviderDown, false, true, false},
		"processing":              {stripetest.Fault{Status: 200, Body: `{"id": "pi_1", "status": "processing"}`, Takes: true}, cardsapi.ProviderDown, false, true, false},
		"not confirmed":           {stripetest.Fault{Status: 200, Body: `{"id": "pi_1", "status": "requires_payment_method"}`}, cardsapi.ProviderDown, false, true, false},
		"stolen":                  {stripetest.Fault{Status: 402, Body: declined("stolen_card")}, cardsapi.Declined, true, false, true},
		"revoked by its holder":   {stripetest.Fault{Status: 402, Body: declined("revocation_of_authorization")}, cardsapi.Declined, true, false, true},
		"for the moment":          {stripetest.Fault{Status: 402, Body: declined("try_again_later")}, cardsapi.Declined, true, false, false},
		"never again":             {stripetest.Fault{Status: 402, Body: said("card_error", "card_declined", `, "decline_code": "generic_decline", "advice_code": "do_not_try_again"`)}, cardsapi.Declined, true, false, true},
		"an unknown decline":      {stripetest.Fault{Status: 402, Body: declined("never_heard_of")}, cardsapi.Declined, true, false, false},
		"a decline too many":      {stripetest.Fault{Status: 402, Body: said("card_error", "card_decline_rate_limit_exceeded", "")}, cardsapi.Limit, true, false, false},
		"asks somebody absent":    {stripetest.Fault{Status: 402, Body: declined("authentication_required")}, cardsapi.ActionRequired, true, false, false},
		"a token that was used":   {stripetest.Fault{Status: 400, Body: invalid("payment_method_unexpected_state")}, cardsapi.InvalidToken, true, false, false},
		"an account that is mute": {stripetest.Fault{Status: 400, Body: invalid("testmode_charges_only")}, cardsapi.Auth, true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vendor, made := serve(t)
			vendor.Fail(test.fault)
			_, err := open(t, vendor, made).Charge(t.Context(), charge(stripetest.OK))
			e := refusal(t, err)
			require.Equal(t, test.reason, e.Reason)
			require.Equal(t, test.notDone, e.NotDone)
			require.Equal(t, test.retryable, e.Retryable)
			require.Equal(t, test.final, e.Final)
			require.LessOrEqual(t, e.RetryAfter, time.Hour)
			require.LessOrEqual(t, vendor.Charged(), 1)
			require.NotContains(t, e.Error()+e.Detail, stripetest.OK)
			for _, credential := range vendor.Credentials() {
				require.NotContains(t, e.Error()+e.Detail, credential)
			}
		})
	}
}

func TestCharge_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	vendor.Fail(stripetest.Fault{Hangs: time.Minute, Takes: true})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := open(t, vendor, made).Charge(ctx, charge(stripetest.OK))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.False(t, refusal(t, err).NotDone)
}

func TestCharge_NeverMakesACallThatCannotBeSent(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	for amount, want := range map[cardsapi.Money]string{
		{Units: 1235, Currency: "KWD"}: "invalid_charge_amount",
		{Units: 1, Currency: "USD"}:    "amount_too_small",
	} {
		o := charge(stripetest.OK)
		o.Amount = amount
		_, err := open(t, vendor, made).Charge(t.Context(), o)
		require.Equal(t, want, refusal(t, err).Code)
		require.True(t, refusal(t, err).NotDone)
	}
	require.Zero(t, vendor.Charged())
}
