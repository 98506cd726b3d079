package numbers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// RefreshEvery is how often numbers are refreshed.
const RefreshEvery = 24 * time.Hour

// RefreshNumbers is the job that asks of all numbers what they can do, and how far their registration is: carriers take
// days for it, and tell nobody.
type RefreshNumbers struct{}

// Kind implements jobs.Args.
func (RefreshNumbers) Kind() string { return "sms.refresh_numbers" }

// RefreshAll has the numbers of all accounts in use refreshed.
func (s *Importer) RefreshAll(ctx context.Context, _ RefreshNumbers) error {
	return s.vendors.Accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, ImportNumbers{Account: account, Known: true}, jobs.Unique(), jobs.Attempts(1))
	}, s.vendors.Simulated()...)
}

// ImportNumbers is the job that takes over the numbers of an account.
type ImportNumbers struct {
	Account uuid.UUID `json:"account"`
	// Point has the provider bring us what comes to the numbers.
	Point bool `json:"point,omitempty"`
	// Known leaves numbers alone that are not known here.
	Known bool `json:"known,omitempty"`
}

// Kind implements jobs.Args.
func (ImportNumbers) Kind() string { return "sms.import_numbers" }

// Importer adds the numbers that accounts have at their providers.
type Importer struct {
	store    *store.Repository
	vendors  *vendors.Service
	queue    *jobs.Queue
	clock    clock.Clock
	settings *settings.Settings
}

// NewImporter returns an Importer.
func NewImporter(r *store.Repository, v *vendors.Service, queue *jobs.Queue, c clock.Clock, s *settings.Settings) *Importer {
	return &Importer{store: r, vendors: v, queue: queue, clock: c, settings: s}
}

// ImportAll does the job: numbers that are new are added, of the others it takes what they can do and their
// registration. Numbers that the account has no more stay, for people to see.
func (s *Importer) ImportAll(ctx context.Context, args ImportNumbers) error {
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
func (s *Importer) pointAll(ctx context.Context, open vendors.Line, owned []provider.Owned) error {
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

func (s *Importer) importOne(ctx context.Context, from store.Account, o provider.Owned, known bool) error {
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
func (s *Importer) startImport(ctx context.Context, id uuid.UUID, point bool) (store.Account, error) {
	var row store.Account
	err := s.store.DB.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.vendors.Accounts.Ready(ctx, id); err != nil {
			return err
		}
		if _, message := s.vendors.Callbacks(row); point && message == "" {
			return store.ErrNoAddress
		}

		return s.queue.Enqueue(ctx, ImportNumbers{Account: row.ID, Point: point}, jobs.Unique())
	})

	return row, err
}

// ImportRoutes are the operations that import numbers.
func ImportRoutes(r *web.Router, s *Importer) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/numbers/import", ID: "import_numbers", Access: web.Scope(accounts.Scope),
		Summary:     "Import the numbers of a provider account",
		Description: "A job adds new numbers, and updates the capabilities and registration of the others.",
		Errors:      []*errs.Error{store.ErrAccount, store.ErrNoAccount, store.ErrDisabled, store.ErrNoAddress},
	}, s.postImport)
}

type importInput struct {
	Body struct {
		AccountUUID  uuid.UUID `json:"account_uuid,omitzero" doc:"The provider account; by default the default one."`
		SetCallbacks bool      `json:"set_callbacks,omitempty" doc:"Whether to redirect the inbound messages of these numbers to this service, replacing their current destination."`
	}
}

func (s *Importer) postImport(ctx context.Context, in *importInput) (*web.Resource[accounts.AccountBody], error) {
	row, err := s.startImport(ctx, in.Body.AccountUUID, in.Body.SetCallbacks)

	return accounts.Resource(s.vendors, row, err)
}
