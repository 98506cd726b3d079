package live

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Listening is what a listener asks for.
type Listening struct {
	Module uuid.UUID
	// After is the last event that was seen, uuid.Nil to begin now.
	After uuid.UUID
	// Record says that the records come along.
	Record bool
	// Once says that the stream ends where the present begins.
	Once bool
}

var errDone = errors.New("nothing is left to tell")

// Listen sends a listener what happens, until ctx ends or the caller may not read the module any more.
func (h *Hub) Listen(ctx context.Context, feed *web.Feed, l Listening) error {
	place, err := h.begin(ctx, feed, l)
	if err != nil {
		return err
	}
	defer place.Leave()
	for err == nil {
		err = h.next(ctx, feed, place, l)
	}
	if errors.Is(err, errDone) || ctx.Err() != nil {
		return nil
	}

	return err
}

// begin finds the place, and says that it is there.
func (h *Hub) begin(ctx context.Context, feed *web.Feed, l Listening) (*events.Following[*change], error) {
	place, err := h.tail.Follow(ctx, l.After)
	switch {
	case errors.Is(err, events.ErrGone):
		if place, err = h.tail.Follow(ctx, uuid.Nil); err != nil {
			return nil, err
		}
		err = h.reset(ctx, feed, place, "too_old")
	case err != nil:
		return nil, err
	case l.After == uuid.Nil:
		err = send(ctx, feed, h.kinds.ready, place.Origin(), Place{At: time.Now().UTC()}) //nolint:forbidigo // the time of the message
	}
	if err != nil {
		place.Leave()
	}

	return place, err
}

func (h *Hub) reset(ctx context.Context, feed *web.Feed, place *events.Following[*change], reason string) error {
	at := place.Skip()

	return send(ctx, feed, h.kinds.reset, at, Reset{Reason: reason})
}

func send[T any](ctx context.Context, feed *web.Feed, kind web.EventKind[T], id uuid.UUID, data T) error {
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

// next sends the next changes of the module.
func (h *Hub) next(ctx context.Context, feed *web.Feed, place *events.Following[*change], l Listening) error {
	if l.Once && place.Current() {
		return errDone
	}
	found, err := place.Next(ctx)
	switch {
	case errors.Is(err, events.ErrBehind):
		feed.TooSlow()
		<-ctx.Done()

		return errDone
	case errors.Is(err, events.ErrGone):
		return h.reset(ctx, feed, place, "too_many")
	case err != nil:
		return err
	}
	for _, entry := range found {
		if entry.Value.module != l.Module {
			continue
		}
		if err := h.send(ctx, feed, entry.Value, l); err != nil {
			return err
		}
	}

	return nil
}

// send sends one change, or that there will be no more.
func (h *Hub) send(ctx context.Context, feed *web.Feed, c *change, l Listening) error {
	of := c.batch.current[c.module]
	if of == nil || !of.Readable(ctx) {
		if err := send(ctx, feed, h.kinds.gone, uuid.Nil, Gone{Reason: "module_not_found"}); err != nil {
			return err
		}

		return errDone
	}
	if c.name == (custommodulesapi.RecordsChanged{}).EventName() {
		return send(ctx, feed, h.kinds.reset, c.id, Reset{Reason: "field_change"})
	}
	if !c.isRecords() {
		return nil
	}
	e, err := h.event(ctx, c, of, l.Record)
	if err != nil {
		return err
	}

	return feed.Send(ctx, e)
}
