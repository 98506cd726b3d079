package reconcile

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// FetchAll is the job that has the payouts of all accounts fetched.
type FetchAll struct{}

// Kind implements jobs.Args.
func (FetchAll) Kind() string { return "cards.fetch_payouts" }

// Schedule has the payouts of accounts fetched.
type Schedule struct {
	db       *database.DB
	accounts *store.Accounts
	queue    *jobs.Queue
}

// NewSchedule returns a Schedule.
func NewSchedule(db *database.DB, a *store.Accounts, q *jobs.Queue) *Schedule {
	return &Schedule{db: db, accounts: a, queue: q}
}

// FetchAll does the job.
func (s *Schedule) FetchAll(ctx context.Context, _ FetchAll) error {
	return s.accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, payments.FetchPayouts{Account: account}, jobs.Unique())
	})
}

// Start has the payouts of an account fetched.
func (s *Schedule) Start(ctx context.Context, account uuid.UUID) error {
	row, err := s.accounts.Ready(ctx, account)
	if err != nil {
		return err
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		return s.queue.Enqueue(ctx, payments.FetchPayouts{Account: row.ID}, jobs.Unique())
	})
}
