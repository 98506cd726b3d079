package carriers

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

// payables know how carriers are paid, and move changes of that through their life.
type payables struct {
	changes *resource.Resource[remitChange]
	clock   clock.Clock
}

func newPayables(changes *resource.Resource[remitChange], c clock.Clock) *payables {
	return &payables{changes, c}
}

// remitTo has the effective and the pending remit-to of a carrier; each may be nil.
type remitTo struct{ effective, pending *remitChange }

// of returns the remit-tos of carriers.
func (p *payables) of(ctx context.Context, carriers ...uuid.UUID) (map[uuid.UUID]remitTo, error) {
	rows, err := p.changes.Where(ctx, "carrier_id IN ? AND state IN ?", carriers, []remitState{remitEffective, remitPending})
	all := map[uuid.UUID]remitTo{}
	for i := range rows {
		of := all[rows[i].Carrier]
		if rows[i].State == remitEffective {
			of.effective = &rows[i]
		} else {
			of.pending = &rows[i]
		}
		all[rows[i].Carrier] = of
	}

	return all, err
}

// facts adds redirections of payments to the facts about a carrier. The first remit-to redirects nothing.
func (t remitTo) facts(own *verdict.Own) {
	if t.effective != nil && t.effective.Replaces != nil {
		own.RemitToChanged = t.effective.EffectiveOn
	}
	own.RemitToPending = t.pending != nil && t.effective != nil
}

// propose stores a change that is held for a time.
func (p *payables) propose(ctx context.Context, row remitChange, hold time.Duration) (remitChange, error) {
	row.HoldUntil = clock.Stamp(p.clock.Now().Add(hold))

	return p.changes.Create(ctx, row)
}

// verified stores when a change was verified, unless check refuses it.
func (p *payables) verified(
	ctx context.Context, id uuid.UUID, match web.IfMatch, check func(context.Context, *remitChange) error,
) (remitChange, error) {
	return p.changes.Change(ctx, id, match, remitVerify, func(ctx context.Context, c *remitChange) error {
		c.VerifiedAt = new(p.clock.Now())

		return check(ctx, c)
	})
}

// held is for how long a change is still held; 0 or less if it is not.
func (p *payables) held(row remitChange) time.Duration { return row.HoldUntil.Sub(p.clock.Now()) }

// missing is the error of a change that does not exist.
func (p *payables) missing() *errs.Error { return p.changes.NotFound() }

// find returns a change. Error: carriers.remit_to_change_not_found.
func (p *payables) find(ctx context.Context, id uuid.UUID) (remitChange, error) {
	return p.changes.Find(ctx, id)
}

// end ends a change that another one replaces, as the service.
func (p *payables) end(ctx context.Context, id uuid.UUID) error {
	_, err := p.changes.Change(asService(ctx), id, web.IfMatch{}, remitReplace, func(ctx context.Context, c *remitChange) error {
		c.EndedAt = new(p.clock.Now())

		return p.changes.Step(ctx, c, state.Move{Verb: string(remitReplace), Reason: "Another change replaces it."})
	})

	return err
}

// asService returns a context in which the service acts instead of the caller.
func asService(ctx context.Context) context.Context {
	return principal.AsCompany(ctx, principal.CompanyOf(ctx))
}

// takeEffect makes a change effective in place of the one before, nil for none.
func (p *payables) takeEffect(ctx context.Context, row remitChange, before *remitChange) (remitChange, error) {
	today, err := p.changes.Today(ctx)
	if err != nil {
		return row, err
	}

	return p.changes.Change(asService(ctx), row.ID, web.IfMatch{}, remitApply, func(ctx context.Context, c *remitChange) error {
		c.EffectiveAt, c.EffectiveOn = new(p.clock.Now()), today
		if before != nil {
			c.Replaces = &before.ID
		}

		return p.changes.Step(ctx, c, state.Move{Verb: string(remitApply), Reason: "It was verified, and its hold is over."})
	})
}

// cancelled stores when changes were cancelled.
func (p *payables) cancelled(_ context.Context, all []*resource.Change[remitChange]) error {
	for _, c := range all {
		if c.Verb == remitCancel {
			c.After.EndedAt = new(p.clock.Now())
		}
	}

	return nil
}
