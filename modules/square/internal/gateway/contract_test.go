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
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/modules/square/squaretest"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// serve returns an adapter that reaches an account in this process alone.
func serve(t *testing.T) (*squaretest.Square, *gateway.Square) {
	t.Helper()
	vendor := squaretest.New("EXAMPLE1")
	network, url := vendortest.Serve(t, vendor)
	made, err := gateway.New(gateway.Settings{Environment: gateway.Sandbox, BaseURL: url}, network, clock.System{})
	require.NoError(t, err)

	return vendor, made
}

func open(t *testing.T, vendor *squaretest.Square, s *gateway.Square) *gateway.Account {
	t.Helper()
	a, err := s.OpenAccount(cardsapi.Opening{Account: uuid.NewString(), Credentials: vendor.Credentials()})
	require.NoError(t, err)

	return a
}

func TestSquare_KeepsTheContractOfVendors(t *testing.T) {
	t.Parallel()
	cardstest.Run(t, func(t *testing.T) cardstest.Subject {
		t.Helper()
		vendor, made := serve(t)
		after := func(f squaretest.Fault) func() string {
			return func() string {
				f.Method = http.MethodPost
				vendor.Fail(f)

				return squaretest.OK
			}
		}
		wrong := vendor.Credentials()
		wrong["access_token"] = "another token of somebody"

		return cardstest.Subject{
			Vendor: made, Opening: cardsapi.Opening{Account: uuid.NewString(), Credentials: vendor.Credentials()},
			Refused: cardsapi.Opening{Account: uuid.NewString(), Credentials: wrong},
			Charged: func(*testing.T) int { return vendor.Charged() },
			Tokens: cardstest.Tokens{
				OK: func() string { return squaretest.OK }, Asks: squaretest.NeedsVerification,
				LosesAnswer: after(squaretest.Fault{Drops: true, Takes: true}), LosesCall: after(squaretest.Fault{Status: http.StatusBadGateway, Drops: true}),
				Limited: after(squaretest.Fault{
					Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "7"},
					Body: `{"errors": [{"category": "RATE_LIMIT_ERROR", "code": "RATE_LIMITED"}]}`,
				}),
				Declines: map[cardsapi.Reason]string{
					cardsapi.Declined: squaretest.Declined, cardsapi.CVV: squaretest.WrongCVV, cardsapi.AVS: squaretest.WrongPostalCode,
					cardsapi.ExpiredCard: squaretest.WrongExpiration, cardsapi.InsufficientFunds: squaretest.InsufficientFunds, cardsapi.Limit: squaretest.OverLimit,
				},
				Final: []cardsapi.Reason{cardsapi.ExpiredCard},
			},
			Verification: squaretest.Verification,
		}
	})
}

func TestCharge_PromisesNothingThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	code := func(code string) string {
		return `{"errors": [{"category": "API_ERROR", "code": "` + code + `", "detail": "Strange"}]}`
	}
	for name, test := range map[string]struct {
		fault     squaretest.Fault
		reason    cardsapi.Reason
		notDone   bool
		retryable bool
	}{
		"429 for years":      {squaretest.Fault{Status: 429, Header: map[string]string{"Retry-After": "99999999"}}, cardsapi.RateLimited, true, true},
		"no token":           {squaretest.Fault{Status: 401, Body: "no"}, cardsapi.Auth, true, false},
		"revoked":            {squaretest.Fault{Status: 401, Body: code("ACCESS_TOKEN_REVOKED")}, cardsapi.Revoked, true, false},
		"scopes":             {squaretest.Fault{Status: 403, Body: code("INSUFFICIENT_SCOPES")}, cardsapi.Auth, true, false},
		"unknown code":       {squaretest.Fault{Status: 400, Body: code("NEVER_HEARD_OF")}, cardsapi.UnknownReason, true, false},
		"a proxy's 400":      {squaretest.Fault{Status: 400, Body: "<html>", Takes: true}, cardsapi.ProviderDown, false, false},
		"key reused":         {squaretest.Fault{Status: 400, Body: code("IDEMPOTENCY_KEY_REUSED")}, cardsapi.Duplicate, false, false},
		"conflict":           {squaretest.Fault{Status: 409, Body: code("CONFLICT"), Takes: true}, cardsapi.Duplicate, false, false},
		"500":                {squaretest.Fault{Status: 500, Body: code("INTERNAL_SERVER_ERROR"), Takes: true}, cardsapi.ProviderDown, false, true},
		"503":                {squaretest.Fault{Status: 503, Body: code("SERVICE_UNAVAILABLE")}, cardsapi.ProviderDown, false, true},
		"cut off":            {squaretest.Fault{Cuts: true, Takes: true}, cardsapi.ProviderDown, false, true},
		"not JSON":           {squaretest.Fault{Status: 200, Body: `{"payment": `, Takes: true}, cardsapi.ProviderDown, false, true},
		"without an id":      {squaretest.Fault{Status: 200, Body: `{"payment": {}}`, Takes: true}, cardsapi.ProviderDown, false, true},
		"an unknown status":  {squaretest.Fault{Status: 200, Body: `{"payment": {"id": "P", "status": "PENDING"}}`, Takes: true}, cardsapi.ProviderDown, false, true},
		"a decline with 402": {squaretest.Fault{Status: 402, Body: code("GENERIC_DECLINE")}, cardsapi.Declined, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vendor, made := serve(t)
			vendor.Fail(test.fault)
			_, err := open(t, vendor, made).Charge(t.Context(), cardsapi.VendorCharge{
				Reference: uuid.NewString(), Amount: cardsapi.Money{Units: 100, Currency: "USD"}, Token: cardsapi.Token{ID: squaretest.OK},
			})
			e, ok := errors.AsType[*cardsapi.VendorError](err)
			require.True(t, ok)
			require.Equal(t, test.reason, e.Reason)
			require.Equal(t, test.notDone, e.NotDone)
			require.Equal(t, test.retryable, e.Retryable)
			require.LessOrEqual(t, e.RetryAfter, time.Hour)
			require.LessOrEqual(t, vendor.Charged(), 1)
			for _, credential := range vendor.Credentials() {
				require.NotContains(t, e.Error()+e.Detail, credential)
			}
		})
	}
}

func TestCharge_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	vendor.Fail(squaretest.Fault{Hangs: time.Minute, Takes: true})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := open(t, vendor, made).Charge(ctx, cardsapi.VendorCharge{
		Reference: uuid.NewString(), Amount: cardsapi.Money{Units: 100, Currency: "USD"}, Token: cardsapi.Token{ID: squaretest.OK},
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	e, _ := errors.AsType[*cardsapi.VendorError](err)
	require.False(t, e.NotDone)
}

func TestSaveCard_MakesOneCustomerThoughTheCardIsLost(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	a := open(t, vendor, made)
	o := cardsapi.VendorCardOrder{Reference: uuid.NewString(), Token: cardsapi.Token{ID: squaretest.OK}}
	vendor.Fail(squaretest.Fault{Takes: true}, squaretest.Fault{Status: http.StatusBadGateway, Drops: true})
	_, err := a.SaveCard(t.Context(), o)
	require.Error(t, err)
	card, err := a.SaveCard(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, vendor.Customers(), 1)
	require.Equal(t, vendor.Customers()[0]["id"], card.Customer)
}

func TestList_LeavesOutWhatNoCardPaid(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	for _, source := range []string{"CASH", "EXTERNAL", "CARD"} {
		vendor.Add(source, 700)
	}
	now := time.Now() //nolint:forbidigo // the window of a test
	w := cardsapi.Window{From: now.Add(-time.Hour), To: now.Add(time.Hour)}
	n := 0
	for {
		page, next, err := open(t, vendor, made).List(t.Context(), w)
		require.NoError(t, err)
		n += len(page.Payments)
		if w.Cursor = next; next == "" {
			break
		}
	}
	require.Equal(t, 1, n)
}

func TestPayouts_AddUpWhatTheyPayOut(t *testing.T) {
	t.Parallel()
	vendor, made := serve(t)
	paid := vendor.Add("CARD", 10000)
	id := vendor.PayOut(paid, 320)
	now := time.Now() //nolint:forbidigo // the window of a test
	all, next, err := open(t, vendor, made).Payouts(t.Context(), cardsapi.Window{From: now.Add(-time.Hour), To: now.Add(time.Hour)})
	require.NoError(t, err)
	require.Empty(t, next)
	require.Len(t, all, 1)
	require.Equal(t, []string{id, "in_transit", "SENT", "2026-11-26"}, []string{all[0].ID, string(all[0].State), all[0].Raw, all[0].On}, "on its way is not paid")
	require.Equal(t, cardsapi.Money{Units: 9680, Currency: "USD"}, all[0].Net)
	content, err := open(t, vendor, made).PayoutContent(t.Context(), all[0])
	require.NoError(t, err)
	require.Equal(t, cardsapi.PayoutContent{Gross: 10000, Fees: 320, Payments: []string{paid}}, content)
}

// The states are those of Square's library for Node 46.0 (API version 2026-09-16).
func TestStates_EveryOneOfSquare(t *testing.T) {
	t.Parallel()
	read := func(kind, about string) cardsapi.Notice {
		n, _, err := gateway.ReadNotice([]byte(`{"type": "x", "event_id": "e", "data": {"object": {"` + kind + `": ` + about + `}}}`))
		require.NoError(t, err)

		return n
	}
	for status, want := range map[string]string{
		"EVIDENCE_REQUIRED": "open", "PROCESSING": "open", "WON": "won", "LOST": "lost", "ACCEPTED": "lost", "NEW_WORD": "",
		"INQUIRY_EVIDENCE_REQUIRED": "none", "INQUIRY_PROCESSING": "none", "INQUIRY_CLOSED": "none",
	} {
		d := read("dispute", `{"id": "d", "state": "`+status+`"}`).Dispute
		if want == "none" {
			require.Nil(t, d, status)

			continue
		}
		require.Equal(t, []string{want, status}, []string{d.State, d.Raw})
	}
	for status, want := range map[string]cardsapi.PayoutState{"SENT": cardsapi.PayoutInTransit, "PAID": cardsapi.PayoutPaid, "FAILED": cardsapi.PayoutFailed, "NEW_WORD": ""} {
		p := read("payout", `{"id": "po", "status": "`+status+`"}`).Payout
		require.Equal(t, []string{string(want), status}, []string{string(p.State), p.Raw})
	}
	for status, want := range map[string]cardsapi.RefundState{
		"PENDING": cardsapi.RefundPending, "COMPLETED": cardsapi.RefundCompleted, "REJECTED": cardsapi.RefundFailed, "FAILED": cardsapi.RefundFailed, "NEW_WORD": "",
	} {
		r := read("refund", `{"id": "r", "status": "`+status+`"}`).Refund
		require.Equal(t, []string{string(want), status}, []string{string(r.State), r.Raw})
	}
	for status, want := range map[string]cardsapi.PaymentState{
		"APPROVED": cardsapi.PaymentAuthorized, "COMPLETED": cardsapi.PaymentCaptured, "CANCELED": cardsapi.PaymentCanceled, "FAILED": cardsapi.PaymentFailed,
		"PENDING": "none", "NEW_WORD": "",
	} {
		p := read("payment", `{"id": "p", "status": "`+status+`", "source_type": "CARD"}`).Payment
		if want == "none" {
			require.Nil(t, p, status)

			continue
		}
		require.Equal(t, []string{string(want), status}, []string{string(p.State), p.Raw})
	}
	n, _, err := gateway.ReadNotice([]byte(`{"type": "card.automatically_updated", "event_id": "e", "data": {"object": {"card": {"id": "ccof:1", "card_brand": "VISA", "last_4": "4242", "exp_month": 4, "exp_year": 2031, "enabled": true}}}}`))
	require.NoError(t, err)
	require.Equal(t, cardsapi.VendorCard{ID: "ccof:1", Brand: "VISA", Last4: "4242", Month: 4, Year: 2031, Enabled: true}, *n.UpdatedCard)
}

func TestOpen_SaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, made := serve(t)
	for _, name := range []string{"access_token", "location_id", "application_id"} {
		credentials := squaretest.New("EXAMPLE1").Credentials()
		delete(credentials, name)
		_, err := made.Open(cardsapi.Opening{Credentials: credentials})
		e, ok := errors.AsType[*cardsapi.VendorError](err)
		require.True(t, ok)
		require.Contains(t, e.Detail, name)
	}
}

func TestReadNotice_KeepsWhatIsSaidOfCardsAndPayments(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		notice cardsapi.Notice
		says   bool
	}{
		`{"type": "customer.created", "data": {"object": {"customer": {"id": "C"}}}}`:                                             {},
		`{"type": "payment.updated", "data": {"object": {"payment": {"id": "P", "status": "PENDING"}}}}`:                          {},
		`{"type": "payment.updated", "data": {"object": {"payment": {"id": "P", "status": "COMPLETED", "source_type": "CASH"}}}}`: {},
		`{"type": "dispute.created", "data": {"object": {"dispute": {"id": "D", "state": "INQUIRY_EVIDENCE_REQUIRED"}}}}`:         {},
		`{"type": "card.updated", "data": {"id": "ccof:1", "object": {"card": {"id": "ccof:1", "enabled": true}}}}`:               {cardsapi.Notice{UpdatedCard: &cardsapi.VendorCard{ID: "ccof:1", Enabled: true}}, true},
		`{"type": "oauth.authorization.revoked", "data": {"type": "revocation", "object": {}}}`:                                   {cardsapi.Notice{Revoked: true}, true},
		`{"type": "card.disabled", "data": {"id": "ccof:1", "object": {"card": {"id": "ccof:1", "enabled": false}}}}`:             {cardsapi.Notice{RemovedCard: "ccof:1"}, true},
		`{"type": "payment.updated", "data": {"object": {"payment": {"id": "P", "status": "COMPLETED", "processing_fee": [{"amount_money": {"amount": 59}}, {"amount_money": {"amount": 1}}]}}}}`: {
			cardsapi.Notice{Payment: &cardsapi.VendorPayment{ID: "P", Raw: "COMPLETED", State: cardsapi.PaymentCaptured, Fee: 60}}, true,
		},
		`{"type": "payment.updated", "data": {"object": {"payment": {"id": "P", "status": "FAILED", "card_details": {"errors": [{"code": "CARD_EXPIRED"}]}}}}}`: {
			cardsapi.Notice{Payment: &cardsapi.VendorPayment{
				ID: "P", Raw: "FAILED", State: cardsapi.PaymentFailed, Reason: cardsapi.ExpiredCard, Code: "CARD_EXPIRED", Final: true,
			}}, true,
		},
		`{"type": "refund.updated", "data": {"object": {"refund": {"id": "R", "status": "REJECTED", "payment_id": "P"}}}}`: {
			cardsapi.Notice{Refund: &cardsapi.VendorRefund{
				ID: "R", Payment: "P", Raw: "REJECTED", State: cardsapi.RefundFailed, Reason: cardsapi.NotRefundable, Code: "REFUND_REJECTED",
			}}, true,
		},
		`{"type": "dispute.state.updated", "data": {"object": {"dispute": {"id": "D", "state": "ACCEPTED", "due_at": "2026-12-01T00:00:00Z", "disputed_payment": {"payment_id": "P"}, "amount_money": {"amount": 5, "currency": "USD"}}}}}`: {
			cardsapi.Notice{Dispute: &cardsapi.VendorDispute{ID: "D", Payment: "P", State: "lost", Raw: "ACCEPTED", DueOn: "2026-12-01", Amount: cardsapi.Money{Units: 5, Currency: "USD"}}}, true,
		},
	} {
		n, says, err := gateway.ReadNotice([]byte(body))
		require.NoError(t, err)
		require.Equal(t, want.says, says, body)
		require.Equal(t, want.notice, n, body)
	}
	_, _, err := gateway.ReadNotice([]byte("{"))
	require.Error(t, err)
}

func FuzzReadNotice(f *testing.F) {
	f.Add([]byte(`{"type": "payment.updated", "event_id": "e", "data": {"object": {"payment": {"id": "P", "status": "COMPLETED"}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _, err := gateway.ReadNotice(body)
		if err == nil {
			require.NotEmpty(t, gateway.EventID(body))
		}
	})
}
