package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// CheckEvery is how often the accounts are checked.
const CheckEvery = 15 * time.Minute

// CheckAccounts is the job that has all accounts checked that are in use, so that a credential that was revoked is seen
// before a message fails of it.
type CheckAccounts struct{}

// Kind implements jobs.Args.
func (CheckAccounts) Kind() string { return "sms.check_accounts" }

// CheckAll has all accounts checked that are in use.
func (s *Service) CheckAll(ctx context.Context, _ CheckAccounts) error {
	return s.accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, CheckAccount{Account: account}, jobs.Unique(), jobs.Attempts(1))
	}, s.vendors.Simulated()...)
}

// CheckAccount is the job that checks an account.
type CheckAccount struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (CheckAccount) Kind() string { return "sms.check_account" }

// CheckOne checks an account. One that was deleted meanwhile is left alone.
func (s *Service) CheckOne(ctx context.Context, args CheckAccount) error {
	_, _, err := s.test(ctx, args.Account)
	if errors.Is(err, store.ErrAccount) {
		return nil
	}

	return err
}
