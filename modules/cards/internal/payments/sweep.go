package payments

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/internal/settings"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// SweepEvery is how often rows without a job are looked for, sweepAfter for how long nothing may have happened to them.
	SweepEvery = 5 * time.Minute
	sweepAfter = 10 * time.Minute
	// SweepTime is how long that may take.
	SweepTime = 4 * time.Minute
)

// Sweep is the job that gives a job to rows that have none, and has vendors asked that have reported nothing for long.
type Sweep struct{}

// Kind implements jobs.Args.
func (Sweep) Kind() string { return "cards.sweep" }

// Sweeper gives a job to rows that have none.
type Sweeper struct {
	store    *store.Repository
	queue    *jobs.Queue
	clock    clock.Clock
	settings settings.Settings
}

// NewSweeper returns a Sweeper.
func NewSweeper(r *store.Repository, q *jobs.Queue, c clock.Clock, s settings.Settings) *Sweeper {
	return &Sweeper{store: r, queue: q, clock: c, settings: s}
}

// Sweep does the job.
func (s *Sweeper) Sweep(ctx context.Context, _ Sweep) error {
	now := s.clock.Now()
	before := now.Add(-sweepAfter - s.settings.CallTimeout)
	for _, lost := range []struct {
		row    any
		states []string
		job    func(uuid.UUID) jobs.Args
	}{
		{&store.Payment{}, []string{"queued", "sending", "unknown"}, func(id uuid.UUID) jobs.Args { return ChargeJob{Payment: id} }},
		{&store.Refund{}, []string{"queued", "sending", "unknown"}, func(id uuid.UUID) jobs.Args { return RefundJob{Refund: id} }},
		{&store.Card{}, []string{"saving", "unknown"}, func(id uuid.UUID) jobs.Args { return SaveJob{Card: id} }},
	} {
		if err := s.store.EachUndecided(ctx, lost.row, lost.states, before, func(ctx context.Context, id uuid.UUID) error {
			return s.queue.Enqueue(ctx, lost.job(id), jobs.Unique())
		}); err != nil {
			return err
		}
	}
	if err := s.store.EachOrdered(ctx, before, func(ctx context.Context, id uuid.UUID) error {
		return s.queue.Enqueue(ctx, EndJob{Payment: id}, jobs.Unique())
	}); err != nil || s.settings.PollAfter == 0 {
		return err
	}
	for _, quiet := range []struct {
		row    any
		states []string
		job    func(uuid.UUID) jobs.Args
	}{
		{&store.Payment{}, []string{"requires_action", "authorized"}, func(id uuid.UUID) jobs.Args { return AskJob{Payment: id} }},
		{&store.Refund{}, []string{"pending"}, func(id uuid.UUID) jobs.Args { return AskJob{Refund: id} }},
	} {
		if err := s.store.EachQuiet(ctx, quiet.row, quiet.states, now.Add(-s.settings.PollAfter), func(ctx context.Context, id uuid.UUID) error {
			return s.queue.Enqueue(ctx, quiet.job(id), jobs.UniqueFor(s.settings.PollAfter))
		}); err != nil {
			return err
		}
	}

	return nil
}
