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

// checking is the job that has all accounts checked that are in use, so that a credential that was revoked is seen
// before a message fails of it.
type checking struct{}

// Kind implements jobs.Args.
func (checking) Kind() string { return "sms.check_accounts" }

func (s *accounts) checkAll(ctx context.Context, _ checking) error {
	return s.accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, checkingOne{Account: account}, jobs.Unique(), jobs.Attempts(1))
	}, s.vendors.Simulated()...)
}

// checkingOne is the job that checks an account.
type checkingOne struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (checkingOne) Kind() string { return "sms.check_account" }

func (s *accounts) checkOne(ctx context.Context, args checkingOne) error {
	_, _, err := s.test(ctx, args.Account)
	if errors.Is(err, store.ErrAccount) {
		return nil
	}

	return err
}

// refreshing is the job that asks of all numbers what they can do, and how far their registration is: carriers take
// days for it, and tell nobody.
type refreshing struct{}

// Kind implements jobs.Args.
func (refreshing) Kind() string { return "sms.refresh_numbers" }

func (s *importer) refreshAll(ctx context.Context, _ refreshing) error {
	return s.vendors.Accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, importing{Account: account, Known: true}, jobs.Unique(), jobs.Attempts(1))
	}, s.vendors.Simulated()...)
}
