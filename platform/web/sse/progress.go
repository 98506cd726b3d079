package sse

import (
	"context"
	"time"
)

// progressEvery is how often work is looked at for who listens to its progress.
const progressEvery = 500 * time.Millisecond

// Progress is how far a piece of work is.
type Progress[T any] struct {
	// Mark is another whenever the work came on. It is the id of the event, so who comes back with it is
	// told only what is new.
	Mark string
	Body T
	// Over says that nobody works on it any more.
	Over bool
}

// FollowProgress answers with an event of the kind whenever the work came on since the mark `after`
// (see Resume), until it is over. It looks every half second; an error of look ends the stream.
func FollowProgress[T any](kind Kind[T], after string, look func(ctx context.Context) (Progress[T], error)) *Events {
	return New(func(ctx context.Context, f *Feed) error {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for last := after; ; {
			seen, err := look(ctx)
			if err != nil {
				return err
			}
			if seen.Mark != last {
				last = seen.Mark
				if err := kind.send(ctx, f, seen.Mark, seen.Body); err != nil {
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
		}
	})
}

// send puts an event of the kind on a feed.
func (k Kind[T]) send(ctx context.Context, f *Feed, id string, body T) error {
	event, err := k.New(id, body)
	if err != nil {
		return err
	}

	return f.Send(ctx, event)
}
