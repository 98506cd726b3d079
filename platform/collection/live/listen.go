package live

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/web/sse"
)

// Input is the input of an operation that tells of changes.
type Input struct {
	sse.Resume

	Include string `query:"include" enum:"record" doc:"Includes the record, in its state at the time of sending."`
	Follow  bool   `query:"follow" default:"true" doc:"With false, the stream ends after the events that are already there."`
}

// listening is what a listener asks for.
type listening struct {
	name collection.Name
	// after is the last event that was seen, uuid.Nil to begin now.
	after uuid.UUID
	// row says that the rows come along.
	row bool
	// once says that the stream ends where the present begins.
	once bool
}

var errDone = errors.New("no events are left")

// Changes answers with what becomes of the rows of a collection, until the caller may no longer read it. Errors:
// ErrUnknownEvent, ErrNotTold, those of a collection that is not there.
func (f *Face[B, G]) Changes(ctx context.Context, h *Hub, name collection.Name, in *Input) (*sse.Events, error) {
	after, err := h.parseEventID(in.After())
	if err != nil {
		return nil, ErrUnknownEvent.WithField("Last-Event-ID", "The Last-Event-ID must be the id of an event of this stream.")
	}
	c, err := h.collections.Open(ctx, name, collection.Read)
	if err != nil {
		return nil, err
	}
	if _, err := c.Describe(ctx); err != nil {
		return nil, err
	}
	if by, ok := c.(collection.Followed); ok && len(by.Events()) == 0 {
		return nil, ErrNotTold
	}
	asked := listening{name: name, after: after, row: in.Include == "record", once: !in.Follow}

	return sse.New(func(ctx context.Context, feed *sse.Feed) error { return f.listen(ctx, h, feed, asked) }), nil
}

// parseEventID reads the id of the last event that a client saw, uuid.Nil for "". Its error is events.ErrNoEvent.
func (h *Hub) parseEventID(after string) (uuid.UUID, error) {
	if after == "" {
		return uuid.Nil, nil
	}
	id, err := uuid.Parse(after)
	if err != nil || errors.Is(h.log().Check(id), events.ErrNoEvent) {
		return uuid.Nil, events.ErrNoEvent
	}

	return id, nil
}

// listen sends a listener what happens, until ctx ends or the caller may not read the collection any more.
func (f *Face[B, G]) listen(ctx context.Context, h *Hub, feed *sse.Feed, l listening) error {
	place, err := f.begin(ctx, h, feed, l)
	if err != nil {
		return err
	}
	defer place.Leave()
	for err == nil {
		err = f.next(ctx, h, feed, place, l)
	}
	if errors.Is(err, errDone) || ctx.Err() != nil {
		return nil
	}

	return err
}

// begin finds the place, and says that it is there.
func (f *Face[B, G]) begin(ctx context.Context, h *Hub, feed *sse.Feed, l listening) (*events.Following[*change], error) {
	place, err := h.log().Follow(ctx, l.after)
	switch {
	case errors.Is(err, events.ErrGone):
		if place, err = h.log().Follow(ctx, uuid.Nil); err != nil {
			return nil, err
		}
		err = f.resetAt(ctx, feed, place, "too_old")
	case err != nil:
		return nil, err
	case l.after == uuid.Nil:
		err = send(ctx, feed, f.ready, place.Origin(), Place{At: time.Now().UTC()}) //nolint:forbidigo // the time of the message
	}
	if err != nil {
		place.Leave()
	}

	return place, err
}

func (f *Face[B, G]) resetAt(ctx context.Context, feed *sse.Feed, place *events.Following[*change], reason string) error {
	at := place.Skip()

	return send(ctx, feed, f.reset, at, Reset{Reason: reason})
}

func send[T any](ctx context.Context, feed *sse.Feed, kind sse.Kind[T], id uuid.UUID, data T) error {
	text := ""
	if id != uuid.Nil {
		text = id.String()
	}
	e, err := kind.New(text, data)
	if err != nil {
		return err
	}

	return feed.Send(ctx, e)
}

// next sends the next changes of the collection.
func (f *Face[B, G]) next(ctx context.Context, h *Hub, feed *sse.Feed, place *events.Following[*change], l listening) error {
	if l.once && place.Current() {
		return errDone
	}
	found, err := place.Next(ctx)
	switch {
	case errors.Is(err, events.ErrBehind):
		feed.TooSlow()
		<-ctx.Done()

		return errDone
	case errors.Is(err, events.ErrGone):
		return f.resetAt(ctx, feed, place, "too_many")
	case err != nil:
		return err
	}
	for _, entry := range found {
		if entry.Value.told.Collection != l.name {
			continue
		}
		if err := f.sendChange(ctx, h, feed, entry.Value, l); err != nil {
			return err
		}
	}

	return nil
}

// sendChange sends one change, or that there will be no more.
func (f *Face[B, G]) sendChange(ctx context.Context, h *Hub, feed *sse.Feed, c *change, l listening) error {
	of := c.batch.current[l.name]
	readable, err := h.readable(ctx, l.name, of)
	if err != nil {
		return err
	}
	if !readable {
		if err := send(ctx, feed, f.gone, uuid.Nil, f.over); err != nil {
			return err
		}

		return errDone
	}
	if c.told.What == collection.AllRows {
		return send(ctx, feed, f.reset, c.id, Reset{Reason: "field_change"})
	}
	if c.told.What == collection.Around {
		return nil
	}
	if known, err := of.MayKnowOf(ctx, c.told); err != nil || !known {
		return err
	}
	e, err := f.event(ctx, c, of, l.row)
	if err != nil {
		return err
	}

	return feed.Send(ctx, e)
}

// readable reports whether the caller may read a collection that is nil if it is gone.
func (h *Hub) readable(ctx context.Context, name collection.Name, of collection.Present) (bool, error) {
	if of == nil || !of.Readable(ctx) {
		return false, nil
	}
	_, err := h.collections.Open(ctx, name, collection.Read)
	if kind := errs.KindOf(err); err != nil && (kind == errs.NotFound || kind == errs.Forbidden) {
		return false, nil
	}

	return err == nil, err
}
