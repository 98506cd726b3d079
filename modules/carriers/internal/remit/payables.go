package remit

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Payables know how carriers are paid, and move changes of that through their life.
type Payables struct {
	changes *resource.Resource[Change]
	clock   clock.Clock
}

// New returns the payables.
func New(changes *resource.Resource[Change], c clock.Clock) *Payables {
	return &Payables{changes, c}
}

// Standing has the effective and the pending remit-to of a carrier; each may be nil.
type Standing struct{ Effective, Pending *Change }

// Of returns the remit-tos of carriers.
func (p *Payables) Of(ctx context.Context, carriers ...uuid.UUID) (map[uuid.UUID]Standing, error) {
	rows, err := p.changes.Where(ctx, "carrier_id IN ? AND state IN ?", carriers, []remitState{Effective, Pending})
	all := map[uuid.UUID]Standing{}
	for i := range rows {
		of := all[rows[i].Carrier]
		if rows[i].State == Effective {
			of.Effective = &rows[i]
		} else {
			of.Pending = &rows[i]
		}
		all[rows[i].Carrier] = of
	}

	return all, err
}

// Facts adds redirections of payments to the facts about a carrier. The first remit-to redirects nothing.
func (t Standing) Facts(own *verdict.Own) {
	if t.Effective != nil && t.Effective.Replaces != nil {
		own.RemitToChanged = t.Effective.EffectiveOn
	}
	own.RemitToPending = t.Pending != nil && t.Effective != nil
}

// Propose stores a change that is held for a time.
func (p *Payables) Propose(ctx context.Context, row Change, hold time.Duration) (Change, error) {
	row.HoldUntil = clock.Stamp(p.clock.Now().Add(hold))

	return p.changes.Create(ctx, row)
}

// Verified stores when a change was verified, unless check refuses it.
func (p *Payables) Verified(
	ctx context.Context, id uuid.UUID, match web.IfMatch, check func(context.Context, *Change) error,
) (Change, error) {
	return p.changes.Change(ctx, id, match, Verify, func(ctx context.Context, c *Change) error {
		c.VerifiedAt = new(p.clock.Now())

		return check(ctx, c)
	})
}

// Held is for how long a change is still held; 0 or less if it is not.
func (p *Payables) Held(row Change) time.Duration { return row.HoldUntil.Sub(p.clock.Now()) }

// Missing is the error of a change that does not exist.
func (p *Payables) Missing() *errs.Error { return p.changes.NotFound() }

// Find returns a change. Error: carriers.remit_to_change_not_found.
func (p *Payables) Find(ctx context.Context, id uuid.UUID) (Change, error) {
	return p.changes.Find(ctx, id)
}

// End ends a change that another one replaces, as the service.
func (p *Payables) End(ctx context.Context, id uuid.UUID) error {
	_, err := p.changes.Change(asService(ctx), id, web.IfMatch{}, Replace, func(ctx context.Context, c *Change) error {
		c.EndedAt = new(p.clock.Now())

		return p.changes.Step(ctx, c, state.Move{Verb: string(Replace), Reason: "Another change replaces it."})
	})

	return err
}

// asService returns a context in which the service acts instead of the caller.
func asService(ctx context.Context) context.Context {
	return principal.AsCompany(ctx, principal.CompanyOf(ctx))
}

// TakeEffect makes a change effective in place of the one before, nil for none.
func (p *Payables) TakeEffect(ctx context.Context, row Change, before *Change) (Change, error) {
	today, err := p.changes.Today(ctx)
	if err != nil {
		return row, err
	}

	return p.changes.Change(asService(ctx), row.ID, web.IfMatch{}, TakesEffect, func(ctx context.Context, c *Change) error {
		c.EffectiveAt, c.EffectiveOn = new(p.clock.Now()), today
		if before != nil {
			c.Replaces = &before.ID
		}

		return p.changes.Step(ctx, c, state.Move{Verb: string(TakesEffect), Reason: "It was verified, and its hold is over."})
	})
}

// Cancelled stores when changes were cancelled.
func (p *Payables) Cancelled(_ context.Context, all []*resource.Change[Change]) error {
	for _, c := range all {
		if c.Verb == Cancel {
			c.After.EndedAt = new(p.clock.Now())
		}
	}

	return nil
}
