package esign

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	sweepEvery = 10 * time.Minute
	sweepTime  = 9 * time.Minute
	sweepBatch = 200
	// sweepAfter is for how long nothing has happened to what is taken for having no job. A second one does no harm.
	sweepAfter = 10 * time.Minute
)

// sweep is the job that finds envelopes, and actions, whose own job is gone, such as after all its attempts have failed.
type sweep struct{}

// Kind implements jobs.Args.
func (sweep) Kind() string { return "esign.sweep" }

func (s *sender) sweepAll(ctx context.Context, _ sweep) error {
	if err := s.sweepEach(ctx, s.waiting, func(id uuid.UUID) jobs.Args { return sendArgs{Envelope: id} }); err != nil {
		return err
	}

	return s.sweepEach(ctx, s.waitingActions, func(id uuid.UUID) jobs.Args { return actArgs{Action: id} })
}

// sweepEach gives what waits a job, unless it has one.
func (s *sender) sweepEach(ctx context.Context, find func(context.Context, time.Time, place, int) ([]place, error), job func(uuid.UUID) jobs.Args) error {
	var after place
	before := s.clock.Now().Add(-sweepAfter)
	for {
		places, err := find(ctx, before, after, sweepBatch)
		if err != nil || len(places) == 0 {
			return err
		}
		for _, at := range places {
			ctx := of(ctx, at.CompanyID)
			if err := s.db.InTx(ctx, func(ctx context.Context) error { return s.queue.Enqueue(ctx, job(at.ID), jobs.Unique()) }); err != nil {
				return err
			}
			after = at
		}
	}
}

// letGo lets go of the attachments of an envelope that ended without being signed.
func (s *envelopes) letGo(ctx context.Context, about esignapi.About) error {
	id, err := uuid.Parse(about.Envelope)
	if err != nil {
		return jobs.Permanent(err)
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.envelope(ctx, id)
		if err != nil {
			return err
		}

		return s.release(ctx, row)
	})
}

func (s *envelopes) onDeclined(ctx context.Context, e esignapi.EnvelopeDeclined) error {
	return s.letGo(ctx, e.About)
}

func (s *envelopes) onVoided(ctx context.Context, e esignapi.EnvelopeVoided) error {
	return s.letGo(ctx, e.About)
}

func (s *envelopes) onExpired(ctx context.Context, e esignapi.EnvelopeExpired) error {
	return s.letGo(ctx, e.About)
}

func (s *envelopes) onDeleted(ctx context.Context, e esignapi.EnvelopeDeleted) error {
	return s.letGo(ctx, e.About)
}
