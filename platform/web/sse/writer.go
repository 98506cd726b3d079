package sse

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"

	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// writer writes events to one client.
type writer struct {
	run  *stream.Run
	feed *Feed
	out  *stream.Writer
}

// begin sends the head, so that the client knows that it listens.
func (w *writer) begin() error {
	return w.text(string(retryLine(reconnect)) + "\n")
}

func (w *writer) text(text string) error {
	if _, err := w.out.Write([]byte(text)); err != nil {
		return err
	}

	return w.out.Flush()
}

// events sends an event, and all that wait already.
func (w *writer) events(first Event) error {
	if _, err := w.out.Write(first.text); err != nil {
		return err
	}

	return w.waiting()
}

// waiting sends the events that wait.
func (w *writer) waiting() error {
	for {
		select {
		case event := <-w.feed.queue:
			if _, err := w.out.Write(event.text); err != nil {
				return err
			}
		default:
			return w.out.Flush()
		}
	}
}

// end sends what waits, and why there is no more.
func (w *writer) end(reason, why string) error {
	w.feed.lost()
	if err := w.waiting(); err != nil {
		return err
	}
	w.run.EndAs(why)
	wait := reconnect + rand.N(spread) //nolint:gosec // spreads clients, and is no secret

	return w.text(string(retryLine(wait)) + "event: " + eventEnded + "\ndata: {\"reason\":\"" + reason + "\"}\n\n")
}

// opened ends a stream whose handler has no more.
func (w *writer) opened(ctx context.Context, err error) error {
	if err == nil {
		return w.end(stream.EndDone, stream.EndDone)
	}
	if !errors.Is(err, stream.ErrPanicked) {
		w.run.Log().LogAttrs(ctx, slog.LevelError, "events failed", slog.Any("error", err))
	}

	return w.end(stream.EndFailed, stream.EndFailed)
}

// cut ends a stream whose context has ended.
func (w *writer) cut(cause error) error {
	switch {
	case errors.Is(cause, stream.ErrTooLong):
		return w.end(stream.EndLong, stream.EndLong)
	case errors.Is(cause, stream.ErrRevoked):
		return w.end(stream.EndRevoked, stream.EndRevoked)
	case errors.Is(cause, stream.ErrStopping):
		return w.end(stream.EndStopped, stream.EndStopped)
	default:
		return cause
	}
}
