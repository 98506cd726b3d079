package web

import (
	"errors"
	"log/slog"
	"math/rand/v2"
)

// eventWriter writes events to one client.
type eventWriter struct {
	stream *stream
	feed   *Feed
	writer *streamWriter
}

// begin sends the head, so that the client knows that it listens.
func (ew *eventWriter) begin() error {
	return ew.text(string(retryLine(reconnect)) + "\n")
}

func (ew *eventWriter) text(text string) error {
	if _, err := ew.writer.Write([]byte(text)); err != nil {
		return err
	}

	return ew.writer.Flush()
}

// events sends an event, and all that wait already.
func (ew *eventWriter) events(first Event) error {
	if _, err := ew.writer.Write(first.text); err != nil {
		return err
	}

	return ew.waiting()
}

// waiting sends the events that wait.
func (ew *eventWriter) waiting() error {
	for {
		select {
		case event := <-ew.feed.queue:
			if _, err := ew.writer.Write(event.text); err != nil {
				return err
			}
		default:
			return ew.writer.Flush()
		}
	}
}

// end sends what waits, and why there is no more.
func (ew *eventWriter) end(reason, why string) error {
	ew.feed.lost()
	if err := ew.waiting(); err != nil {
		return err
	}
	ew.stream.why = why
	wait := reconnect + rand.N(spread) //nolint:gosec // spreads clients, and is no secret

	return ew.text(string(retryLine(wait)) + "event: " + eventEnded + "\ndata: {\"reason\":\"" + reason + "\"}\n\n")
}

// opened ends a stream whose handler has no more.
func (ew *eventWriter) opened(err error) error {
	if err == nil {
		return ew.end(endDone, endDone)
	}
	if !errors.Is(err, errStreamPanicked) {
		ew.stream.api.log.LogAttrs(ew.stream.ctx, slog.LevelError, "events failed", slog.Any("error", err))
	}

	return ew.end(endFailed, endFailed)
}

// cut ends a stream whose context has ended.
func (ew *eventWriter) cut(cause error) error {
	switch {
	case errors.Is(cause, errStreamLong):
		return ew.end(endLong, endLong)
	case errors.Is(cause, errStreamRevoked):
		return ew.end(endRevoked, endRevoked)
	case errors.Is(cause, errStreamStopped):
		return ew.end(endStopped, endStopped)
	default:
		return cause
	}
}
