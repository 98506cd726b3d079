package sms

import (
	"context"
	"errors"
	"fmt"

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

// buyNumberJob is the job that buys a number.
type buyNumberJob struct {
	Number uuid.UUID `json:"number"`
}

// Kind implements jobs.Args.
func (buyNumberJob) Kind() string { return "sms.buy_number" }

// provisioner buys and releases numbers at their providers.
type provisioner struct {
	store    *store.Repository
	vendors  *vendors.Service
	queue    *jobs.Queue
	clock    clock.Clock
	settings *settings.Settings
}

func newProvisioner(r *store.Repository, v *vendors.Service, queue *jobs.Queue, c clock.Clock, s *settings.Settings) *provisioner {
	return &provisioner{store: r, vendors: v, queue: queue, clock: c, settings: s}
}

// When a number is bought.
type buying int

const (
	byJob buying = iota
	atOnce
)

// pending is the row of a number that is being bought.
func (s *provisioner) pending(e164, label string) store.Number {
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
func (s *provisioner) buy(ctx context.Context, from store.Account, id uuid.UUID) (buying, error) {
	if !s.vendors.Simulates(from.Provider) {
		return byJob, s.queue.Enqueue(ctx, buyNumberJob{Number: id})
	}

	return atOnce, s.buyOne(ctx, buyNumberJob{Number: id})
}

// enqueueRelease has a number given back.
func (s *provisioner) enqueueRelease(ctx context.Context, id uuid.UUID) error {
	return s.queue.Enqueue(ctx, releaseNumberJob{Number: id})
}

// buyOne does the job. It may run twice: buying what the account has changes nothing.
func (s *provisioner) buyOne(ctx context.Context, args buyNumberJob) error {
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

// releaseNumberJob is the job that gives a number back.
type releaseNumberJob struct {
	Number uuid.UUID `json:"number"`
}

// Kind implements jobs.Args.
func (releaseNumberJob) Kind() string { return "sms.release_number" }

// releaseOne does the job. A number that the provider does not take back is active again, with the problem.
func (s *provisioner) releaseOne(ctx context.Context, args releaseNumberJob) error {
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

// lineOf returns a number and its account; nil if the number is in another state by now.
func (s *provisioner) openLine(ctx context.Context, id uuid.UUID, state string) (store.Number, *vendors.Line, error) {
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

// settle changes a number that is still in a state.
func (s *provisioner) changeIn(ctx context.Context, id uuid.UUID, state string, change func(*store.Number)) error {
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

// importNumbersJob is the job that takes over the numbers of an account.
type importNumbersJob struct {
	Account uuid.UUID `json:"account"`
	// Point has the provider bring us what comes to the numbers.
	Point bool `json:"point,omitempty"`
	// Known leaves numbers alone that are not known here.
	Known bool `json:"known,omitempty"`
}

// Kind implements jobs.Args.
func (importNumbersJob) Kind() string { return "sms.import_numbers" }

// importer adds the numbers that accounts have at their providers.
type importer struct {
	store    *store.Repository
	vendors  *vendors.Service
	queue    *jobs.Queue
	clock    clock.Clock
	settings *settings.Settings
}

func newImporter(r *store.Repository, v *vendors.Service, queue *jobs.Queue, c clock.Clock, s *settings.Settings) *importer {
	return &importer{store: r, vendors: v, queue: queue, clock: c, settings: s}
}

// importAll does the job: numbers that are new are added, of the others it takes what they can do and their
// registration. Numbers that the account has no more stay, for people to see.
func (s *importer) importAll(ctx context.Context, args importNumbersJob) error {
	from, err := s.vendors.Accounts.One(ctx, args.Account)
	if errors.Is(err, store.ErrAccount) {
		return nil
	}
	if err != nil {
		return err
	}
	open, err := s.vendors.Open(ctx, from)
	if err != nil {
		return err
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	owned, err := open.List(calling)
	if _, noted := s.vendors.NoteHealth(ctx, from, err); err != nil || noted != nil {
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
func (s *importer) pointAll(ctx context.Context, open vendors.Line, owned []provider.Owned) error {
	var problems []error
	for _, o := range owned {
		calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
		err := open.SetCallbacks(calling, o)
		cancel()
		if err != nil {
			problems = append(problems, fmt.Errorf("number %s: %w", o.ID, err))
		}
	}

	return errors.Join(problems...)
}

func (s *importer) importOne(ctx context.Context, from store.Account, o provider.Owned, known bool) error {
	now := s.clock.Now()

	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.NumberByE164(ctx, from.ID, o.Number)
		if errors.Is(err, store.ErrNumber) && known {
			return nil
		}
		if errors.Is(err, store.ErrNumber) {
			row = store.Number{
				ID: database.NewID(), AccountID: from.ID, Number: o.Number, Kind: provider.Local, State: store.NumberActive,
				PerMinute: int64(s.settings.PerMinute), Version: 1, CreatedAt: now, UpdatedAt: now,
			}
			row.SetOwned(o)
			err = s.store.DB.Savepoint(ctx, func(ctx context.Context) error {
				return database.DuplicateAs(s.store.Insert(ctx, &row), store.ErrNumberTaken)
			})
			if errors.Is(err, store.ErrNumberTaken) { // it is another account's
				return nil
			}

			return err
		}
		if err != nil {
			return err
		}
		row.SetOwned(o)
		row.Version, row.UpdatedAt = row.Version+1, now

		return s.store.SaveNumber(ctx, &row)
	})
}

// startImport enqueues the job.
func (s *importer) startImport(ctx context.Context, id uuid.UUID, point bool) (store.Account, error) {
	var row store.Account
	err := s.store.DB.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.vendors.Accounts.Ready(ctx, id); err != nil {
			return err
		}
		if _, message := s.vendors.Callbacks(row); point && message == "" {
			return store.ErrNoAddress
		}

		return s.queue.Enqueue(ctx, importNumbersJob{Account: row.ID, Point: point}, jobs.Unique())
	})

	return row, err
}
