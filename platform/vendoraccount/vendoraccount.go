// Package vendoraccount keeps the accounts that companies have at vendors, for every area whose work a vendor does.
//
// An account has a name, sealed credentials, a health, and may be disabled; one of a company's is the default. An area's row
// embeds Account and adds what its vendors need; a Store keeps the rows in the area's table, and Routes are the operations that
// are the same in every area. What credentials a vendor takes, how an account is opened and tested, and when it is in use, is
// the area's: it says so where the Store calls it back.
package vendoraccount

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Rules are what a Store has to know of an area.
type Rules struct {
	// NotFound is the failure if there is no such account, None if the company has none at all, Disabled if one is to be used
	// that is disabled, Taken if another has its name, Used if it is needed still, Invalid if credentials are none.
	NotFound, None, Disabled, Taken, Used, Invalid *errs.Error
	// MaxCredential is the largest credential, in bytes.
	MaxCredential int
	// Own are columns of the area's that are stored with an account. What is not named has another writer.
	Own []string
	// Audit records which fields of an account were changed, as Item ("pay.account"); nil records none.
	Audit *audit.Log
	Item  string
}

// Store keeps an area's accounts. A is its row.
type Store[A any, P Row[A]] struct {
	db    *database.DB
	clock clock.Clock
	keys  *secret.Keys
	rules Rules
}

// New returns the store of the accounts in A's table.
func New[A any, P Row[A]](db *database.DB, c clock.Clock, keys *secret.Keys, rules Rules) *Store[A, P] {
	return &Store[A, P]{db: db, clock: c, keys: keys, rules: rules}
}

// NewAccount is an account that is not stored yet, and has no credentials.
func (s *Store[A, P]) NewAccount(name, provider string) Account {
	now := s.clock.Now()

	return Account{
		ID: database.NewID(), Name: strings.TrimSpace(name), Provider: provider, Health: Unchecked,
		Version: 1, CreatedAt: now, UpdatedAt: now,
	}
}

// Create stores an account, as the default if the company has none, and does in the same transaction what is to be done also.
// Of two first accounts at a time the index of defaults decides.
func (s *Store[A, P]) Create(ctx context.Context, row P, also func(context.Context) error) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		err := s.insertFirst(ctx, row)
		if errors.Is(err, database.ErrDuplicate) { // there is a first one by now, or the name is taken
			err = s.insertFirst(ctx, row)
		}
		if err != nil || also == nil {
			return database.DuplicateAs(err, s.rules.Taken)
		}

		return also(ctx)
	})
}

// insertFirst inserts an account, as the default if the company has none.
func (s *Store[A, P]) insertFirst(ctx context.Context, row P) error {
	_, err := s.byDefault(ctx)
	none := errors.Is(err, s.rules.None)
	if err != nil && !none {
		return err
	}
	row.Common().IsDefault = none

	return s.db.Savepoint(ctx, func(ctx context.Context) error { return s.insert(ctx, row) })
}

// Change holds an account, lets do change it, and stores it as the next version.
func (s *Store[A, P]) Change(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(context.Context, P) error) (row A, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.matching(ctx, id, match); err != nil {
			return err
		}
		a := P(&row).Common()
		before := *a
		if err := do(ctx, &row); err != nil {
			return err
		}
		a.Version, a.UpdatedAt = a.Version+1, s.clock.Now()
		if err := s.save(ctx, &row); err != nil {
			return err
		}

		return s.record(ctx, before, *a)
	})

	return row, err
}

// record tells the audit trail which fields were changed; of the credentials, only that they were.
func (s *Store[A, P]) record(ctx context.Context, before, after Account) error {
	if s.rules.Audit == nil {
		return nil
	}
	changes, err := audit.Diff(before.recorded(), after.recorded())
	if err != nil {
		return err
	}
	if !bytes.Equal(before.Credentials, after.Credentials) {
		changes["credentials"] = audit.Change{}
	}
	if len(changes) == 0 {
		return nil
	}

	return s.rules.Audit.Record(ctx, audit.Entry{Action: s.rules.Item + ".updated", Item: audit.Item{Type: s.rules.Item, UUID: after.ID}, Changes: changes})
}

func (a Account) recorded() map[string]any {
	return map[string]any{"name": a.Name, "default": a.IsDefault, "disabled_at": a.DisabledAt}
}

// matching is OneForUpdate, of the version that the caller means.
func (s *Store[A, P]) matching(ctx context.Context, id uuid.UUID, match web.IfMatch) (A, error) {
	row, err := s.OneForUpdate(ctx, id)
	if err != nil {
		return row, err
	}

	return row, match.Check(P(&row).Common().Version)
}

// Update changes the name, and the credentials if there are some: then what was found with the old ones is forgotten. renew
// checks the new ones against the account, has the area's own columns follow, and returns them as they are to be kept.
func (s *Store[A, P]) Update(
	ctx context.Context, id uuid.UUID, match web.IfMatch, name *string, credentials map[string]string,
	renew func(ctx context.Context, row P) (map[string]string, error),
) (A, error) {
	return s.Change(ctx, id, match, func(ctx context.Context, row P) error {
		a := row.Common()
		if name != nil {
			a.Name = strings.TrimSpace(*name)
		}
		if credentials == nil {
			return nil
		}
		kept, err := renew(ctx, row)
		if err != nil {
			return err
		}
		a.Health, a.Problem, a.CheckedAt = Unchecked, "", nil

		return s.Seal(ctx, row, kept)
	})
}

// Disable stops an account, or lets it go on.
func (s *Store[A, P]) Disable(ctx context.Context, id uuid.UUID, match web.IfMatch, disabled bool) (A, error) {
	return s.Change(ctx, id, match, func(_ context.Context, row P) error {
		now := s.clock.Now()
		if row.Common().DisabledAt = nil; disabled {
			row.Common().DisabledAt = &now
		}

		return nil
	})
}

// prefer makes an account the one that is used where none is said.
func (s *Store[A, P]) prefer(ctx context.Context, id uuid.UUID, match web.IfMatch) (A, error) {
	return s.Change(ctx, id, match, func(ctx context.Context, row P) error {
		row.Common().IsDefault = true

		return s.clearDefault(ctx)
	})
}

// Remove deletes an account that is not used; drop deletes first what only the account had, nil for nothing.
func (s *Store[A, P]) Remove(
	ctx context.Context, id uuid.UUID, match web.IfMatch, used func(context.Context, uuid.UUID) (bool, error), drop func(context.Context, uuid.UUID) error,
) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.matching(ctx, id, match); err != nil {
			return err
		}
		is, err := used(ctx, id)
		if err == nil && is {
			err = s.rules.Used
		}
		if err != nil {
			return err
		}
		if drop != nil {
			if err := drop(ctx, id); err != nil {
				return err
			}
		}

		return s.delete(ctx, id)
	})
}

// NoteProblem keeps what a call of an account has shown: the problem, "" for none, and what found puts into the row, nil for nothing.
// Nothing is kept if the credentials are others by now. It is no new version.
func (s *Store[A, P]) NoteProblem(ctx context.Context, of A, problem string, found func(P)) (row A, err error) {
	called := P(&of).Common()
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.OneForUpdate(ctx, called.ID); err != nil {
			return err
		}
		a := P(&row).Common()
		if !slices.Equal(a.Credentials, called.Credentials) {
			return nil
		}
		now := s.clock.Now()
		a.Health, a.Problem, a.CheckedAt = Connected, "", &now
		if problem != "" {
			a.Health, a.Problem = Failing, problem
		} else if found != nil {
			found(&row)
		}

		return s.save(ctx, &row)
	})

	return row, err
}

// Ready returns an account that may be used: the given one, or the default for uuid.Nil.
func (s *Store[A, P]) Ready(ctx context.Context, id uuid.UUID) (row A, err error) {
	if id == uuid.Nil {
		row, err = s.byDefault(ctx)
	} else {
		row, err = s.One(ctx, id)
	}
	if err == nil && P(&row).Common().DisabledAt != nil {
		err = s.rules.Disabled
	}

	return row, err
}
