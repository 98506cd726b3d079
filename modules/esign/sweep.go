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
	// sweepAfter is for how long nothing has happened to what is taken for having no job. A second one does no harm.
	sweepAfter = 10 * time.Minute
)

// sweep is the job that finds envelopes, and actions, whose own job is gone, such as after all its attempts have failed.
type sweep struct{}

// Kind implements jobs.Args.
func (sweep) Kind() string { return "esign.sweep" }

func (s *sender) sweepAll(ctx context.Context, _ sweep) error {
	before := s.clock.Now().Add(-sweepAfter)
	err := s.eachWaiting(ctx, before, func(ctx context.Context, id uuid.UUID) error {
		return s.queue.Enqueue(ctx, sendArgs{Envelope: id}, jobs.Unique())
	})
	if err != nil {
		return err
	}

	return s.eachWaitingAction(ctx, before, func(ctx context.Context, id uuid.UUID) error {
		return s.queue.Enqueue(ctx, actArgs{Action: id}, jobs.Unique())
	})
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
