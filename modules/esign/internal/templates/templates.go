// Package templates keeps the providers' templates, and the mappings that fill them from items.
package templates

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// SyncEvery is how often providers are asked for their templates.
	SyncEvery = 6 * time.Hour
	// SyncTime is how long a run may take.
	SyncTime = 9 * time.Minute
	// mostTemplates is how many templates of an account are kept.
	mostTemplates = 5000
)

// Service keeps the providers' templates.
type Service struct {
	db      *database.DB
	store   *store.Repository
	vendors *accounts.Vendors
	queue   *jobs.Queue
	clock   clock.Clock
}

// New returns a Service.
func New(r *store.Repository, v *accounts.Vendors, queue *jobs.Queue, c clock.Clock) *Service {
	return &Service{db: r.DB, store: r, vendors: v, queue: queue, clock: c}
}

// Fingerprint tells templates apart by their roles and tabs, in whatever order the provider lists them.
func Fingerprint(roles []provider.Role) string {
	sorted := slices.Clone(roles)
	slices.SortStableFunc(sorted, func(a, b provider.Role) int { return cmp.Compare(a.Name, b.Name) })
	for i := range sorted {
		tabs := slices.Clone(sorted[i].Tabs)
		slices.SortStableFunc(tabs, func(a, b provider.Tab) int {
			return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Type, b.Type))
		})
		for j := range tabs {
			tabs[j].Value = "" // what stands in a tab before does not change what can be filled in
		}
		sorted[i].Tabs = tabs
	}
	text, err := json.Marshal(sorted)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:])
}

// SyncJob is the job that asks a provider for the templates of an account.
type SyncJob struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (SyncJob) Kind() string { return "esign.sync_templates" }

// SyncAllJob is the job that has the templates of all accounts asked for.
type SyncAllJob struct{}

// Kind implements jobs.Args.
func (SyncAllJob) Kind() string { return "esign.sync_all_templates" }

// SyncAll gives each account that is in use a job of its own.
func (s *Service) SyncAll(ctx context.Context, _ SyncAllJob) error {
	return s.vendors.Accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, SyncJob{Account: account}, jobs.Unique(), jobs.Background())
	})
}

// StartSync has the templates of one account asked for, or of all.
func (s *Service) StartSync(ctx context.Context, id uuid.UUID) (ids []uuid.UUID, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		ids = nil
		if id != uuid.Nil {
			row, err := s.vendors.Accounts.Ready(ctx, id)
			if err != nil {
				return err
			}
			ids = []uuid.UUID{row.ID}
		} else if ids, err = s.store.EnabledAccounts(ctx); err != nil {
			return err
		}
		if len(ids) == 0 {
			return store.ErrNoAccount
		}
		for _, id := range ids {
			if err := s.queue.Enqueue(ctx, SyncJob{Account: id}, jobs.Unique()); err != nil {
				return err
			}
		}

		return nil
	})

	return ids, err
}

// SyncOne does the job. Those that have not changed since they were asked for are not asked for again, so a run that
// is put off by a rate limit comes further the next time.
func (s *Service) SyncOne(ctx context.Context, args SyncJob) error {
	from, err := s.vendors.Accounts.One(ctx, args.Account)
	if errors.Is(err, store.ErrAccount) || err == nil && from.DisabledAt != nil {
		return nil
	}
	if err != nil {
		return err
	}
	open, err := s.vendors.Open(ctx, from)
	if err != nil {
		return err
	}
	begun := s.clock.Now()
	known, err := s.store.TemplatesOf(ctx, from.ID)
	if err != nil {
		return err
	}
	count := 0
	for next := ""; ; {
		page, after, err := s.templatePage(ctx, open, next)
		if err != nil {
			return s.retryLater(ctx, from, err)
		}
		if err := s.syncPage(ctx, from, open, page, known); err != nil {
			return s.retryLater(ctx, from, err)
		}
		if count += len(page); after == "" || after == next || count >= mostTemplates {
			break
		}
		next = after
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		return s.store.MarkTemplatesMissing(ctx, from.ID, begun, s.clock.Now())
	})
}

func (s *Service) templatePage(ctx context.Context, open provider.Account, next string) ([]provider.Template, string, error) {
	calling, cancel := s.vendors.CallContext(ctx)
	defer cancel()

	return open.Templates(calling, next)
}

// syncPage keeps templates that the provider has listed.
func (s *Service) syncPage(ctx context.Context, from store.Account, open provider.Account, page []provider.Template, known map[string]store.Template) error {
	var same []uuid.UUID
	for _, listed := range page {
		row := known[listed.ID]
		if row.ChangedAt != nil && !listed.ChangedAt.IsZero() && row.ChangedAt.Equal(listed.ChangedAt.Truncate(time.Microsecond)) {
			same = append(same, row.ID)

			continue
		}
		whole, err := s.FetchTemplate(ctx, open, listed.ID)
		if refusal, ok := errors.AsType[*provider.Error](err); ok && refusal.Reason == provider.NotFound {
			continue // it went while the list was read
		}
		if err == nil {
			err = s.SaveTemplate(ctx, from.ID, whole)
		}
		if err != nil {
			return err
		}
	}
	if len(same) == 0 {
		return nil
	}

	return s.db.InTx(ctx, func(ctx context.Context) error { return s.store.MarkTemplatesSeen(ctx, same, s.clock.Now()) })
}

// FetchTemplate reads a template from the provider.
func (s *Service) FetchTemplate(ctx context.Context, open provider.Account, id string) (provider.Template, error) {
	calling, cancel := s.vendors.CallContext(ctx)
	defer cancel()

	return open.Template(calling, id)
}

// SaveTemplate stores a template as the provider has it now.
func (s *Service) SaveTemplate(ctx context.Context, account uuid.UUID, t provider.Template) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		now := s.clock.Now()
		row, err := s.store.HeldTemplateOf(ctx, account, t.ID)
		fresh := errors.Is(err, store.ErrTemplate)
		if err != nil && !fresh {
			return err
		}
		if fresh {
			row = store.Template{ID: database.NewID(), AccountID: account, ExternalID: t.ID, Version: 0, CreatedAt: now}
		}
		row.Name, row.Description, row.Subject, row.Message = t.Name, t.Description, t.Subject, t.Message
		row.Roles, row.Fingerprint = t.Roles, Fingerprint(t.Roles)
		if row.Roles == nil {
			row.Roles = []provider.Role{}
		}
		row.ChangedAt, row.MissingAt, row.SyncedAt = nil, nil, now
		if !t.ChangedAt.IsZero() {
			at := clock.Stamp(t.ChangedAt)
			row.ChangedAt = &at
		}
		row.Version, row.UpdatedAt = row.Version+1, now
		if !fresh {
			return s.store.SaveTemplate(ctx, &row)
		}
		err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.store.Insert(ctx, &row) })
		if errors.Is(err, database.ErrDuplicate) { // another run was faster
			return nil
		}

		return err
	})
	if err != nil {
		return fmt.Errorf("template %s: %w", t.ID, err)
	}

	return nil
}

// retryLater is what a job does about a provider's failure: it waits for as long as the provider says, gives up where
// trying again is of no use, and notes that credentials do not work.
func (s *Service) retryLater(ctx context.Context, from store.Account, err error) error {
	refusal, answered := errors.AsType[*provider.Error](err)
	if !answered {
		return err
	}
	if refusal.Reason == provider.Auth || refusal.Reason == provider.ConsentRequired {
		if _, noted := s.vendors.NoteHealth(ctx, from, provider.Found{}, err); noted != nil {
			return noted
		}
	}
	switch {
	case refusal.Reason == provider.RateLimited:
		return jobs.Later(max(refusal.RetryAfter, time.Minute))
	case !refusal.Retryable:
		return jobs.Permanent(err)
	default:
		return err
	}
}
