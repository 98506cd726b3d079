package sse

import (
	"context"
	"time"
)

// progressEvery is how often work is looked at for who listens to its progress.
const progressEvery = 500 * time.Millisecond

// finalMark ends the id of the last event: a client that comes back with it has seen everything.
const finalMark = ".end"

// Progress is how far a piece of work is.
type Progress[T any] struct {
	// Mark is another whenever the work came on. It is the id of the event, so a client that comes back with it gets only what is new.
	Mark string
	Body T
	// Over reports whether the work has begun and ended.
	Over bool
}

// FollowProgress answers with an event of the kind whenever the work came on since the mark `after`
// (see Resume), until it is over. It looks at once, whose error is its own, and every half second; an error of a later look ends the
// stream. A client that has seen the end already gets 204, which keeps an EventSource from coming back.
func FollowProgress[T any](ctx context.Context, kind Kind[T], after string, look func(ctx context.Context) (Progress[T], error)) (*Events, error) {
	seen, err := look(ctx)
	if err != nil {
		return nil, err
	}
	if after == seen.Mark+finalMark {
		return &Events{ended: true}, nil
	}

	return New(func(ctx context.Context, f *Feed) error {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for last := after; ; {
			id := seen.Mark
			if seen.Over {
				id += finalMark
			}
			if id != last {
				last = id
				if err := kind.send(ctx, f, id, seen.Body); err != nil {
					return err
				}
			}
			if seen.Over {
				return nil
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
			if seen, err = look(ctx); err != nil {
				return err
			}
		}
	}), nil
}

// send puts an event of the kind on a feed.
func (k Kind[T]) send(ctx context.Context, f *Feed, id string, body T) error {
	event, err := k.New(id, body)
	if err != nil {
		return err
	}

	return f.Send(ctx, event)
}
