package payments

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/settings"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// EndJob is the job that captures or cancels a payment.
type EndJob struct {
	Payment uuid.UUID `json:"payment"`
}

// Kind implements jobs.Args.
func (EndJob) Kind() string { return "cards.end_payment" }

// Ender captures and cancels authorized payments. Repeating that does no harm, but the outcome is asked for all the same: an
// authorization may have expired in between.
type Ender struct {
	book    *Book
	vendors *accounts.Vendors
	reports *Reports
	queue   *jobs.Queue
	flow    handover.Flow[cardsapi.Reason, endCall, cardsapi.VendorPayment]
}

// NewEnder returns an Ender.
func NewEnder(b *Book, v *accounts.Vendors, r *Reports, q *jobs.Queue, s settings.Settings) *Ender {
	e := &Ender{book: b, vendors: v, reports: r, queue: q}
	e.flow = handover.Flow[cardsapi.Reason, endCall, cardsapi.VendorPayment]{
		DB: b.DB, Call: e.call, Find: e.find, Finish: e.finish,
		Policy: func(endCall) handover.Policy {
			return handover.Policy{Timeout: s.CallTimeout, MaxAttempts: s.MaxAttempts, AskFor: s.AskFor}
		},
		Failed: func(ctx context.Context, c endCall, err error) error { return v.NoteAuthFailure(ctx, c.open.Row, err) },
	}

	return e
}

type endCall struct {
	payment store.Payment
	open    accounts.Open
}

// End does the job.
func (s *Ender) End(ctx context.Context, args EndJob) error {
	row, err := s.book.Payments.Find(ctx, args.Payment)
	if err != nil || row.VendorID == nil {
		return err
	}
	open, err := s.vendors.OpenByID(ctx, row.Account)
	if err != nil {
		return err
	}
	c, called, wait := (*endCall)(nil), false, time.Duration(0)
	err = s.book.DB.InTx(ctx, func(ctx context.Context) error {
		c, called, wait = nil, false, 0
		_, err := s.book.changePayment(ctx, row.ID, store.VerbCall, func(_ context.Context, p *store.Payment) error {
			if p.Ordered == "" {
				return nil
			}
			now := s.book.now()
			if called = p.CalledAt != nil; called {
				if wait = s.flow.Policy(endCall{}).InFlight(*p.CalledAt, now); wait > 0 {
					return nil
				}
			} else {
				p.Attempts++
			}
			if p.CalledAt = &now; p.FirstCalledAt == nil {
				p.FirstCalledAt = &now
			}
			c = &endCall{payment: *p, open: open}

			return nil
		})

		return err
	})
	if err != nil || c == nil {
		return handover.RetryAfter(wait, err)
	}

	return s.flow.Run(ctx, *c, called)
}

func (s *Ender) call(ctx context.Context, c endCall) (cardsapi.VendorPayment, error) {
	if c.payment.Ordered == orderCancel {
		return accounts.Convert(c.open.Cancel(ctx, *c.payment.VendorID))
	}

	return accounts.Convert(c.open.Capture(ctx, *c.payment.VendorID))
}

// find asks for the payment. One that is still authorized was not ended.
func (s *Ender) find(ctx context.Context, c endCall) (paymentResult, error) {
	found, err := c.open.Payment(ctx, *c.payment.VendorID)
	switch {
	case err != nil:
		return handover.NoAnswer[cardsapi.Reason, cardsapi.VendorPayment](accounts.Refusal(err)), nil
	case found.State == c.payment.State:
		return paymentResult{Err: &accounts.Error{Reason: cardsapi.ProviderDown, Taken: vendorerror.No, Retryable: true}}, nil
	default:
		return paymentResult{Answer: found}, nil
	}
}

// finish stores what came of a call. A payment that was not ended is authorized as before, unless the vendor says otherwise.
func (s *Ender) finish(ctx context.Context, c endCall, r paymentResult) (wait time.Duration, err error) {
	_, err = s.book.changePayment(ctx, c.payment.ID, store.VerbFinish, func(ctx context.Context, p *store.Payment) error {
		if r.Err == nil {
			return s.reports.applyPayment(ctx, p, r.Answer, c.open.Explain)
		}
		if p.Ordered == "" {
			return nil
		}
		var step handover.Step
		step, wait = r.Next(s.flow.Policy(c), p.Attempts, s.book.now().Sub(*p.FirstCalledAt))
		switch step { //nolint:exhaustive // Accept was before; Ask waits
		case handover.Retry:
			p.CalledAt = nil
		case handover.Refuse, handover.GiveUp:
			p.Ordered = ""
			setPaymentFailure(p, failureOf(r.Err, c.open.Explain))

			return s.queue.Enqueue(ctx, AskJob{Payment: p.ID}, jobs.Unique())
		}

		return nil
	})

	return wait, err
}
