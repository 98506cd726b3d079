package dispatches

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// agreeable are the days on which a load can be picked up and delivered: those of its windows, and where a window is open, none in the past.
type agreeable struct {
	pickup, delivery loadsapi.Window
	earliest         field.Date
}

// daysOf returns on which days a load can be picked up and delivered. Yesterday is not the past yet: it may be today where the carrier is.
func (d *desk) daysOf(ctx context.Context, of loadsapi.Standing) (agreeable, error) {
	today, err := d.offers.Today(ctx)
	if err != nil {
		return agreeable{}, err
	}
	day, err := time.Parse(time.DateOnly, string(today))

	return agreeable{of.Pickup, of.Delivery, field.Date(day.AddDate(0, 0, -1).Format(time.DateOnly))}, err
}

// dates are the days of a pickup and a delivery, "" for those that are not known.
type dates struct{ pickup, delivery field.Date }

// check refuses days on which the load cannot be picked up or delivered, but for those that stand already, and missing ones if they are to be named.
func (a agreeable) check(now, stands dates, named bool) *errs.Error {
	wrong := errWindow
	for _, one := range []struct {
		name     string
		day, was field.Date
		in       loadsapi.Window
	}{{"pickup_date", now.pickup, stands.pickup, a.pickup}, {"delivery_date", now.delivery, stands.delivery, a.delivery}} {
		switch day := string(one.day); {
		case day == "" && named:
			wrong = wrong.WithField(one.name, "The "+one.name+" is required.")
		case day == "" || one.day == one.was:
		case one.in.From != "" && day < one.in.From:
			wrong = wrong.WithField(one.name, "The "+one.name+" must not be before "+one.in.From+".")
		case one.in.To != "" && day > one.in.To:
			wrong = wrong.WithField(one.name, "The "+one.name+" must not be after "+one.in.To+".")
		case one.in.From == "" && one.day < a.earliest:
			wrong = wrong.WithField(one.name, "The "+one.name+" must not be in the past.")
		}
	}
	if now.pickup != "" && now.delivery != "" && now.delivery < now.pickup {
		wrong = wrong.WithField("delivery_date", "`delivery_date` must not be before the `pickup_date`.")
	}

	return wrong
}

func (o offer) days() dates { return dates{o.PickupDate, o.DeliveryDate} }

func (d dispatch) days() dates { return dates{d.PickupDate, d.DeliveryDate} }

// checkDays refuses a change of a dispatch to days that cannot be agreed, and to times at which nobody can come any more.
func (d *desk) checkDays(ctx context.Context, c *resource.Change[dispatch]) error {
	was, now := *c.Before, *c.After
	if was.days() != now.days() {
		of, err := d.coverage.Standing(ctx, now.Load.String())
		if err := refusedIsDone(err); err != nil {
			return err
		}
		lags := was.lags(of) // the load is further than the dispatch
		switch {
		case was.PickupDate != now.PickupDate && (was.PickedUpAt != nil && now.PickedUpAt != nil || lags):
			c.Refuse(errDated.WithDetail("field", "pickup_date"))
		case was.DeliveryDate != now.DeliveryDate && (was.DeliveredAt != nil && now.DeliveredAt != nil || lags && of.State != loadsapi.PickedUp):
			c.Refuse(errDated.WithMessage("The vehicles were delivered: the day of that stays as it was agreed.").WithDetail("field", "delivery_date"))
		}
		can, err := d.daysOf(ctx, of)
		if err != nil {
			return err
		}
		c.After.Warnings = warningsOf(of, now.PickupDate)
		wrong := can.check(now.days(), was.days(), false)
		for name, gone := range map[string]bool{"pickup_date": was.PickupDate != "" && now.PickupDate == "", "delivery_date": was.DeliveryDate != "" && now.DeliveryDate == ""} {
			if gone {
				wrong = wrong.WithField(name, "The "+name+" was agreed. Name another day.")
			}
		}
		if len(wrong.Fields) > 0 {
			c.Refuse(wrong)
		}
	}
	if wrong := now.expected(was, d.now(), errDispatch); len(wrong.Fields) > 0 {
		c.Refuse(wrong)
	}

	return nil
}

// mostLate is how long ago a carrier may be expected: it may be late.
const mostLate = time.Hour

// expected refuses times at which the carrier is expected that are over, or in the wrong order. Those that stand already stay.
func (d dispatch) expected(was dispatch, now time.Time, wrong *errs.Error) *errs.Error {
	earliest, changed := now.Add(-mostLate), false
	for _, one := range []struct {
		name    string
		at, was *time.Time
	}{{"eta_pickup", d.ETAPickup, was.ETAPickup}, {"eta_delivery", d.ETADelivery, was.ETADelivery}} {
		if one.at == nil || one.was != nil && one.at.Equal(*one.was) {
			continue
		}
		if changed = true; one.at.Before(earliest) {
			wrong = wrong.WithField(one.name, "`"+one.name+"` must not be more than an hour ago.")
		}
	}
	if changed && d.ETAPickup != nil && d.ETADelivery != nil && d.ETADelivery.Before(*d.ETAPickup) {
		wrong = wrong.WithField("eta_delivery", "The delivery must not be before the pickup.")
	}

	return wrong
}
