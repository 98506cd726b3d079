package dispatches

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	overdueEvery = 15 * time.Minute
)

// errInTime has checkOverdue leave a dispatch as it is.
var errInTime = errs.New(errs.Conflict, "dispatches.in_time", "The carrier is in time. There is nothing to remind it of yet.")

// checkOverdue is the job that finds carriers that have not done by the agreed day what they were to do.
type checkOverdue struct{}

// Kind implements jobs.Args.
func (checkOverdue) Kind() string { return "dispatches.check_overdue" }

func (d *desk) checkOverdue(ctx context.Context, _ checkOverdue) error {
	return d.rows.EachOverdue(ctx, d.now(), func(ctx context.Context, id uuid.UUID) error {
		today, err := d.dispatches.Today(ctx)
		if err != nil {
			return err
		}
		_, err = d.dispatches.Change(ctx, id, web.IfMatch{}, store.VerbOverdue, func(_ context.Context, row *store.Dispatch) error {
			if row.Overdue = row.OverdueOn(today); row.Overdue == store.NotOverdue {
				return errInTime // by the calendar of its company, or by now
			}

			return nil
		})

		return store.IgnoreRefusal(err)
	})
}
