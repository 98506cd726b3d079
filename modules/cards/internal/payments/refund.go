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
	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/state"
)

// RefundJob is the job that gives a refund.
type RefundJob struct {
	Refund uuid.UUID `json:"refund"`
}

// Kind implements jobs.Args.
func (RefundJob) Kind() string { return "cards.refund" }

// turnPause is how long a refund waits while another one of its payment is given.
const turnPause = 2 * time.Second

// Refunder gives refunds, each at most once, and those of a payment one after the other: vendors that do not return a reference would
// leave open which is which.
type Refunder struct {
	book    *Book
	vendors *accounts.Vendors
	reports *Reports
	flow    handover.Flow[cardsapi.Reason, RefundCall, cardsapi.VendorRefund]
}

// NewRefunder returns a Refunder.
func NewRefunder(b *Book, v *accounts.Vendors, r *Reports, s settings.Settings) *Refunder {
	f := &Refunder{book: b, vendors: v, reports: r}
	f.flow = handover.Flow[cardsapi.Reason, RefundCall, cardsapi.VendorRefund]{
		DB: b.DB, Policy: func(c RefundCall) handover.Policy { return policy(s, c.open.Can) }, Call: f.Call, Find: f.find, Finish: f.finish,
		Failed: func(ctx context.Context, c RefundCall, err error) error {
			return v.NoteAuthFailure(ctx, c.open.Row, err)
		},
	}

	return f
}

// RefundCall is a refund that is about to be given, or may have been.
type RefundCall struct {
	refund store.Refund
	of     store.Payment
	open   accounts.Open
}

// Refund does the job.
func (s *Refunder) Refund(ctx context.Context, args RefundJob) error {
	c, called, wait, err := s.Begin(ctx, args.Refund)
	if err != nil || c == nil {
		return handover.RetryAfter(wait, err)
	}

	return s.flow.Run(ctx, *c, called)
}

// Begin commits that a refund is being given; nil if there is nothing to do, or it is too early.
func (s *Refunder) Begin(ctx context.Context, id uuid.UUID) (c *RefundCall, called bool, wait time.Duration, err error) {
	row, err := s.book.Refunds.Find(ctx, id)
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
	err = s.reports.withRefund(ctx, row.Payment, id, store.VerbCall, func(ctx context.Context, of store.Payment, r *store.Refund) error {
		c, called, wait = nil, false, 0
		now := s.book.now()
		switch {
		case r.State == cardsapi.RefundQueued:
			others, err := s.book.Refunds.Where(ctx, "payment_id = ? AND id <> ?", r.Payment, r.ID)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(others, store.Refund.InFlight) {
				wait = turnPause

				return nil
			}
			if err := s.book.Refunds.Step(ctx, r, state.Move{Verb: store.VerbCall}); err != nil {
				return err
			}
			if r.Attempts++; r.FirstCalledAt == nil {
				r.FirstCalledAt = &now
			}
		case r.InFlight():
			if wait = s.flow.Policy(RefundCall{open: open}).InFlight(*r.CalledAt, now); wait > 0 {
				return nil
			}
			called = true
		default:
			return nil
		}
		r.CalledAt = &now // other runs leave it alone while this one calls, or asks
		c = &RefundCall{refund: *r, of: of, open: open}

		return nil
	})

	return c, called, wait, err
}

// Call gives a refund, without a time-out of its own.
func (s *Refunder) Call(ctx context.Context, c RefundCall) (cardsapi.VendorRefund, error) {
	return accounts.Convert(c.open.Refund(ctx, cardsapi.VendorRefundOrder{
		Reference: c.refund.ID.String(), Payment: *c.of.VendorID, Amount: c.refund.Money(), Reason: c.refund.Note,
	}))
}

type refundResult = handover.Result[cardsapi.Reason, cardsapi.VendorRefund]

// find asks about a refund whose outcome is open.
func (s *Refunder) find(ctx context.Context, c RefundCall) (refundResult, error) {
	if c.open.KnowsRepeats(*c.refund.FirstCalledAt, s.book.now()) {
		return repeatResult(s.Call(ctx, c)), nil
	}
	found, complete, err := c.open.Look(ctx, cardsapi.VendorSearch{
		Reference: c.refund.ID.String(), Payment: *c.of.VendorID, Amount: c.refund.Money(), Since: c.refund.FirstCalledAt.Add(-time.Minute),
	})

	return searchResult(found.Refunds, complete, err), nil
}

// finish stores what came of a call.
func (s *Refunder) finish(ctx context.Context, c RefundCall, r refundResult) (wait time.Duration, err error) {
	err = s.reports.withRefund(ctx, c.of.ID, c.refund.ID, store.VerbFinish, func(ctx context.Context, of store.Payment, row *store.Refund) error {
		if r.Err == nil {
			return s.reports.moveRefund(ctx, of, row, r.Answer, c.open.Explain)
		}
		if !row.InFlight() {
			return nil // a report was faster
		}
		var step handover.Step
		was := row.State
		step, wait = r.Next(s.flow.Policy(c), row.Attempts, s.book.now().Sub(*row.FirstCalledAt))
		move := state.Move{Verb: store.VerbLose, Reason: string(r.Err.Reason)}
		switch step { //nolint:exhaustive // Accept was before
		case handover.Retry:
			move.Verb = store.VerbRequeue
		case handover.Refuse:
			move.Verb = store.VerbFail
			setRefundFailure(row, failureOf(r.Err, c.open.Explain))
		case handover.GiveUp:
			now := s.book.now()
			row.GaveUpAt = &now
		}
		if move.Verb == store.VerbLose && was == cardsapi.RefundUnknown {
			return nil
		}
		if err := s.book.Refunds.Step(ctx, row, move); err != nil {
			return err
		}

		return s.reports.publishRefund(ctx, of, *row, was)
	})

	return wait, err
}
