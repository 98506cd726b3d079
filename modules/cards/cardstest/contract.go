// Package cardstest is what every vendor behind cardsapi.Vendor promises, as tests.
package cardstest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// Subject is a vendor under test, with an account that has no cards and payments yet.
type Subject struct {
	Vendor  cardsapi.Vendor
	Opening cardsapi.Opening
	// Refused opens an account whose credentials the vendor refuses.
	Refused cardsapi.Opening
	// Context returns the context of calls; nil leaves it as it is.
	Context func(ctx context.Context) context.Context
	// Charged is how many payments the vendor has: the vendor counts, not the adapter.
	Charged func(t *testing.T) int

	Tokens Tokens
	// Confirm answers for the cardholder whom Tokens.Asks asks; nil if the vendor's page asks before the charge. Then Verification is
	// what the page returns.
	Confirm      func(t *testing.T, p cardsapi.VendorPayment)
	Verification string
}

// Tokens return what the vendor's card fields return. A test uses each token once.
type Tokens struct {
	OK func() string
	// Declines are refused when they are charged, Final says for good.
	Declines map[cardsapi.Reason]string
	Final    []cardsapi.Reason
	// Asks asks the cardholder to confirm.
	Asks string
	// LosesAnswer returns a token whose charge is taken, and whose answer is lost; LosesCall one whose first charge is lost instead.
	LosesAnswer, LosesCall func() string
	// Limited returns a token whose next charge is refused for a rate limit.
	Limited func() string
}

// Run runs the contract. Each rule has a subject of its own.
func Run(t *testing.T, newSubject func(t *testing.T) Subject) {
	t.Helper()
	for name, rule := range map[string]func(*testing.T, subject){
		"tells accounts that work from others":            testHealth,
		"has no secrets on its page":                      testPage,
		"saves a card and charges it":                     testSave,
		"forgets a card":                                  testRemove,
		"charges a token":                                 testCharge,
		"declines with a reason":                          testDeclines,
		"refuses tokens that it does not know":            testUnknownToken,
		"asks the cardholder":                             testAsks,
		"captures what it has authorized":                 testCapture,
		"cancels what it has authorized":                  testCancel,
		"refunds no more than was taken":                  testRefund,
		"charges a reference once":                        testRepeat,
		"refunds a reference once":                        testRepeatedRefund,
		"leaves the outcome open when an answer is lost":  testLostAnswer,
		"leaves the outcome open when a call is lost":     testLostCall,
		"says that it takes nothing over a rate limit":    testLimited,
		"finds a payment and a refund":                    testFind,
		"lists a window":                                  testList,
		"knows nothing of ids that it has not given":      testNotFound,
		"charges nothing for a caller who has gone":       testCanceled,
		"takes nothing from an account that it refuses":   testRefusedAccount,
		"refuses an account without what it is opened by": testOpening,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule(t, subject{newSubject(t)})
		})
	}
}

type subject struct{ Subject }

func (s subject) open(t *testing.T) cardsapi.Account {
	t.Helper()
	a, err := s.Vendor.Open(s.Opening)
	require.NoError(t, err)

	return a
}

func (s subject) ctx(t *testing.T) context.Context {
	t.Helper()
	if s.Context == nil {
		return t.Context()
	}

	return s.Context(t.Context())
}

func usd(units int64) cardsapi.Money { return cardsapi.Money{Units: units, Currency: "USD"} }

func charge(token string) cardsapi.VendorCharge {
	return cardsapi.VendorCharge{Reference: uuid.NewString(), Amount: usd(1250), Token: cardsapi.Token{ID: token}}
}

func (s subject) paid(t *testing.T, a cardsapi.Account, o cardsapi.VendorCharge) cardsapi.VendorPayment {
	t.Helper()
	p, err := a.Charge(s.ctx(t), o)
	require.NoError(t, err)
	require.NotEmpty(t, p.ID)

	return p
}

// refusal is an error by which the vendor refuses.
func refusal(t *testing.T, err error) *cardsapi.VendorError {
	t.Helper()
	e, ok := errors.AsType[*cardsapi.VendorError](err)
	require.Truef(t, ok, "%v", err)

	return e
}

// requireOpen requires an error that leaves open what the vendor did.
func requireOpen(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	if e, ok := errors.AsType[*cardsapi.VendorError](err); ok {
		require.False(t, e.NotDone, "it is not known that nothing was done: %v", err)
	}
}

func testOpening(t *testing.T, s subject) {
	t.Helper()
	_, err := s.Vendor.Open(cardsapi.Opening{Credentials: map[string]string{"unheard_of": "x"}})
	require.Equal(t, cardsapi.Auth, refusal(t, err).Reason)
	require.NotEmpty(t, refusal(t, err).Detail)
	require.True(t, refusal(t, err).NotDone)
}

func testHealth(t *testing.T, s subject) {
	t.Helper()
	require.NoError(t, s.open(t).Health(s.ctx(t)))
	refused, err := s.Vendor.Open(s.Refused)
	require.NoError(t, err)
	err = refused.Health(s.ctx(t))
	require.Contains(t, []cardsapi.Reason{cardsapi.Auth, cardsapi.Revoked}, refusal(t, err).Reason)
	for _, value := range s.Refused.Credentials {
		require.NotContains(t, err.Error()+refusal(t, err).Detail, value)
	}
}

func testPage(t *testing.T, s subject) {
	t.Helper()
	page := s.open(t).Page()
	require.NotEmpty(t, page.Application)
	for name, value := range s.Opening.Credentials {
		if value != page.Application && value != page.Location {
			require.NotContains(t, page.Script+page.Application+page.Location, value, name)
		}
	}
}

func (s subject) saved(t *testing.T, a cardsapi.Account) cardsapi.VendorCard {
	t.Helper()
	o := cardsapi.VendorCardOrder{
		Reference: uuid.NewString(), OwnerName: "Ann Example", OwnerEmail: "ann@example.com", OwnerRef: uuid.NewString(),
		Token: cardsapi.Token{ID: s.Tokens.OK()}, PostalCode: "75201",
	}
	card, err := a.SaveCard(s.ctx(t), o)
	require.NoError(t, err)
	o.AskedBefore = true
	again, err := a.SaveCard(s.ctx(t), o)
	require.NoError(t, err)
	require.Equal(t, card, again, "the same reference is the same card")

	return card
}

func testSave(t *testing.T, s subject) {
	t.Helper()
	a := s.open(t)
	card := s.saved(t, a)
	require.NotEmpty(t, card.ID)
	require.NotEmpty(t, card.Customer)
	require.True(t, card.Enabled)
	require.Len(t, card.Last4, 4)
	require.NotEmpty(t, card.Brand)
	require.GreaterOrEqual(t, card.Month, 1)
	require.Greater(t, card.Year, 2000)
	second, err := a.SaveCard(s.ctx(t), cardsapi.VendorCardOrder{
		Reference: uuid.NewString(), Customer: card.Customer, Token: cardsapi.Token{ID: s.Tokens.OK()},
	})
	require.NoError(t, err)
	require.Equal(t, card.Customer, second.Customer)
	require.NotEqual(t, card.ID, second.ID)
	require.Zero(t, s.Charged(t), "saving charges nothing")
	p := s.paid(t, a, cardsapi.VendorCharge{Reference: uuid.NewString(), Amount: usd(500), Card: card.ID, Customer: card.Customer})
	require.Equal(t, cardsapi.PaymentCaptured, p.State)
	require.Equal(t, 1, s.Charged(t))
}

func testRemove(t *testing.T, s subject) {
	t.Helper()
	a := s.open(t)
	card := s.saved(t, a)
	for range 2 {
		require.NoError(t, a.RemoveCard(s.ctx(t), card.ID))
	}
	_, err := a.Charge(s.ctx(t), cardsapi.VendorCharge{Reference: uuid.NewString(), Amount: usd(500), Card: card.ID, Customer: card.Customer})
	require.True(t, refusal(t, err).NotDone)
	require.Zero(t, s.Charged(t))
}

func testCharge(t *testing.T, s subject) {
	t.Helper()
	a, o := s.open(t), charge(s.Tokens.OK())
	o.Note, o.Statement = "Order 7", "DISPATCH"
	p := s.paid(t, a, o)
	require.Equal(t, cardsapi.PaymentCaptured, p.State)
	require.Equal(t, o.Amount, p.Amount)
	require.Contains(t, []string{o.Reference, ""}, p.Reference)
	require.NotEmpty(t, p.Raw)
	require.False(t, p.CreatedAt.IsZero())
	read, err := a.Payment(s.ctx(t), p.ID)
	require.NoError(t, err)
	require.Equal(t, p.State, read.State)
	require.Equal(t, p.Amount, read.Amount)
	require.Equal(t, 1, s.Charged(t))
}

func testDeclines(t *testing.T, s subject) {
	t.Helper()
	a := s.open(t)
	require.NotEmpty(t, s.Tokens.Declines)
	final := map[cardsapi.Reason]bool{}
	for _, reason := range s.Tokens.Final {
		final[reason] = true
	}
	for reason, token := range s.Tokens.Declines {
		_, err := a.Charge(s.ctx(t), charge(token))
		e := refusal(t, err)
		require.Equal(t, reason, e.Reason, token)
		require.True(t, e.NotDone, token)
		require.False(t, e.Retryable, token)
		require.NotEmpty(t, e.Code, token)
		require.Equal(t, final[reason], e.Final, token)
	}
	require.Zero(t, s.Charged(t))
}

func testUnknownToken(t *testing.T, s subject) {
	t.Helper()
	_, err := s.open(t).Charge(s.ctx(t), charge("nonsense"))
	require.Equal(t, cardsapi.InvalidToken, refusal(t, err).Reason)
	require.True(t, refusal(t, err).NotDone)
	require.Zero(t, s.Charged(t))
}

func testAsks(t *testing.T, s subject) {
	t.Helper()
	a := s.open(t)
	_, err := a.Charge(s.ctx(t), charge(s.Tokens.Asks))
	require.Equal(t, cardsapi.ActionRequired, refusal(t, err).Reason)
	require.True(t, refusal(t, err).NotDone)
	require.Zero(t, s.Charged(t))
	o := charge(s.Tokens.Asks)
	o.Present, o.Token.Verification = true, s.Verification
	p := s.paid(t, a, o)
	if s.Confirm != nil {
		require.Equal(t, cardsapi.PaymentAction, p.State)
		require.NotEmpty(t, p.ActionURL)
		s.Confirm(t, p)
		p, err = a.Payment(s.ctx(t), p.ID)
		require.NoError(t, err)
	}
	require.Equal(t, cardsapi.PaymentCaptured, p.State)
	require.Equal(t, 1, s.Charged(t))
}

func (s subject) authorized(t *testing.T, a cardsapi.Account) cardsapi.VendorPayment {
	t.Helper()
	o := charge(s.Tokens.OK())
	o.Authorize = true
	p := s.paid(t, a, o)
	require.Equal(t, cardsapi.PaymentAuthorized, p.State)

	return p
}

// stays requires that a payment has a state, whatever the call that was to change it answers.
func (s subject) stays(t *testing.T, a cardsapi.Account, id string, want cardsapi.PaymentState, call func(context.Context, string) (cardsapi.VendorPayment, error)) {
	t.Helper()
	if p, err := call(s.ctx(t), id); err == nil {
		require.Equal(t, want, p.State)
	} else {
		require.True(t, refusal(t, err).NotDone)
	}
	p, err := a.Payment(s.ctx(t), id)
	require.NoError(t, err)
	require.Equal(t, want, p.State)
}

func testCapture(t *testing.T, s subject) {
	t.Helper()
	if !s.Vendor.Capabilities().Capture {
		return
	}
	a := s.open(t)
	p := s.authorized(t, a)
	done, err := a.Capture(s.ctx(t), p.ID)
	require.NoError(t, err)
	require.Equal(t, cardsapi.PaymentCaptured, done.State)
	require.Equal(t, p.ID, done.ID)
	s.stays(t, a, p.ID, cardsapi.PaymentCaptured, a.Capture)
	s.stays(t, a, p.ID, cardsapi.PaymentCaptured, a.Cancel)
	require.Equal(t, 1, s.Charged(t))
}

func testCancel(t *testing.T, s subject) {
	t.Helper()
	if !s.Vendor.Capabilities().Capture {
		return
	}
	a := s.open(t)
	p := s.authorized(t, a)
	done, err := a.Cancel(s.ctx(t), p.ID)
	require.NoError(t, err)
	require.Equal(t, cardsapi.PaymentCanceled, done.State)
	s.stays(t, a, p.ID, cardsapi.PaymentCanceled, a.Cancel)
	s.stays(t, a, p.ID, cardsapi.PaymentCanceled, a.Capture)
}

func testRefund(t *testing.T, s subject) {
	t.Helper()
	a := s.open(t)
	p := s.paid(t, a, charge(s.Tokens.OK()))
	order := func(units int64) cardsapi.VendorRefundOrder {
		return cardsapi.VendorRefundOrder{Reference: uuid.NewString(), Payment: p.ID, Amount: usd(units), Reason: "A complaint"}
	}
	r, err := a.Refund(s.ctx(t), order(500))
	require.NoError(t, err)
	require.Equal(t, usd(500), r.Amount)
	require.Equal(t, p.ID, r.Payment)
	require.Contains(t, []cardsapi.RefundState{cardsapi.RefundPending, cardsapi.RefundCompleted}, r.State)
	_, err = a.Refund(s.ctx(t), order(751))
	require.Equal(t, cardsapi.NotRefundable, refusal(t, err).Reason)
	require.True(t, refusal(t, err).NotDone)
	_, err = a.Refund(s.ctx(t), order(750))
	require.NoError(t, err)
	read, err := a.ReadRefund(s.ctx(t), r.ID)
	require.NoError(t, err)
	require.Equal(t, r.ID, read.ID)
	require.Equal(t, usd(500), read.Amount)
	if r.State == cardsapi.RefundCompleted {
		whole, err := a.Payment(s.ctx(t), p.ID)
		require.NoError(t, err)
		require.Equal(t, int64(1250), whole.Refunded)
		require.Equal(t, cardsapi.PaymentCaptured, whole.State)
	}
}

func testRepeat(t *testing.T, s subject) {
	t.Helper()
	if s.Vendor.Capabilities().DedupesFor == 0 {
		return
	}
	a, o := s.open(t), charge(s.Tokens.OK())
	require.LessOrEqual(t, len(o.Reference), 45)
	first, second := s.paid(t, a, o), s.paid(t, a, o)
	require.Equal(t, first.ID, second.ID)
	require.Equal(t, first.Amount, second.Amount)
	o.Amount = usd(9900)
	if p, err := a.Charge(s.ctx(t), o); err == nil {
		require.Equal(t, first.ID, p.ID)
		require.Equal(t, first.Amount, p.Amount)
	} else {
		requireOpen(t, err)
		require.Equal(t, cardsapi.Duplicate, refusal(t, err).Reason)
	}
	require.Equal(t, 1, s.Charged(t), "counted at the vendor")
}

func testRepeatedRefund(t *testing.T, s subject) {
	t.Helper()
	if s.Vendor.Capabilities().DedupesFor == 0 {
		return
	}
	a := s.open(t)
	o := cardsapi.VendorRefundOrder{Reference: uuid.NewString(), Payment: s.paid(t, a, charge(s.Tokens.OK())).ID, Amount: usd(700)}
	first, err := a.Refund(s.ctx(t), o)
	require.NoError(t, err)
	second, err := a.Refund(s.ctx(t), o)
	require.NoError(t, err)
	require.Equal(t, first.ID, second.ID)
	o.Reference = uuid.NewString()
	_, err = a.Refund(s.ctx(t), o)
	require.Equal(t, cardsapi.NotRefundable, refusal(t, err).Reason, "it was given once, so 550 are left of 1250")
}

func testLostAnswer(t *testing.T, s subject) {
	t.Helper()
	a, o := s.open(t), charge(s.Tokens.LosesAnswer())
	_, err := a.Charge(s.ctx(t), o)
	requireOpen(t, err)
	require.Equal(t, 1, s.Charged(t))
	if s.Vendor.Capabilities().DedupesFor > 0 {
		require.Equal(t, cardsapi.PaymentCaptured, s.settled(t, a, o).State)
		require.Equal(t, 1, s.Charged(t), "counted at the vendor")
	}
}

func testLostCall(t *testing.T, s subject) {
	t.Helper()
	a, o := s.open(t), charge(s.Tokens.LosesCall())
	_, err := a.Charge(s.ctx(t), o)
	requireOpen(t, err)
	require.Zero(t, s.Charged(t))
	if s.Vendor.Capabilities().DedupesFor > 0 {
		require.Equal(t, cardsapi.PaymentCaptured, s.settled(t, a, o).State)
		require.Equal(t, 1, s.Charged(t))
	}
}

// settled repeats a charge until the vendor answers.
func (s subject) settled(t *testing.T, a cardsapi.Account, o cardsapi.VendorCharge) cardsapi.VendorPayment {
	t.Helper()
	const most = 3
	for range most {
		if p, err := a.Charge(s.ctx(t), o); err == nil {
			return p
		}
	}
	require.Fail(t, "the vendor never answers the repeat")

	return cardsapi.VendorPayment{}
}

func testLimited(t *testing.T, s subject) {
	t.Helper()
	_, err := s.open(t).Charge(s.ctx(t), charge(s.Tokens.Limited()))
	e := refusal(t, err)
	require.Equal(t, cardsapi.RateLimited, e.Reason)
	require.True(t, e.NotDone)
	require.True(t, e.Retryable)
	require.LessOrEqual(t, e.RetryAfter, time.Hour)
	require.Zero(t, s.Charged(t))
}

func testFind(t *testing.T, s subject) {
	t.Helper()
	if !s.Vendor.Capabilities().Finds {
		return
	}
	a, o, since := s.open(t), charge(s.Tokens.OK()), time.Now().Add(-time.Minute) //nolint:forbidigo // the vendor's clock is that of the machine
	p := s.paid(t, a, o)
	s.paid(t, a, charge(s.Tokens.OK()))
	found, _, err := a.Find(s.ctx(t), cardsapi.VendorSearch{Reference: o.Reference, Amount: o.Amount, Since: since})
	require.NoError(t, err)
	require.Len(t, found.Payments, 1)
	require.Equal(t, p.ID, found.Payments[0].ID)
	found, _, err = a.Find(s.ctx(t), cardsapi.VendorSearch{Reference: uuid.NewString(), Amount: o.Amount, Since: since})
	require.NoError(t, err)
	require.Empty(t, found.Payments)

	refund := cardsapi.VendorRefundOrder{Reference: uuid.NewString(), Payment: p.ID, Amount: usd(300)}
	search := cardsapi.VendorSearch{Reference: refund.Reference, Payment: p.ID, Amount: refund.Amount, Since: since}
	found, _, err = a.Find(s.ctx(t), search)
	require.NoError(t, err)
	require.Empty(t, found.Refunds)
	r, err := a.Refund(s.ctx(t), refund)
	require.NoError(t, err)
	found, _, err = a.Find(s.ctx(t), search)
	require.NoError(t, err)
	require.Len(t, found.Refunds, 1)
	require.Equal(t, r.ID, found.Refunds[0].ID)
}

func testList(t *testing.T, s subject) {
	t.Helper()
	a, now := s.open(t), time.Now() //nolint:forbidigo // the vendor's clock is that of the machine
	made := map[string]bool{}
	const payments = 5
	for range payments {
		made[s.paid(t, a, charge(s.Tokens.OK())).ID] = true
	}
	for id := range made {
		_, err := a.Refund(s.ctx(t), cardsapi.VendorRefundOrder{Reference: uuid.NewString(), Payment: id, Amount: usd(100)})
		require.NoError(t, err)
	}
	list := func(from, to time.Time) (found cardsapi.VendorFound) {
		w := cardsapi.Window{From: from, To: to}
		for {
			page, next, err := a.List(s.ctx(t), w)
			require.NoError(t, err)
			found.Payments, found.Refunds = append(found.Payments, page.Payments...), append(found.Refunds, page.Refunds...)
			if next == "" {
				return found
			}
			require.NotEqual(t, w.Cursor, next)
			w.Cursor = next
		}
	}
	found := list(now.Add(-time.Minute), now.Add(time.Hour))
	require.Len(t, found.Payments, payments)
	require.Len(t, found.Refunds, payments)
	for _, p := range found.Payments {
		require.True(t, made[p.ID], "each is listed once")
		require.Equal(t, cardsapi.PaymentCaptured, p.State)
		require.Equal(t, usd(1250), p.Amount)
		delete(made, p.ID)
	}
	found = list(now.Add(-2*time.Hour), now.Add(-time.Hour))
	require.Empty(t, found.Payments)
	require.Empty(t, found.Refunds)
}

func testNotFound(t *testing.T, s subject) {
	t.Helper()
	a := s.open(t)
	for name, call := range map[string]func(ctx context.Context) error{
		"payment": func(ctx context.Context) error {
			_, err := a.Payment(ctx, "none")

			return err
		},
		"refund": func(ctx context.Context) error {
			_, err := a.ReadRefund(ctx, "none")

			return err
		},
		"capture": func(ctx context.Context) error {
			_, err := a.Capture(ctx, "none")

			return err
		},
		"cancel": func(ctx context.Context) error {
			_, err := a.Cancel(ctx, "none")

			return err
		},
		"give back": func(ctx context.Context) error {
			_, err := a.Refund(ctx, cardsapi.VendorRefundOrder{Reference: uuid.NewString(), Payment: "none", Amount: usd(1)})

			return err
		},
	} {
		err := call(s.ctx(t))
		require.Equal(t, cardsapi.NotFound, refusal(t, err).Reason, name)
		require.True(t, refusal(t, err).NotDone, name)
	}
}

func testCanceled(t *testing.T, s subject) {
	t.Helper()
	gone, cancel := context.WithCancel(s.ctx(t))
	cancel()
	_, err := s.open(t).Charge(gone, charge(s.Tokens.OK()))
	require.Error(t, err)
	require.Zero(t, s.Charged(t))
}

func testRefusedAccount(t *testing.T, s subject) {
	t.Helper()
	a, err := s.Vendor.Open(s.Refused)
	require.NoError(t, err)
	_, err = a.Charge(s.ctx(t), charge(s.Tokens.OK()))
	require.Contains(t, []cardsapi.Reason{cardsapi.Auth, cardsapi.Revoked}, refusal(t, err).Reason)
	require.True(t, refusal(t, err).NotDone)
	require.False(t, refusal(t, err).Retryable)
	require.Zero(t, s.Charged(t))
}
