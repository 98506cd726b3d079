package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// CheckEvery is how often accounts are checked.
const CheckEvery = 15 * time.Minute

// Checks calls vendors to see whether accounts work.
type Checks struct {
	rows    *store.Accounts
	vendors *Vendors
	queue   *jobs.Queue
	clock   clock.Clock
}

// NewChecks returns Checks.
func NewChecks(a *store.Accounts, v *Vendors, q *jobs.Queue, c clock.Clock) *Checks {
	return &Checks{rows: a, vendors: v, queue: q, clock: c}
}

// Test makes a call that costs nothing, keeps what was found, and says how long it took.
func (s *Checks) Test(ctx context.Context, id uuid.UUID) (store.Account, time.Duration, error) {
	row, err := s.rows.One(ctx, id)
	if err != nil {
		return row, 0, err
	}
	begun := s.clock.Now()
	health := s.callHealth(ctx, row)
	took := s.clock.Now().Sub(begun)
	if _, said := errors.AsType[*cardsapi.VendorError](health); health != nil && !said && ctx.Err() != nil {
		return row, took, health // it was the caller who gave up
	}
	row, err = s.vendors.NoteHealth(ctx, row, health)

	return row, took, err
}

func (s *Checks) callHealth(ctx context.Context, row store.Account) error {
	open, err := s.vendors.Open(ctx, row)
	if err != nil {
		return err
	}
	calling, cancel := s.vendors.Context(ctx)
	defer cancel()

	return open.Health(calling)
}

// CheckAll is the job that has all accounts in use checked.
type CheckAll struct{}

// Kind implements jobs.Args.
func (CheckAll) Kind() string { return "cards.check_accounts" }

// CheckAll does the job.
func (s *Checks) CheckAll(ctx context.Context, _ CheckAll) error {
	return s.rows.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, CheckOne{Account: account}, jobs.Unique(), jobs.Attempts(1))
	}, Sandbox)
}

// CheckOne is the job that checks an account.
type CheckOne struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (CheckOne) Kind() string { return "cards.check_account" }

// CheckOne does the job.
func (s *Checks) CheckOne(ctx context.Context, args CheckOne) error {
	_, _, err := s.Test(ctx, args.Account)
	if errors.Is(err, store.ErrAccount) {
		return nil
	}

	return err
}
