package numbers

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// BuyNumber is the job that buys a number.
type BuyNumber struct {
	Number uuid.UUID `json:"number"`
}

// Kind implements jobs.Args.
func (BuyNumber) Kind() string { return "sms.buy_number" }

// Provisioner buys and releases numbers at their providers.
type Provisioner struct {
	store    *store.Repository
	vendors  *vendors.Service
	queue    *jobs.Queue
	clock    clock.Clock
	settings *settings.Settings
}

// NewProvisioner returns a Provisioner.
func NewProvisioner(r *store.Repository, v *vendors.Service, queue *jobs.Queue, c clock.Clock, s *settings.Settings) *Provisioner {
	return &Provisioner{store: r, vendors: v, queue: queue, clock: c, settings: s}
}

// When a number is bought.
type buying int

const (
	byJob buying = iota
	atOnce
)

// pending is the row of a number that is being bought.
func (s *Provisioner) pending(e164, label string) store.Number {
	now := s.clock.Now()
	row := store.Number{
		ID: database.NewID(), Number: e164, Label: label, Kind: provider.Local, Registration: provider.RegistrationUnknown,
		PerMinute: int64(s.settings.PerMinute), State: store.NumberPending, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if phone.IsTollFree(e164) {
		row.Kind = provider.TollFree
	}

	return row
}

// buy buys a number by a job, or at once where nothing outside has to be asked.
func (s *Provisioner) buy(ctx context.Context, from store.Account, id uuid.UUID) (buying, error) {
	if !s.vendors.Simulates(from.Provider) {
		return byJob, s.queue.Enqueue(ctx, BuyNumber{Number: id})
	}

	return atOnce, s.BuyOne(ctx, BuyNumber{Number: id})
}

// enqueueRelease has a number given back.
func (s *Provisioner) enqueueRelease(ctx context.Context, id uuid.UUID) error {
	return s.queue.Enqueue(ctx, ReleaseNumber{Number: id})
}

// BuyOne does the job. It may run twice: buying what the account has changes nothing.
func (s *Provisioner) BuyOne(ctx context.Context, args BuyNumber) error {
	row, open, err := s.openLine(ctx, args.Number, store.NumberPending)
	if err != nil || open == nil {
		return err
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	owned, err := open.Buy(calling, row.Number)
	if reason, final := gaveUp(ctx, err); final {
		return s.changeIn(ctx, row.ID, store.NumberPending, func(row *store.Number) {
			now := s.clock.Now()
			row.State, row.Problem, row.ReleasedAt = store.NumberFailed, string(reason), &now
		})
	}
	if err != nil {
		return err
	}

	return s.changeIn(ctx, row.ID, store.NumberPending, func(row *store.Number) {
		row.SetOwned(owned)
		row.State = store.NumberActive
	})
}

// ReleaseNumber is the job that gives a number back.
type ReleaseNumber struct {
	Number uuid.UUID `json:"number"`
}

// Kind implements jobs.Args.
func (ReleaseNumber) Kind() string { return "sms.release_number" }

// ReleaseOne does the job. A number that the provider does not take back is active again, with the problem.
func (s *Provisioner) ReleaseOne(ctx context.Context, args ReleaseNumber) error {
	row, open, err := s.openLine(ctx, args.Number, store.NumberReleasing)
	if err != nil || open == nil {
		return err
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	err = open.Release(calling, provider.Owned{ID: row.ProviderID, Number: row.Number})
	if reason, final := gaveUp(ctx, err); final {
		return s.changeIn(ctx, row.ID, store.NumberReleasing, func(row *store.Number) { row.State, row.Problem = store.NumberActive, string(reason) })
	}
	if err != nil {
		return err
	}

	return s.changeIn(ctx, row.ID, store.NumberReleasing, func(row *store.Number) {
		now := s.clock.Now()
		row.State, row.Problem, row.ReleasedAt = store.NumberReleased, "", &now
	})
}

// openLine returns a number and its account; nil if the number is in another state by now.
func (s *Provisioner) openLine(ctx context.Context, id uuid.UUID, state string) (store.Number, *vendors.Line, error) {
	row, err := s.store.Number(ctx, id)
	if err != nil || row.State != state {
		return row, nil, err
	}
	from, err := s.vendors.Accounts.One(ctx, row.AccountID)
	if err != nil {
		return row, nil, err
	}
	open, err := s.vendors.Open(ctx, from)

	return row, &open, err
}

// gaveUp reports whether trying again is of no use, and why it failed.
func gaveUp(ctx context.Context, err error) (provider.Reason, bool) {
	if err == nil {
		return "", false
	}
	reason, _ := vendors.ReasonOf(err)
	refusal, answered := errors.AsType[*provider.Error](err)
	attempt, _ := jobs.Current(ctx)

	return reason, attempt.Last || answered && refusal.Taken == provider.No && !refusal.Retryable
}

// changeIn changes a number that is still in a state.
func (s *Provisioner) changeIn(ctx context.Context, id uuid.UUID, state string, change func(*store.Number)) error {
	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.LockNumber(ctx, id)
		if err != nil || row.State != state {
			return err
		}
		change(&row)
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.store.SaveNumber(ctx, &row)
	})
}
