package payments

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/settings"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// SweepEvery is how often rows without a job are looked for, sweepAfter for how long nothing may have happened to them.
	SweepEvery = 5 * time.Minute
	sweepAfter = 10 * time.Minute
	// SweepTime is how long that may take.
	SweepTime = 4 * time.Minute
)

// AskJob is the job that asks a vendor about a payment or a refund of which nothing was reported for long.
type AskJob struct {
	Payment uuid.UUID `json:"payment,omitzero"`
	Refund  uuid.UUID `json:"refund,omitzero"`
}

// Kind implements jobs.Args.
func (AskJob) Kind() string { return "cards.ask" }

// Asker asks vendors for reports that did not come, and gives a job to rows that have none.
type Asker struct {
	book     *Book
	store    *store.Repository
	vendors  *accounts.Vendors
	reports  *Reports
	settings settings.Settings
}

// NewAsker returns an Asker.
func NewAsker(b *Book, r *store.Repository, v *accounts.Vendors, reports *Reports, s settings.Settings) *Asker {
	return &Asker{book: b, store: r, vendors: v, reports: reports, settings: s}
}

// Ask does the job.
func (s *Asker) Ask(ctx context.Context, args AskJob) error {
	if args.Refund != uuid.Nil {
		return s.askRefund(ctx, args.Refund)
	}
	row, err := s.book.Payments.Find(ctx, args.Payment)
	if err != nil || row.VendorID == nil {
		return err
	}
	open, err := s.vendors.OpenByID(ctx, row.Account)
	if err != nil {
		return err
	}
	calling, cancel := s.vendors.Context(ctx)
	defer cancel()
	found, err := open.Payment(calling, *row.VendorID)
	if err != nil {
		return unlessNotFound(err)
	}
	_, err = s.book.changePayment(ctx, row.ID, store.VerbReport, func(ctx context.Context, p *store.Payment) error {
		return s.reports.applyPayment(ctx, p, found, open.Explain)
	})

	return err
}

func (s *Asker) askRefund(ctx context.Context, id uuid.UUID) error {
	row, err := s.book.Refunds.Find(ctx, id)
	if err != nil || row.VendorID == nil {
		return err
	}
	open, err := s.vendors.OpenByID(ctx, row.Account)
	if err != nil {
		return err
	}
	calling, cancel := s.vendors.Context(ctx)
	defer cancel()
	found, err := open.ReadRefund(calling, *row.VendorID)
	if err != nil {
		return unlessNotFound(err)
	}

	return s.reports.applyRefund(ctx, row.Payment, row.ID, found, open.Explain)
}

// unlessNotFound is an error, but nil for what the vendor does not know: reconciliations find that.
func unlessNotFound(err error) error {
	if failure, ok := errors.AsType[*cardsapi.VendorError](err); ok && failure.Reason == cardsapi.NotFound {
		return nil
	}

	return err
}

// Sweep is the job that gives a job to rows that have none, and has vendors asked that have reported nothing for long.
type Sweep struct{}

// Kind implements jobs.Args.
func (Sweep) Kind() string { return "cards.sweep" }

// Sweep does the job.
func (s *Asker) Sweep(ctx context.Context, _ Sweep) error {
	now := s.book.Clock.Now()
	before := now.Add(-sweepAfter - s.settings.CallTimeout)
	for _, lost := range []struct {
		row    any
		states []string
		job    func(uuid.UUID) jobs.Args
	}{
		{&store.Payment{}, []string{"queued", "sending", "unknown"}, func(id uuid.UUID) jobs.Args { return ChargeJob{Payment: id} }},
		{&store.Refund{}, []string{"queued", "sending", "unknown"}, func(id uuid.UUID) jobs.Args { return RefundJob{Refund: id} }},
		{&store.Card{}, []string{"saving", "unknown"}, func(id uuid.UUID) jobs.Args { return SaveJob{Card: id} }},
	} {
		if err := s.store.EachUndecided(ctx, lost.row, lost.states, before, func(ctx context.Context, id uuid.UUID) error {
			return s.book.Queue.Enqueue(ctx, lost.job(id), jobs.Unique())
		}); err != nil {
			return err
		}
	}
	if err := s.store.EachOrdered(ctx, before, func(ctx context.Context, id uuid.UUID) error {
		return s.book.Queue.Enqueue(ctx, EndJob{Payment: id}, jobs.Unique())
	}); err != nil || s.settings.PollAfter == 0 {
		return err
	}
	for _, quiet := range []struct {
		row    any
		states []string
		job    func(uuid.UUID) jobs.Args
	}{
		{&store.Payment{}, []string{"requires_action", "authorized"}, func(id uuid.UUID) jobs.Args { return AskJob{Payment: id} }},
		{&store.Refund{}, []string{"pending"}, func(id uuid.UUID) jobs.Args { return AskJob{Refund: id} }},
	} {
		if err := s.store.EachQuiet(ctx, quiet.row, quiet.states, now.Add(-s.settings.PollAfter), func(ctx context.Context, id uuid.UUID) error {
			return s.book.Queue.Enqueue(ctx, quiet.job(id), jobs.UniqueFor(s.settings.PollAfter))
		}); err != nil {
			return err
		}
	}

	return nil
}
