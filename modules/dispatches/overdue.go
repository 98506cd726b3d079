package dispatches

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	overdueEvery = 15 * time.Minute
	notOverdue   = "none"
)

// errInTime has checkOverdue leave a dispatch as it is.
var errInTime = errs.New(errs.Conflict, "dispatches.in_time", "The carrier is in time. There is nothing to remind it of yet.")

// checkOverdue is the job that finds carriers that have not done by the agreed day what they were to do.
type checkOverdue struct{}

// Kind implements jobs.Args.
func (checkOverdue) Kind() string { return "dispatches.check_overdue" }

func (d *desk) checkOverdue(ctx context.Context, _ checkOverdue) error {
	return d.rows.eachOverdue(ctx, d.now(), func(ctx context.Context, id uuid.UUID) error {
		today, err := d.dispatches.Today(ctx)
		if err != nil {
			return err
		}
		_, err = d.dispatches.Change(ctx, id, web.IfMatch{}, verbOverdue, func(_ context.Context, row *dispatch) error {
			if row.Overdue = row.overdue(today); row.Overdue == notOverdue {
				return errInTime // by the calendar of its company, or by now
			}

			return nil
		})

		return refusedIsDone(err)
	})
}

// overdue is what a carrier has not done by the day before one.
func (d dispatch) overdue(today field.Date) string {
	switch {
	case d.State == assigned && d.PickupDate != "" && d.PickupDate < today:
		return "pickup"
	case (d.State == assigned || d.State == pickedUp) && d.DeliveryDate != "" && d.DeliveryDate < today:
		return "delivery"
	}

	return notOverdue
}

// catchesUp reports whether a carrier that was overdue has done what it was to do, or other days were agreed.
func (d dispatch) catchesUp(was dispatch) bool {
	return d.State != was.State || d.PickupDate != was.PickupDate || d.DeliveryDate != was.DeliveryDate
}
