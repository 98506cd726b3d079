package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// CheckEvery is how often accounts are checked.
const CheckEvery = 24 * time.Hour

// CheckAll is the job that has all accounts checked that are in use, so that a key that was revoked is seen before an
// envelope fails of it.
type CheckAll struct{}

// Kind implements jobs.Args.
func (CheckAll) Kind() string { return "esign.check_accounts" }

// CheckAll gives each account that is in use a job of its own.
func (s *Service) CheckAll(ctx context.Context, _ CheckAll) error {
	return s.accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, CheckOne{Account: account}, jobs.Unique(), jobs.Attempts(1))
	}, sandbox.Name)
}

// CheckOne is the job that checks an account.
type CheckOne struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (CheckOne) Kind() string { return "esign.check_account" }

// CheckOne does the job; an account that was deleted meanwhile is none.
func (s *Service) CheckOne(ctx context.Context, args CheckOne) error {
	_, _, err := s.Test(ctx, args.Account)
	if errors.Is(err, store.ErrAccount) {
		return nil
	}

	return err
}
