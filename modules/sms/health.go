package sms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	checkEvery   = 15 * time.Minute
	refreshEvery = 24 * time.Hour
)

// checkAccountsJob is the job that has all accounts checked that are in use, so that a credential that was revoked is seen
// before a message fails of it.
type checkAccountsJob struct{}

// Kind implements jobs.Args.
func (checkAccountsJob) Kind() string { return "sms.check_accounts" }

func (s *accounts) checkAll(ctx context.Context, _ checkAccountsJob) error {
	return s.accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, checkAccountJob{Account: account}, jobs.Unique(), jobs.Attempts(1))
	}, s.vendors.Simulated()...)
}

// checkAccountJob is the job that checks an account.
type checkAccountJob struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (checkAccountJob) Kind() string { return "sms.check_account" }

func (s *accounts) checkOne(ctx context.Context, args checkAccountJob) error {
	_, _, err := s.test(ctx, args.Account)
	if errors.Is(err, store.ErrAccount) {
		return nil
	}

	return err
}

// refreshNumbersJob is the job that asks of all numbers what they can do, and how far their registration is: carriers take
// days for it, and tell nobody.
type refreshNumbersJob struct{}

// Kind implements jobs.Args.
func (refreshNumbersJob) Kind() string { return "sms.refresh_numbers" }

func (s *importer) refreshAll(ctx context.Context, _ refreshNumbersJob) error {
	return s.vendors.Accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, importNumbersJob{Account: account, Known: true}, jobs.Unique(), jobs.Attempts(1))
	}, s.vendors.Simulated()...)
}
