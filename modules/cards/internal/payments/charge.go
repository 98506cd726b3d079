package payments

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/settings"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// ChargeJob is the job that charges a card.
type ChargeJob struct {
	Payment uuid.UUID `json:"payment"`
}

// Kind implements jobs.Args.
func (ChargeJob) Kind() string { return "cards.charge" }

// Charger charges cards, each payment at most once: see docs/handover.md.
type Charger struct {
	book    *Book
	vendors *accounts.Vendors
	reports *Reports
	bus     *events.Bus
	flow    handover.Flow[cardsapi.Reason, ChargeCall, cardsapi.VendorPayment]
}

// NewCharger returns a Charger.
func NewCharger(b *Book, v *accounts.Vendors, r *Reports, bus *events.Bus, s settings.Settings) *Charger {
	c := &Charger{book: b, vendors: v, reports: r, bus: bus}
	c.flow = handover.Flow[cardsapi.Reason, ChargeCall, cardsapi.VendorPayment]{
		DB: b.DB, Policy: func(c ChargeCall) handover.Policy { return policy(s, c.open.Can) }, Call: c.Call, Find: c.find, Finish: c.finish,
		Failed: func(ctx context.Context, c ChargeCall, err error) error {
			return v.NoteAuthFailure(ctx, c.open.Row, err)
		},
	}

	return c
}

// policy is what the configuration allows and a vendor can do.
func policy(s settings.Settings, can cardsapi.Capabilities) handover.Policy {
	p := handover.Policy{Timeout: s.CallTimeout, MaxAttempts: s.MaxAttempts}
	switch {
	case can.DedupesFor > 0 && !can.Finds:
		p.AskFor = min(s.AskFor, can.DedupesFor/2)
	case can.DedupesFor > 0 || can.Finds:
		p.AskFor = s.AskFor
	}

	return p
}

// ChargeCall is a charge that is about to be made, or may have been.
type ChargeCall struct {
	payment store.Payment
	open    accounts.Open
	card    string
}

// Charge does the job.
func (s *Charger) Charge(ctx context.Context, args ChargeJob) error {
	c, called, wait, err := s.Begin(ctx, args.Payment)
	if err != nil || c == nil {
		return handover.RetryAfter(wait, err)
	}

	return s.flow.Run(ctx, *c, called)
}

// Begin commits that a card is being charged; nil if there is nothing to do, or it is too early.
func (s *Charger) Begin(ctx context.Context, id uuid.UUID) (c *ChargeCall, called bool, wait time.Duration, err error) {
	row, err := s.book.Payments.Find(ctx, id)
	if err != nil {
		if isGone(err) {
			err = nil
		}

		return nil, false, 0, err
	}
	open, err := s.vendors.OpenByID(ctx, row.Account)
	if err != nil {
		return nil, false, 0, err
	}
	err = s.book.DB.InTx(ctx, func(ctx context.Context) error {
		c, called, wait = nil, false, 0
		_, err := s.book.changePayment(ctx, id, store.VerbCall, func(ctx context.Context, p *store.Payment) (err error) {
			if p.State == cardsapi.PaymentQueued {
				c, err = s.start(ctx, p, open)

				return err
			}
			if !awaits(p.State, p.GaveUpAt) {
				return nil
			}
			if wait = s.flow.Policy(ChargeCall{open: open}).InFlight(*p.CalledAt, s.book.now()); wait > 0 {
				return nil
			}
			c, called = &ChargeCall{open: open}, true
			now := s.book.now()
			p.CalledAt = &now // other runs leave it alone while this one asks
			c.payment = *p

			return s.addCard(ctx, p, c)
		})

		return err
	})

	return c, called, wait, err
}

// awaits reports whether the outcome of a call is being waited for.
func awaits(s cardsapi.PaymentState, gaveUp *time.Time) bool {
	return s == cardsapi.PaymentSending || s == cardsapi.PaymentUnknown && gaveUp == nil
}

// start has a queued payment sent; nil if it fails instead, because its card was removed or its account disabled since.
func (s *Charger) start(ctx context.Context, p *store.Payment, open accounts.Open) (*ChargeCall, error) {
	c := &ChargeCall{open: open}
	if err := s.addCard(ctx, p, c); err != nil {
		return nil, err
	}
	if p.Card != nil && c.card == "" {
		return nil, s.reports.failPayment(ctx, p, newFailure(cardsapi.NotFound, "", "The card was removed.", false, nil))
	}
	if open.Row.DisabledAt != nil {
		return nil, s.reports.failPayment(ctx, p, newFailure(cardsapi.Auth, "", "The account was disabled.", false, nil))
	}
	if err := s.book.Payments.Step(ctx, p, state.Move{Verb: store.VerbCall}); err != nil {
		return nil, err
	}
	now := s.book.now()
	p.CalledAt, p.Attempts = &now, p.Attempts+1
	if p.FirstCalledAt == nil {
		p.FirstCalledAt = &now
	}
	c.payment = *p

	return c, nil
}

// addCard finds the vendor's ids of the card that is charged.
func (s *Charger) addCard(ctx context.Context, p *store.Payment, c *ChargeCall) error {
	if p.Card == nil {
		return nil
	}
	card, err := s.book.Cards.Find(ctx, *p.Card)
	if err != nil {
		return err
	}
	if card.VendorID != nil && (card.State == cardsapi.CardActive || p.State != cardsapi.PaymentQueued) {
		c.card, p.Customer, c.payment.Customer = *card.VendorID, card.Customer, card.Customer
	}

	return nil
}

// Call charges a card, without a time-out of its own.
func (s *Charger) Call(ctx context.Context, c ChargeCall) (cardsapi.VendorPayment, error) {
	p := c.payment

	return accounts.Convert(c.open.Charge(ctx, cardsapi.VendorCharge{
		Reference: p.ID.String(), Amount: p.Money(), Card: c.card, Customer: p.Customer, Token: cardsapi.Token{ID: p.Token, Verification: p.Verification},
		Note: p.Note, Statement: p.Statement, Authorize: p.Authorize, Present: p.Present,
	}))
}

// conclusive are the refusals of a repeated call that are the vendor's answer to the first one too.
var conclusive = []cardsapi.Reason{
	cardsapi.Declined, cardsapi.InsufficientFunds, cardsapi.ExpiredCard, cardsapi.CVV, cardsapi.AVS, cardsapi.Fraud, cardsapi.Limit,
	cardsapi.CardNotSupported, cardsapi.ActionRequired,
}

// repeatResult is what the repeat of a call says about the call.
func repeatResult[A any](answer A, err error) handover.Result[cardsapi.Reason, A] {
	if refusal := accounts.Refusal(err); refusal != nil {
		if refusal.Taken == vendorerror.No && !refusal.Retryable && slices.Contains(conclusive, refusal.Reason) {
			return handover.Result[cardsapi.Reason, A]{Err: refusal}
		}

		return handover.NoAnswer[cardsapi.Reason, A](refusal)
	}

	return handover.Result[cardsapi.Reason, A]{Answer: answer}
}

type paymentResult = handover.Result[cardsapi.Reason, cardsapi.VendorPayment]

// find asks about a charge whose outcome is open.
func (s *Charger) find(ctx context.Context, c ChargeCall) (paymentResult, error) {
	if c.open.KnowsRepeats(*c.payment.FirstCalledAt, s.book.now()) {
		return repeatResult(s.Call(ctx, c)), nil
	}
	found, complete, err := c.open.Look(ctx, cardsapi.VendorSearch{
		Reference: c.payment.ID.String(), Amount: c.payment.Money(), Since: c.payment.FirstCalledAt.Add(-time.Minute),
	})

	return searchResult(found.Payments, complete, err), nil
}

// searchResult is what a search says about a call.
func searchResult[A any](found []A, complete bool, err error) handover.Result[cardsapi.Reason, A] {
	if err != nil {
		return handover.NoAnswer[cardsapi.Reason, A](accounts.Refusal(err))
	}

	return handover.SearchResult[cardsapi.Reason](found, complete)
}

// finish stores what came of a call.
func (s *Charger) finish(ctx context.Context, c ChargeCall, r paymentResult) (wait time.Duration, err error) {
	_, err = s.book.changePayment(ctx, c.payment.ID, store.VerbFinish, func(ctx context.Context, p *store.Payment) error {
		if r.Err == nil {
			return s.reports.applyPayment(ctx, p, r.Answer, c.open.Explain)
		}
		if !awaits(p.State, p.GaveUpAt) {
			return nil // a report was faster
		}
		var step handover.Step
		step, wait = r.Next(s.flow.Policy(c), p.Attempts, s.book.now().Sub(*p.FirstCalledAt))
		switch step { //nolint:exhaustive // Accept was before
		case handover.Retry:
			return s.book.Payments.Step(ctx, p, state.Move{Verb: store.VerbRequeue, Reason: string(r.Err.Reason)})
		case handover.Refuse:
			return s.reports.failPayment(ctx, p, failureOf(r.Err, c.open.Explain))
		case handover.GiveUp:
			now := s.book.now()
			p.GaveUpAt = &now
		}

		return s.lose(ctx, p, failureOf(r.Err, nil))
	})

	return wait, err
}

// lose notes that nobody knows what came of a call.
func (s *Charger) lose(ctx context.Context, p *store.Payment, why failure) error {
	if p.State != cardsapi.PaymentSending {
		return nil
	}
	if err := s.book.Payments.Step(ctx, p, state.Move{Verb: store.VerbLose, Reason: why.Reason}); err != nil {
		return err
	}

	return s.bus.Publish(ctx, cardsapi.PaymentUnknownEvent{PaymentAbout: p.About()})
}
