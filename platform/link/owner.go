package link

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// listLimit is how many links List returns at most.
const listLimit = 100

// Schema returns what a list of links may be asked for.
func (s *Service) Schema() list.Schema {
	return list.Schema{
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
		Fields: []list.Field{
			{Name: "purpose", Expr: "purpose", Kind: kind.Text, Filterable: true, Operators: []list.Operator{list.Equal, list.In}, Encode: s.purpose},
			{Name: "portal", Expr: "portal", Kind: kind.Text, Nullable: true, Filterable: true, Words: names(Portals()), Held: s.declared()},
			{Name: "holder_uuid", Expr: "holder_id", Kind: kind.UUID, Nullable: true, Filterable: true, Operators: []list.Operator{list.Equal, list.In}},
		},
		DefaultSort: []string{"-uuid"},
	}
}

// purpose is the value that a filter by a purpose compares with. It refuses purposes that are not declared.
func (s *Service) purpose(text string) (any, error) {
	if _, declared := s.rules[Purpose(text)]; !declared {
		return nil, errors.New("must be one of: " + strings.Join(names(s.Purposes()), ", "))
	}

	return text, nil
}

func names[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}

	return texts
}

// declared finds the portal of a link by its purpose.
func (s *Service) declared() *list.Held {
	pairs := []string{"SELECT '' AS purpose, '' AS portal"}
	for _, portal := range Portals() {
		for _, purpose := range s.purposesOf(portal) {
			pairs = append(pairs, fmt.Sprintf("SELECT '%s', '%s'", purpose, portal))
		}
	}

	return &list.Held{ID: "purpose", Rows: "SELECT purpose FROM (" + strings.Join(pairs, " UNION ALL ") + ") AS declared WHERE purpose <> ''"}
}

// Page returns a page of the links of the caller's company. The query is parsed with Schema; live leaves out the links that can no longer be used.
func (s *Service) Page(ctx context.Context, q list.Query, live bool) (list.Page[Link], error) {
	var at *time.Time
	if live {
		now := s.clock.Now()
		at = &now
	}
	page, err := s.rows.page(ctx, q, at)

	return list.Convert(page, row.link), err
}

// Find returns a link of the caller's company. Error: link.not_found.
func (s *Service) Find(ctx context.Context, id uuid.UUID) (Link, error) {
	l, err := s.rows.byID(ctx, id)
	if errors.Is(err, database.ErrNotFound) {
		return Link{}, ErrNotFound
	}
	if err != nil {
		return Link{}, fmt.Errorf("reading link %s: %w", id, err)
	}

	return l, nil
}

// Selection says which links to revoke; all that is set must hold.
type Selection struct {
	Purpose Purpose
	Portal  Portal
	// Holder is the id of a holder.
	Holder uuid.UUID
}

// RevokeSelected ends the links of the caller's company that are selected, and returns how many could be used until then. An empty selection
// is a defect.
func (s *Service) RevokeSelected(ctx context.Context, which Selection) (ended int, err error) {
	if which == (Selection{}) {
		return 0, errors.New("revoking links: nothing is selected")
	}
	var purposes []Purpose
	if which.Portal != "" {
		purposes = s.purposesOf(which.Portal)
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		ended, err = s.rows.revokeSelected(ctx, which, purposes, s.clock.Now())

		return err
	})
	if err != nil {
		return 0, fmt.Errorf("revoking links: %w", err)
	}

	return ended, nil
}

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
		l, err := s.rows.findByID(ctx, p, id, "")
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
