// Package sse answers with server-sent events, for as long as a client listens.
package sse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Media is the media type of server-sent events (https://html.spec.whatwg.org/#server-sent-events).
const Media = "text/event-stream"

const (
	// reconnect is when clients that lose the connection come back.
	reconnect = 3 * time.Second
	// spread is the time over which those come back that are sent away together.
	spread = 5 * time.Second
)

// eventEnded is the last event of a stream that did not just break off. Its data has the reason.
const eventEnded = "stream.ended"

var errFeedOver = errors.New("the client's stream has ended")

// Events is the output of an operation that sends events for as long as the client listens. The
// operation declares their kinds in Operation.Events, and embeds Resume in its input if clients can
// go on where they stopped.
type Events struct {
	// Body is for Huma.
	Body func(huma.Context)

	open func(ctx context.Context, f *Feed) error
	// ended says that there is nothing to come.
	ended bool
}

// New answers with the events that open puts on its feed, until open returns.
//
// Its context is like that of stream.New, and ends when the stream does, so most open a subscription
// that offers events to the feed, wait for the context, and close it. When the stream ends, the
// client is told why by an event "stream.ended", with the data {"reason": …}: done or failed (open
// returned), too_slow (see Feed.Offer), too_long, stopped (the service stops), revoked (the token).
func New(open func(ctx context.Context, f *Feed) error) *Events {
	return &Events{open: open}
}

// Feed takes the events of one client.
type Feed struct {
	queue chan Event
	// over ends when the stream does, and when the client is too slow.
	over context.Context //nolint:containedctx // a flag that can be waited for
	lost context.CancelFunc
}

// Offer gives the client an event, without waiting. When web.streams.event_buffer events wait for
// the client already, its stream ends, and Offer returns false: as it does ever after. It may be
// called from several goroutines.
func (f *Feed) Offer(e Event) bool {
	if f.over.Err() != nil {
		return false
	}
	select {
	case f.queue <- e:
		return true
	default:
		f.lost()

		return false
	}
}

// Send gives the client an event, and waits until there is room for it. It is for what the client
// missed, before it subscribes to what comes. Its error says that the stream has ended.
func (f *Feed) Send(ctx context.Context, e Event) error {
	select {
	case f.queue <- e:
		return nil
	case <-f.over.Done():
		return errFeedOver
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TooSlow ends the client's stream as one that does not take its events fast enough, for who keeps them
// elsewhere than in the feed.
func (f *Feed) TooSlow() { f.lost() }

// Prepare implements stream.Output.
func (ev *Events) Prepare(stream.Request) (stream.Plan, error) {
	if ev.ended {
		return stream.Plan{}, &httperror.Error{Status: http.StatusNoContent}
	}
	if ev.open == nil {
		return stream.Plan{}, stream.ErrNoOutput
	}
	ev.Body = func(h huma.Context) {
		h.SetHeader("Content-Type", Media)
		h.SetHeader("Cache-Control", "no-store")
		h.SetHeader("X-Accel-Buffering", "no") // nginx would hold events back
		h.SetStatus(http.StatusOK)
	}

	return stream.Plan{Length: stream.LengthChunked, Write: ev.send}, nil
}

// Discard implements stream.Output.
func (*Events) Discard() error { return nil }

// fill runs open.
func (ev *Events) fill(ctx context.Context, r *stream.Run, f *Feed) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.Log().LogAttrs(ctx, slog.LevelError, "events panicked",
				slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
			err = stream.ErrPanicked
		}
	}()

	return ev.open(ctx, f)
}

// send writes the events to the client until the stream ends.
func (ev *Events) send(ctx context.Context, r *stream.Run) error {
	opened, cancel := context.WithCancelCause(ctx)
	defer cancel(errFeedOver)
	over, lost := context.WithCancel(context.WithoutCancel(ctx))
	defer lost()
	feed := &Feed{queue: make(chan Event, r.Settings().EventBuffer), over: over, lost: lost}
	done := make(chan error, 1)
	r.Go(func() { done <- ev.fill(opened, r, feed) })

	sending := &writer{run: r, feed: feed, out: r.Writer()}
	if err := sending.begin(); err != nil {
		return err
	}
	heartbeat := time.NewTicker(r.Settings().Heartbeat)
	defer heartbeat.Stop()
	for {
		var err error
		select {
		case event := <-feed.queue:
			err = sending.events(event)
			heartbeat.Reset(r.Settings().Heartbeat)
		case <-heartbeat.C:
			err = sending.text(":\n\n")
		case <-over.Done():
			return sending.end("too_slow", stream.EndSlow)
		case failed := <-done:
			return sending.opened(ctx, failed)
		case <-r.Stopping():
			return sending.end(stream.EndStopped, stream.EndStopped)
		case <-ctx.Done():
			return sending.cut(context.Cause(ctx))
		}
		if err != nil {
			return err
		}
	}
}
