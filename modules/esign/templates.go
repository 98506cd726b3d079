package esign

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

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	syncEvery = 6 * time.Hour
	syncTime  = 9 * time.Minute
	// mostTemplates is how many templates of an account are kept.
	mostTemplates = 5000
)

// templates keeps the providers' templates.
type templates struct{ *core }

func newTemplates(c *core) *templates { return &templates{core: c} }

// fingerprint tells templates apart by their roles and tabs, in whatever order the provider lists them.
func fingerprint(roles []provider.Role) string {
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

// syncing is the job that asks a provider for the templates of an account.
type syncing struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (syncing) Kind() string { return "esign.sync_templates" }

// syncingAll is the job that has the templates of all accounts asked for.
type syncingAll struct{}

// Kind implements jobs.Args.
func (syncingAll) Kind() string { return "esign.sync_all_templates" }

func (s *templates) syncAll(ctx context.Context, _ syncingAll) error {
	return s.accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, syncing{Account: account}, jobs.Unique(), jobs.Background())
	})
}

// startSync has the templates of one account asked for, or of all.
func (s *templates) startSync(ctx context.Context, id uuid.UUID) (ids []uuid.UUID, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		ids = nil
		if id != uuid.Nil {
			row, err := s.accounts.Ready(ctx, id)
			if err != nil {
				return err
			}
			ids = []uuid.UUID{row.ID}
		} else if ids, err = s.enabledAccounts(ctx); err != nil {
			return err
		}
		if len(ids) == 0 {
			return errNoAccount
		}
		for _, id := range ids {
			if err := s.queue.Enqueue(ctx, syncing{Account: id}, jobs.Unique()); err != nil {
				return err
			}
		}

		return nil
	})

	return ids, err
}

// syncOne does the job. Those that have not changed since they were asked for are not asked for again, so a run that
// is put off by a rate limit comes further the next time.
func (s *templates) syncOne(ctx context.Context, args syncing) error {
	from, err := s.accounts.One(ctx, args.Account)
	if errors.Is(err, errAccount) || err == nil && from.DisabledAt != nil {
		return nil
	}
	if err != nil {
		return err
	}
	open, err := s.vendors.dial(ctx, from)
	if err != nil {
		return err
	}
	begun := s.clock.Now()
	known, err := s.templatesOf(ctx, from.ID)
	if err != nil {
		return err
	}
	count := 0
	for next := ""; ; {
		page, after, err := s.templatePage(ctx, open, next)
		if err != nil {
			return s.putOff(ctx, from, err)
		}
		if err := s.syncPage(ctx, from, open, page, known); err != nil {
			return s.putOff(ctx, from, err)
		}
		if count += len(page); after == "" || after == next || count >= mostTemplates {
			break
		}
		next = after
	}

	return s.db.InTx(ctx, func(ctx context.Context) error { return s.missTemplates(ctx, from.ID, begun, s.clock.Now()) })
}

func (s *templates) templatePage(ctx context.Context, open provider.Account, next string) ([]provider.Template, string, error) {
	calling, cancel := context.WithTimeout(ctx, s.settings.CallTimeout)
	defer cancel()

	return open.Templates(calling, next)
}

// syncPage keeps templates that the provider has listed.
func (s *templates) syncPage(ctx context.Context, from account, open provider.Account, page []provider.Template, known map[string]template) error {
	var same []uuid.UUID
	for _, listed := range page {
		row := known[listed.ID]
		if row.ChangedAt != nil && !listed.ChangedAt.IsZero() && row.ChangedAt.Equal(listed.ChangedAt.Truncate(time.Microsecond)) {
			same = append(same, row.ID)

			continue
		}
		whole, err := s.fetchTemplate(ctx, open, listed.ID)
		if refusal, ok := errors.AsType[*provider.Error](err); ok && refusal.Reason == provider.NotFound {
			continue // it went while the list was read
		}
		if err == nil {
			err = s.keepTemplate(ctx, from.ID, whole)
		}
		if err != nil {
			return err
		}
	}
	if len(same) == 0 {
		return nil
	}

	return s.db.InTx(ctx, func(ctx context.Context) error { return s.touchTemplates(ctx, same, s.clock.Now()) })
}

func (s *core) fetchTemplate(ctx context.Context, open provider.Account, id string) (provider.Template, error) {
	calling, cancel := context.WithTimeout(ctx, s.settings.CallTimeout)
	defer cancel()

	return open.Template(calling, id)
}

// keepTemplate stores a template as the provider has it now.
func (s *core) keepTemplate(ctx context.Context, account uuid.UUID, t provider.Template) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		now := s.clock.Now()
		row, err := s.heldTemplateOf(ctx, account, t.ID)
		fresh := errors.Is(err, errTemplate)
		if err != nil && !fresh {
			return err
		}
		if fresh {
			row = template{ID: database.NewID(), AccountID: account, ExternalID: t.ID, Version: 0, CreatedAt: now}
		}
		row.Name, row.Description, row.Subject, row.Message = t.Name, t.Description, t.Subject, t.Message
		row.Roles, row.Fingerprint = t.Roles, fingerprint(t.Roles)
		if row.Roles == nil {
			row.Roles = []provider.Role{}
		}
		row.ChangedAt, row.MissingAt, row.SyncedAt = nil, nil, now
		if !t.ChangedAt.IsZero() {
			at := t.ChangedAt.UTC().Truncate(time.Microsecond)
			row.ChangedAt = &at
		}
		row.Version, row.UpdatedAt = row.Version+1, now
		if !fresh {
			return s.saveTemplate(ctx, &row)
		}
		err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.insert(ctx, &row) })
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

// putOff is what a job does about a provider's failure: it waits for as long as the provider says, gives up where
// trying again is of no use, and notes that credentials do not work.
func (s *core) putOff(ctx context.Context, from account, err error) error {
	refusal, answered := errors.AsType[*provider.Error](err)
	if !answered {
		return err
	}
	if refusal.Reason == provider.Auth || refusal.Reason == provider.ConsentRequired {
		if _, noted := s.noteHealth(ctx, from, provider.Found{}, err); noted != nil {
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
