package link

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// listLimit is how many links List returns at most.
const listLimit = 100

// Filter says which links are meant. Zero values mean any.
type Filter struct {
	Purpose Purpose
	Subject Subject
	// Before is the id of the last link of the page before; newer ones come first.
	Before uuid.UUID
	// Usable leaves out the links that can be used no more.
	Usable bool
}

// List lists links of the caller's company, newest first, 100 at most.
func (s *Service) List(ctx context.Context, f Filter) ([]Link, error) {
	return s.rows.list(ctx, f, s.clock.Now())
}

// Revoke ends a link of the caller's company. Revoking it again changes nothing. Errors:
// link.not_found.
func (s *Service) Revoke(ctx context.Context, id uuid.UUID) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error { return s.rows.revoke(ctx, id, s.clock.Now()) })
	if errors.Is(err, database.ErrNotFound) {
		return ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("link %s: %w", id, err)
	}

	return nil
}

// RevokeOf is Revoke of a link for a purpose and a subject: another one is not found.
func (s *Service) RevokeOf(ctx context.Context, p Purpose, about Subject, id uuid.UUID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		l, err := s.rows.findByID(ctx, p, id)
		if errors.Is(err, database.ErrNotFound) || (err == nil && l.Subject != about) {
			return ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("reading link %s: %w", id, err)
		}

		return s.Revoke(ctx, id)
	})
}

// RevokeAll ends every link of the caller's company for a purpose and a subject, as when a new
// invitation takes the place of an old one, and returns how many could be used until then.
func (s *Service) RevokeAll(ctx context.Context, p Purpose, about Subject) (ended int, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) (err error) {
		ended, err = s.rows.revokeAll(ctx, p, about, s.clock.Now())

		return err
	})
	if err != nil {
		return 0, fmt.Errorf("links for %s of %s %s: %w", p, about.Type, about.ID, err)
	}

	return ended, nil
}
