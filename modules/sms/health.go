package sms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	checkEvery = 15 * time.Minute
	checkBatch = 200
)

// checking is the job that has all accounts checked that are in use, so that a credential that was revoked is seen
// before a message fails of it.
type checking struct{}

// Kind implements jobs.Args.
func (checking) Kind() string { return "sms.check_accounts" }

func (s *accounts) checkAll(ctx context.Context, _ checking) error {
	var after key
	for {
		keys, err := s.checkable(ctx, s.vendors.simulated(), after, checkBatch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			ctx := of(ctx, k.CompanyID)
			if err := s.db.InTx(ctx, func(ctx context.Context) error {
				return s.queue.Enqueue(ctx, checkingOne{Account: k.ID}, jobs.Unique(), jobs.Attempts(1))
			}); err != nil {
				return err
			}
			after = k
		}
	}
}

// checkingOne is the job that checks an account.
type checkingOne struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (checkingOne) Kind() string { return "sms.check_account" }

func (s *accounts) checkOne(ctx context.Context, args checkingOne) error {
	_, _, err := s.test(ctx, args.Account)
	if errors.Is(err, errAccount) {
		return nil
	}

	return err
}
