package sms

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	liquid "github.com/dispatchd/dispatchd/platform/template"
	"github.com/dispatchd/dispatchd/platform/web"
)

// templates decides about templates.
type templates struct{ *core }

func newTemplates(c *core) *templates { return &templates{core: c} }

// accept refuses a template that could not be sent.
func (row *template) accept() error {
	row.Name = strings.TrimSpace(row.Name)
	if row.Name == "" {
		return errInvalid.WithField("name", "The name is required.")
	}
	if strings.TrimSpace(row.Body) == "" {
		return errInvalid.WithField("body", "The body is required.")
	}
	if wrong, ok := errors.AsType[*liquid.Error](liquid.Check(row.Body)); ok {
		return errInvalid.WithField("body", wrong.Problem)
	}

	return nil
}

func (s *templates) create(ctx context.Context, name, body string) (template, error) {
	now := s.clock.Now()
	row := template{ID: database.NewID(), Name: name, Body: body, Version: 1, CreatedAt: now, UpdatedAt: now}
	if err := row.accept(); err != nil {
		return row, err
	}

	return row, s.db.InTx(ctx, func(ctx context.Context) error { return database.Taken(s.insert(ctx, &row), errTaken) })
}

// change holds a template that is deleted, or is not, lets do change it, and stores it.
func (s *templates) change(ctx context.Context, id uuid.UUID, match web.IfMatch, deleted bool, do func(*template) error) (row template, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.heldTemplate(ctx, id); err != nil {
			return err
		}
		if (row.DeletedAt != nil) != deleted {
			return errTemplate
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if err := do(&row); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.saveTemplate(ctx, &row)
	})

	return row, err
}
