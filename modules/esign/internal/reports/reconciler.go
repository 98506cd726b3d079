package reports

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// ReconcileEvery is how often providers are asked what has changed.
	ReconcileEvery = 24 * time.Hour
	// changesPause is how long a provider is left alone that takes no more calls, and does not say for how long.
	reconcilePause = time.Minute
	// ReconcileTime is how long one page may take, with all that is done with it.
	ReconcileTime = 5 * time.Minute
)

// Reconciler asks providers what has changed.
type Reconciler struct {
	store    *store.Repository
	vendors  *accounts.Vendors
	reports  *Service
	schedule *Schedule
}

// NewReconciler returns a Reconciler.
func NewReconciler(r *store.Repository, v *accounts.Vendors, reports *Service, s *Schedule) *Reconciler {
	return &Reconciler{store: r, vendors: v, reports: reports, schedule: s}
}

// Schedule says when, and from when on, providers are asked what has changed.
type Schedule struct {
	accounts *store.Store
	queue    *jobs.Queue
	clock    clock.Clock
	overlap  time.Duration // how far back a question goes beyond the last one
}

// NewSchedule returns a Schedule.
func NewSchedule(a *store.Store, queue *jobs.Queue, c clock.Clock, s settings.Settings) *Schedule {
	return &Schedule{accounts: a, queue: queue, clock: c, overlap: s.ReconcileOverlap}
}

// begin sets from when on an account's provider is asked.
func (s *Schedule) begin(row store.Account, args *ReconcileAccount) {
	args.Begun, args.Since = s.clock.Now(), row.CreatedAt
	if row.ReconciledTo != nil {
		args.Since = *row.ReconciledTo
	}
	args.Since = args.Since.Add(-s.overlap)
}

// goOn has the next page asked for.
func (s *Schedule) goOn(ctx context.Context, args ReconcileAccount) error {
	return s.queue.Enqueue(ctx, args, jobs.Background())
}

// ReconcileAll is the job that has every account's provider asked what has changed.
type ReconcileAll struct{}

// Kind implements jobs.Args.
func (ReconcileAll) Kind() string { return "esign.ask_changes" }

// StartAll gives each account a job of its own, so that a slow provider holds up nobody else's.
func (s *Schedule) StartAll(ctx context.Context, _ ReconcileAll) error {
	return s.accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, ReconcileAccount{Account: account}, jobs.Unique(), jobs.Background())
	})
}

// ReconcileAccount is the job that asks for a page of what has changed in an account. The first one has no Since.
type ReconcileAccount struct {
	Account uuid.UUID `json:"account"`
	Since   time.Time `json:"since,omitzero"`
	From    string    `json:"from,omitempty"`
	// Begun is when the first page was asked for: up to then all is known after the last one.
	Begun time.Time `json:"begun,omitzero"`
}

// Kind implements jobs.Args.
func (ReconcileAccount) Kind() string { return "esign.ask_changes_of_account" }

// ReconcilePage asks for a page, applies it, and has the next one asked for. No retry schedule of a vendor's notifications can
// be relied on: what they missed comes this way.
func (s *Reconciler) ReconcilePage(ctx context.Context, args ReconcileAccount) error {
	row, err := s.vendors.Accounts.One(ctx, args.Account)
	if errors.Is(err, store.ErrAccount) || err == nil && row.DisabledAt != nil {
		return nil
	}
	if err != nil {
		return err
	}
	if args.Since.IsZero() {
		s.schedule.begin(row, &args)
	}
	open, err := s.vendors.Open(ctx, row)
	if err != nil {
		return jobs.Permanent(err)
	}
	calling, cancel := s.vendors.CallContext(ctx)
	defer cancel()
	page, next, err := open.Changes(calling, args.Since, args.From)
	if err != nil {
		return retryLater(err)
	}
	if err := s.reports.ApplyPolled(ctx, row.ID, page); err != nil {
		return err
	}

	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if next == "" || next == args.From {
			return s.store.SaveReconciled(ctx, row.ID, args.Begun)
		}
		args.From = next

		return s.schedule.goOn(ctx, args)
	})
}

// retryLater says what becomes of a job whose provider was asked in vain.
func retryLater(err error) error {
	refusal, ok := errors.AsType[*provider.Error](err)
	switch {
	case !ok:
		return err
	case refusal.Reason == provider.NotSupported:
		return nil
	case refusal.Retryable:
		return jobs.Later(max(refusal.RetryAfter, reconcilePause))
	default:
		return jobs.Permanent(err)
	}
}
