package remit

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// Applier makes changes of remit-tos effective whose hold is over.
type Applier struct {
	payables *Payables
	roster   *store.Roster
	hooks    *hook.Bus
	queue    *jobs.Queue
}

// NewApplier returns an Applier.
func NewApplier(p *Payables, r *store.Roster, hooks *hook.Bus, queue *jobs.Queue) *Applier {
	return &Applier{p, r, hooks, queue}
}

// announce asks other areas about a proposed change, and has it applied when its hold is over.
func (r *Applier) announce(ctx context.Context, row Change) error {
	if err := hook.Run(ctx, r.hooks, &carriersapi.ChangingRemitTo{Carrier: row.Carrier.String(), Change: row.ID.String()}); err != nil {
		return err
	}

	return r.queue.Enqueue(ctx, Apply{row.ID}, jobs.At(row.HoldUntil), jobs.Unique())
}

// Apply is the job that applies a change whose hold is over.
type Apply struct {
	Change uuid.UUID `json:"change"`
}

// Kind implements jobs.Args.
func (Apply) Kind() string { return "carriers.apply_remit_to" }

// retryVetoed is when to retry a change that an area vetoed, for example during a pay run.
const retryVetoed = time.Hour

// ApplyHeld runs the job that applies a change whose hold is over.
func (r *Applier) ApplyHeld(ctx context.Context, args Apply) error {
	err := r.roster.InTx(ctx, func(ctx context.Context) error {
		row, err := r.payables.Find(ctx, args.Change)
		if err != nil || row.State != Pending || row.VerifiedAt == nil {
			return err // verifying it applies it
		}
		if left := r.payables.Held(row); left > 0 {
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
func (r *Applier) apply(ctx context.Context, row Change) (Change, error) {
	if err := r.roster.Hold(ctx, row.Carrier); err != nil {
		return row, err
	}
	if err := hook.Run(ctx, r.hooks, &carriersapi.ChangingRemitTo{Carrier: row.Carrier.String(), Change: row.ID.String(), Effective: true}); err != nil {
		return row, err
	}
	all, err := r.payables.Of(ctx, row.Carrier)
	if err != nil {
		return row, err
	}
	before := all[row.Carrier]
	if before.Effective != nil {
		if err := r.payables.End(ctx, before.Effective.ID); err != nil {
			return row, err
		}
	}

	return r.payables.TakeEffect(ctx, row, before.Effective)
}
