package esign

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const checkEvery = 24 * time.Hour

// checking is the job that has all accounts checked that are in use, so that a key that was revoked is seen before an
// envelope fails of it.
type checking struct{}

// Kind implements jobs.Args.
func (checking) Kind() string { return "esign.check_accounts" }

func (s *accounts) checkAll(ctx context.Context, _ checking) error {
	return s.accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, checkingOne{Account: account}, jobs.Unique(), jobs.Attempts(1))
	}, sandbox.Name)
}

// checkingOne is the job that checks an account.
type checkingOne struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (checkingOne) Kind() string { return "esign.check_account" }

func (s *accounts) checkOne(ctx context.Context, args checkingOne) error {
	_, _, err := s.test(ctx, args.Account)
	if errors.Is(err, errAccount) {
		return nil
	}

	return err
}
