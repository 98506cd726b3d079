package quotes

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	expireEvery = 15 * time.Minute
	warnBefore  = 24 * time.Hour
)

// expire is the job that ends quotes which nobody accepted in time, and tells of those that expire within a day.
type expire struct{}

// Kind implements jobs.Args.
func (expire) Kind() string { return "quotes.expire" }

func (s *endings) expire(ctx context.Context, _ expire) error {
	now := s.clock.Now()
	err := s.rows.eachDue(ctx, now, func(ctx context.Context, id uuid.UUID) error {
		return s.onlyOpen(ctx, id, verbExpire, func(ctx context.Context, q *quote) error {
			if q.ValidUntil.After(now) {
				return nil
			}

			return s.quotes.Step(ctx, q, state.Move{Verb: string(verbExpire)})
		})
	})
	if err != nil {
		return err
	}

	return s.rows.eachUnwarned(ctx, now.Add(warnBefore), func(ctx context.Context, id uuid.UUID) error {
		return s.onlyOpen(ctx, id, verbWarn, func(_ context.Context, q *quote) error {
			if q.WarnedAt == nil {
				q.WarnedAt = &now
			}

			return nil
		})
	})
}

// onlyOpen changes a quote if it is open still.
func (s *endings) onlyOpen(ctx context.Context, id uuid.UUID, verb resource.Verb, do func(ctx context.Context, q *quote) error) error {
	_, err := s.quotes.Change(ctx, id, web.IfMatch{}, verb, func(ctx context.Context, q *quote) error {
		if !q.open() {
			return nil
		}

		return do(ctx, q)
	})

	return err
}
