package esign

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	checkEvery = 24 * time.Hour
	checkBatch = 200
)

// checking is the job that has all accounts checked that are in use, so that a key that was revoked is seen before an
// envelope fails of it.
type checking struct{}

// Kind implements jobs.Args.
func (checking) Kind() string { return "esign.check_accounts" }

func (s *accounts) checkAll(ctx context.Context, _ checking) error {
	var after place
	for {
		places, err := s.checkable(ctx, sandbox.Name, after, checkBatch)
		if err != nil || len(places) == 0 {
			return err
		}
		for _, at := range places {
			ctx := of(ctx, at.CompanyID)
			if err := s.db.InTx(ctx, func(ctx context.Context) error {
				return s.queue.Enqueue(ctx, checkingOne{Account: at.ID}, jobs.Unique(), jobs.Attempts(1))
			}); err != nil {
				return err
			}
			after = at
		}
	}
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
