package sms

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// buying is the job that buys a number.
type buying struct {
	Number uuid.UUID `json:"number"`
}

// Kind implements jobs.Args.
func (buying) Kind() string { return "sms.buy_number" }

// buyOne does the job. It may run twice: buying what the account has changes nothing.
func (s *numbers) buyOne(ctx context.Context, args buying) error {
	row, open, err := s.lineOf(ctx, args.Number, numberPending)
	if err != nil || open == nil {
		return err
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	owned, err := open.Buy(calling, row.Number)
	if reason, final := gaveUp(ctx, err); final {
		return s.settle(ctx, row.ID, numberPending, func(row *number) {
			now := s.clock.Now()
			row.State, row.Problem, row.ReleasedAt = numberFailed, string(reason), &now
		})
	}
	if err != nil {
		return err
	}

	return s.settle(ctx, row.ID, numberPending, func(row *number) {
		row.take(owned)
		row.State = numberActive
	})
}

// releasing is the job that gives a number back.
type releasing struct {
	Number uuid.UUID `json:"number"`
}

// Kind implements jobs.Args.
func (releasing) Kind() string { return "sms.release_number" }

// releaseOne does the job. A number that the provider does not take back is active again, with the problem.
func (s *numbers) releaseOne(ctx context.Context, args releasing) error {
	row, open, err := s.lineOf(ctx, args.Number, numberReleasing)
	if err != nil || open == nil {
		return err
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	err = open.Release(calling, provider.Owned{ID: row.ProviderID, Number: row.Number})
	if reason, final := gaveUp(ctx, err); final {
		return s.settle(ctx, row.ID, numberReleasing, func(row *number) { row.State, row.Problem = numberActive, string(reason) })
	}
	if err != nil {
		return err
	}

	return s.settle(ctx, row.ID, numberReleasing, func(row *number) {
		now := s.clock.Now()
		row.State, row.Problem, row.ReleasedAt = numberReleased, "", &now
	})
}

// lineOf returns a number and its account; nil if the number is in another state by now.
func (s *numbers) lineOf(ctx context.Context, id uuid.UUID, state string) (number, *line, error) {
	row, err := s.number(ctx, id)
	if err != nil || row.State != state {
		return row, nil, err
	}
	from, err := s.accounts.One(ctx, row.AccountID)
	if err != nil {
		return row, nil, err
	}
	open, err := s.vendors.dial(ctx, from)

	return row, &open, err
}

// gaveUp reports whether trying again is of no use, and why it failed.
func gaveUp(ctx context.Context, err error) (provider.Reason, bool) {
	if err == nil {
		return "", false
	}
	reason, _ := reasonOf(err)
	refusal, answered := errors.AsType[*provider.Error](err)
	attempt, _ := jobs.Current(ctx)

	return reason, attempt.Last || answered && refusal.Taken == provider.No && !refusal.Retryable
}

// settle changes a number that is still in a state.
func (s *numbers) settle(ctx context.Context, id uuid.UUID, state string, change func(*number)) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.heldNumber(ctx, id)
		if err != nil || row.State != state {
			return err
		}
		change(&row)
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.saveNumber(ctx, &row)
	})
}

// take keeps what a provider says of a number.
func (row *number) take(o provider.Owned) {
	row.ProviderID, row.Registration = o.ID, o.Registration
	row.SMS, row.MMS, row.Voice = o.Features.SMS, o.Features.MMS, o.Features.Voice
	if o.Kind != "" {
		row.Kind = o.Kind
	}
}

// importing is the job that takes over the numbers of an account.
type importing struct {
	Account uuid.UUID `json:"account"`
	// Point has the provider bring us what comes to the numbers.
	Point bool `json:"point,omitempty"`
	// Known leaves numbers alone that are not known here.
	Known bool `json:"known,omitempty"`
}

// Kind implements jobs.Args.
func (importing) Kind() string { return "sms.import_numbers" }

// importAll does the job: numbers that are new are added, of the others it takes what they can do and their
// registration. Numbers that the account has no more stay, for people to see.
func (s *numbers) importAll(ctx context.Context, args importing) error {
	from, err := s.accounts.One(ctx, args.Account)
	if errors.Is(err, errAccount) {
		return nil
	}
	if err != nil {
		return err
	}
	open, err := s.vendors.dial(ctx, from)
	if err != nil {
		return err
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	owned, err := open.List(calling)
	if _, noted := s.noteHealth(ctx, from, err); err != nil || noted != nil {
		return errors.Join(err, noted)
	}
	for _, o := range owned {
		if err := s.importOne(ctx, from, o, args.Known); err != nil {
			return fmt.Errorf("number %s: %w", o.ID, err)
		}
	}
	if args.Point {
		return s.pointAll(ctx, open, owned)
	}

	return nil
}

// pointAll has the provider bring us what comes to numbers. One that it refuses does not keep it from the others.
func (s *numbers) pointAll(ctx context.Context, open line, owned []provider.Owned) error {
	var problems []error
	for _, o := range owned {
		calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
		err := open.Point(calling, o)
		cancel()
		if err != nil {
			problems = append(problems, fmt.Errorf("number %s: %w", o.ID, err))
		}
	}

	return errors.Join(problems...)
}

func (s *numbers) importOne(ctx context.Context, from account, o provider.Owned, known bool) error {
	now := s.clock.Now()

	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.numberOf(ctx, from.ID, o.Number)
		if errors.Is(err, errNumber) && known {
			return nil
		}
		if errors.Is(err, errNumber) {
			row = number{
				ID: database.NewID(), AccountID: from.ID, Number: o.Number, Kind: provider.Local, State: numberActive,
				PerMinute: int64(s.settings.PerMinute), Version: 1, CreatedAt: now, UpdatedAt: now,
			}
			row.take(o)
			err = s.db.Savepoint(ctx, func(ctx context.Context) error { return database.Taken(s.insert(ctx, &row), errNumberTaken) })
			if errors.Is(err, errNumberTaken) { // it is another account's
				return nil
			}

			return err
		}
		if err != nil {
			return err
		}
		row.take(o)
		row.Version, row.UpdatedAt = row.Version+1, now

		return s.saveNumber(ctx, &row)
	})
}

// startImport enqueues the job.
func (s *numbers) startImport(ctx context.Context, id uuid.UUID, point bool) (account, error) {
	var row account
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.accounts.Ready(ctx, id); err != nil {
			return err
		}
		if _, message := s.vendors.callbacks(row); point && message == "" {
			return errNoAddress
		}

		return s.queue.Enqueue(ctx, importing{Account: row.ID, Point: point}, jobs.Unique())
	})

	return row, err
}

const (
	sweepEvery = 5 * time.Minute
	purgeEvery = time.Hour
	// sweepAfter is how long after its time a message is taken for one without a job.
	sweepAfter = 10 * time.Minute
	workTime   = 9 * time.Minute
)

// sweep is the job that finds messages whose own job is gone, such as after all its attempts have failed.
type sweep struct{}

// Kind implements jobs.Args.
func (sweep) Kind() string { return "sms.sweep" }

func (s *sender) sweepAll(ctx context.Context, _ sweep) error {
	return s.eachWaiting(ctx, s.clock.Now().Add(-sweepAfter), func(ctx context.Context, id uuid.UUID) error {
		return s.queue.Enqueue(ctx, sendArgs{Message: id}, jobs.Unique())
	})
}

// purge is the job that removes texts that were kept for long enough.
type purge struct{}

// Kind implements jobs.Args.
func (purge) Kind() string { return "sms.purge" }

func (s *sender) purgeAll(ctx context.Context, _ purge) error {
	if s.settings.KeepBodies == 0 {
		return nil
	}
	now := s.clock.Now()

	return s.purgeBodies(ctx, now.Add(-s.settings.KeepBodies), now)
}
