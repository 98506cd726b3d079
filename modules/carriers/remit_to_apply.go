package carriers

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// applier makes changes of remit-tos effective whose hold is over.
type applier struct {
	payables *payables
	roster   *roster
	hooks    *hook.Bus
	queue    *jobs.Queue
}

func newApplier(p *payables, r *roster, hooks *hook.Bus, queue *jobs.Queue) *applier {
	return &applier{p, r, hooks, queue}
}

// announce asks other areas about a proposed change, and has it applied when its hold is over.
func (r *applier) announce(ctx context.Context, row remitChange) error {
	if err := hook.Run(ctx, r.hooks, &carriersapi.ChangingRemitTo{Carrier: row.Carrier.String(), Change: row.ID.String()}); err != nil {
		return err
	}

	return r.queue.Enqueue(ctx, applyRemitTo{row.ID}, jobs.At(row.HoldUntil), jobs.Unique())
}

// applyRemitTo is the job that applies a change whose hold is over.
type applyRemitTo struct {
	Change uuid.UUID `json:"change"`
}

// Kind implements jobs.Args.
func (applyRemitTo) Kind() string { return "carriers.apply_remit_to" }

// retryVetoed is when to retry a change that an area vetoed, for example during a pay run.
const retryVetoed = time.Hour

func (r *applier) applyHeld(ctx context.Context, args applyRemitTo) error {
	err := r.roster.inTx(ctx, func(ctx context.Context) error {
		row, err := r.payables.find(ctx, args.Change)
		if err != nil || row.State != remitPending || row.VerifiedAt == nil {
			return err // verifying it applies it
		}
		if left := r.payables.held(row); left > 0 {
			return jobs.Later(left)
		}
		_, err = r.apply(ctx, row)

		return err
	})
	switch refused, is := errors.AsType[*errs.Error](err); {
	case is && refused.Kind == errs.NotFound:
		return nil
	case is && refused.Kind == errs.Conflict:
		return jobs.Later(retryVetoed)
	default:
		return err
	}
}

// apply makes a change effective, in place of the previous one.
func (r *applier) apply(ctx context.Context, row remitChange) (remitChange, error) {
	if err := r.roster.hold(ctx, row.Carrier); err != nil {
		return row, err
	}
	if err := hook.Run(ctx, r.hooks, &carriersapi.ChangingRemitTo{Carrier: row.Carrier.String(), Change: row.ID.String(), Effective: true}); err != nil {
		return row, err
	}
	all, err := r.payables.of(ctx, row.Carrier)
	if err != nil {
		return row, err
	}
	before := all[row.Carrier]
	if before.effective != nil {
		if err := r.payables.end(ctx, before.effective.ID); err != nil {
			return row, err
		}
	}

	return r.payables.takeEffect(ctx, row, before.effective)
}
