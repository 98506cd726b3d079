package compliance

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/rulebook"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Scheduler has verdicts checked again by jobs.
type Scheduler struct{ queue *jobs.Queue }

// NewScheduler returns a Scheduler.
func NewScheduler(queue *jobs.Queue) *Scheduler { return &Scheduler{queue} }

// AfterChange has the verdicts of changed carriers checked again.
func (s *Scheduler) AfterChange(ctx context.Context, all []*resource.Change[store.Carrier]) error {
	var ids []uuid.UUID
	for _, c := range all {
		if c.Verb != resource.Delete {
			ids = append(ids, c.After.ID)
		}
	}

	return s.Schedule(ctx, ids...)
}

// AfterOverride has the verdicts of carriers checked again whose overrides changed.
func (s *Scheduler) AfterOverride(ctx context.Context, all []*resource.Change[rulebook.Override]) error {
	ids := make([]uuid.UUID, len(all))
	for i, c := range all {
		ids[i] = c.After.Carrier
	}

	return s.Schedule(ctx, ids...)
}

// AfterRemitTo has the verdicts of carriers checked again whose remit-to changes.
func (s *Scheduler) AfterRemitTo(ctx context.Context, all []*resource.Change[remit.Change]) error {
	ids := make([]uuid.UUID, len(all))
	for i, c := range all {
		ids[i] = c.After.Carrier
	}

	return s.Schedule(ctx, ids...)
}

// AfterRule has the verdicts of all carriers of the company checked again.
func (s *Scheduler) AfterRule(ctx context.Context, _ []*resource.Change[rulebook.Rule]) error {
	return s.queue.Enqueue(ctx, RecheckCompany{}, jobs.Unique())
}

// Schedule has the verdicts of carriers checked again.
func (s *Scheduler) Schedule(ctx context.Context, ids ...uuid.UUID) error {
	return s.queue.EnqueueMany(ctx, batches(ids)...)
}

// scheduleCompany has the verdicts of all carriers of the caller's company checked again, in the background.
func (s *Scheduler) scheduleCompany(ctx context.Context) error {
	return s.queue.Enqueue(ctx, RecheckCompany{}, jobs.Unique(), jobs.Background())
}

// batches returns the jobs that check carriers, each of them once.
func batches(ids []uuid.UUID) (all []jobs.Job) {
	for some := range slices.Chunk(store.Distinct(ids), recheckBatch) {
		all = append(all, jobs.Job{Args: Recheck{some}})
	}

	return all
}
