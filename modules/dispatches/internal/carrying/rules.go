package carrying

import (
	"bytes"
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Rules decide about changes of dispatches.
type Rules struct {
	dispatches *resource.Resource[store.Dispatch]
	loads      loadsapi.Standings
	views      loadsapi.Views
	clock      clock.Clock
}

// NewRules returns Rules.
func NewRules(dispatches *resource.Resource[store.Dispatch], loads loadsapi.Standings, views loadsapi.Views, c clock.Clock) *Rules {
	return &Rules{dispatches, loads, views, c}
}

// Decide refuses days and times that cannot be agreed, and counts the revisions of the terms.
func (r *Rules) Decide(ctx context.Context, all []*resource.Change[store.Dispatch]) error {
	for _, c := range all {
		if c.Before == nil {
			c.After.Overdue = store.NotOverdue
		}
		if c.Verb == resource.Delete || c.Before == nil {
			continue
		}
		if err := r.checkDays(ctx, c); err != nil {
			return err
		}
		if c.Verb == store.VerbSettle {
			if err := r.takeFinalTerms(ctx, c.After); err != nil {
				return err
			}
		}
		was, now := c.Before, c.After
		if was.Days() != now.Days() || was.CarrierPay != now.CarrierPay || !bytes.Equal(was.Snapshot, now.Snapshot) {
			now.Revision = was.Revision + 1
		}
		if c.Verb != store.VerbOverdue && now.CatchesUp(*was) {
			now.Overdue = store.NotOverdue
		}
	}

	return nil
}

// checkDays refuses a change to days on which the load cannot be carried, and to times of arrival that are over.
func (r *Rules) checkDays(ctx context.Context, c *resource.Change[store.Dispatch]) error {
	was, now := *c.Before, *c.After
	if was.Days() != now.Days() {
		load, err := r.loads.Standing(ctx, now.Load.String())
		if err := store.IgnoreRefusal(err); err != nil {
			return err
		}
		today, err := r.dispatches.Today(ctx)
		if err != nil {
			return err
		}
		allowed, err := store.AllowedDaysOf(load, today)
		if err != nil {
			return err
		}
		if passed := now.CheckPassedDays(was, load); passed != nil {
			c.Refuse(passed)
		}
		c.After.Warnings = store.WarningsOf(load, now.PickupDate)
		if wrong := now.CheckDays(was, allowed); len(wrong.Fields) > 0 {
			c.Refuse(wrong)
		}
	}
	if wrong := now.CheckETAs(was, r.clock.Now(), store.ErrInvalidDispatch); len(wrong.Fields) > 0 {
		c.Refuse(wrong)
	}

	return nil
}

// takeFinalTerms gives a dispatch that is settled the terms of its load, which it may not have followed yet.
func (r *Rules) takeFinalTerms(ctx context.Context, row *store.Dispatch) error {
	load, err := r.loads.Standing(ctx, row.Load.String())
	if errors.Is(err, loadsapi.ErrNotFound) || err == nil && !row.Matches(load) {
		return nil
	}
	if err != nil {
		return err
	}
	seen, err := r.views.Carrier(ctx, load.Load)
	if err == nil && row.HasOtherTerms(load, seen.JSON) {
		row.TakeTerms(load, seen.JSON)
	}

	return err
}
