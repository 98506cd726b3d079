package carrying

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// OverdueEvery is how often overdue carriers are looked for.
const OverdueEvery = 15 * time.Minute

// errInTime leaves a dispatch unchanged.
var errInTime = errors.New("the carrier is in time")

// CheckOverdue is the job that finds carriers that have not done by the agreed day what they were to do.
type CheckOverdue struct{}

// Kind implements jobs.Args.
func (CheckOverdue) Kind() string { return "dispatches.check_overdue" }

// Overdue finds carriers that are overdue.
type Overdue struct {
	dispatches *resource.Resource[store.Dispatch]
	rows       *store.Repository
	clock      clock.Clock
}

// NewOverdue returns an Overdue.
func NewOverdue(dispatches *resource.Resource[store.Dispatch], rows *store.Repository, c clock.Clock) *Overdue {
	return &Overdue{dispatches, rows, c}
}

// Check does the job.
func (o *Overdue) Check(ctx context.Context, _ CheckOverdue) error {
	return o.rows.EachOverdue(ctx, o.clock.Now(), func(ctx context.Context, id uuid.UUID) error {
		today, err := o.dispatches.Today(ctx)
		if err != nil {
			return err
		}
		_, err = o.dispatches.Change(ctx, id, web.IfMatch{}, store.VerbOverdue, func(_ context.Context, row *store.Dispatch) error {
			if row.Overdue = row.OverdueOn(today); row.Overdue == store.NotOverdue {
				return errInTime // by the calendar of its company, or by now
			}

			return nil
		})

		if errors.Is(err, errInTime) {
			return nil
		}

		return store.IgnoreRefusal(err)
	})
}
