// Package numbers finds, buys, imports, assigns and releases the company's numbers, and keeps whose default they are.
package numbers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/company"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Editor changes phone numbers.
type Editor struct {
	store *store.Repository
	trail *company.Trail
	clock clock.Clock
}

// NewEditor returns an Editor.
func NewEditor(r *store.Repository, t *company.Trail, c clock.Clock) *Editor {
	return &Editor{store: r, trail: t, clock: c}
}

// Change holds a number, lets do change it, and stores it.
func (s *Editor) Change(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(context.Context, *store.Number) error) (row store.Number, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.store.LockNumber(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		before := row
		if err := do(ctx, &row); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := s.store.SaveNumber(ctx, &row); err != nil {
			return err
		}

		return s.trail.Updated(ctx, company.NumberItem, row.ID, NewNumberBody(before), NewNumberBody(row))
	})

	return row, err
}
