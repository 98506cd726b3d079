package dispatches

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// daysOf returns on which days a load can be picked up and delivered. Yesterday is not the past yet: it may be today where the carrier is.
func (d *desk) daysOf(ctx context.Context, of loadsapi.Standing) (store.AllowedDays, error) {
	today, err := d.offers.Today(ctx)
	if err != nil {
		return store.AllowedDays{}, err
	}

	return store.AllowedDaysOf(of, today)
}

// checkDays refuses a change of a dispatch to days that cannot be agreed, and to times at which nobody can come any more.
func (d *desk) checkDays(ctx context.Context, c *resource.Change[store.Dispatch]) error {
	was, now := *c.Before, *c.After
	if was.Days() != now.Days() {
		of, err := d.standings.Standing(ctx, now.Load.String())
		if err := store.IgnoreRefusal(err); err != nil {
			return err
		}
		lags := was.LagsBehind(of) // the load is further than the dispatch
		switch {
		case was.PickupDate != now.PickupDate && (was.PickedUpAt != nil && now.PickedUpAt != nil || lags):
			c.Refuse(store.ErrDayPassed.WithDetail("field", "pickup_date"))
		case was.DeliveryDate != now.DeliveryDate && (was.DeliveredAt != nil && now.DeliveredAt != nil || lags && of.State != loadsapi.PickedUp):
			c.Refuse(store.ErrDayPassed.WithMessage("The vehicles were delivered: the day of that stays as it was agreed.").WithDetail("field", "delivery_date"))
		}
		can, err := d.daysOf(ctx, of)
		if err != nil {
			return err
		}
		c.After.Warnings = store.WarningsOf(of, now.PickupDate)
		wrong := can.Check(now.Days(), was.Days(), false)
		for name, gone := range map[string]bool{"pickup_date": was.PickupDate != "" && now.PickupDate == "", "delivery_date": was.DeliveryDate != "" && now.DeliveryDate == ""} {
			if gone {
				wrong = wrong.WithField(name, "The "+name+" was agreed. Name another day.")
			}
		}
		if len(wrong.Fields) > 0 {
			c.Refuse(wrong)
		}
	}
	if wrong := now.CheckETAs(was, d.now(), store.ErrInvalidDispatch); len(wrong.Fields) > 0 {
		c.Refuse(wrong)
	}

	return nil
}
