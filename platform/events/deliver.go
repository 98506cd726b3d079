package events

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// delivery is the job that brings one event to one method.
type delivery struct {
	Event   uuid.UUID       `json:"event"`
	Name    string          `json:"name"`
	Handler string          `json:"handler"`
	Payload json.RawMessage `json:"payload"`
}

// Kind implements jobs.Args.
func (delivery) Kind() string { return "events.deliver" }

func newDelivery(row logRow, handler string) delivery {
	return delivery{Event: row.ID, Name: row.Name, Handler: handler, Payload: json.RawMessage(row.Payload)}
}

// keyOf is how a listener is found by its event and its id, <area>/<method>. The first letter of the method counts in neither case, so that a
// listener that moves to a package of its own, where it has to be exported, gets the deliveries that wait for it.
func keyOf(event, id string) string {
	area, method, _ := strings.Cut(id, "/")
	if method != "" {
		method = strings.ToLower(method[:1]) + method[1:]
	}

	return event + " " + area + "/" + method
}

// deliver does such a job. That a method is not here is no reason to drop the event: while versions
// change, another process may have it; and an area that is switched on again gets what it missed, as
// long as its jobs are tried. What its company no longer uses when the event arrives does not get it.
func (b *Bus) deliver(ctx context.Context, d delivery) error {
	h, here := b.byID[keyOf(d.Name, d.Handler)]
	if !here {
		return fmt.Errorf("event %q: unknown listener %s", d.Name, d.Handler)
	}
	if used, err := b.uses(ctx, h.area); err != nil || !used {
		return err
	}
	ctx = telemetry.WithArea(context.WithValue(ctx, idKey{}, d.Event), h.area)
	if err := h.run(ctx, d.Payload); err != nil {
		return fmt.Errorf("event %q in %s: %w", d.Name, d.Handler, err)
	}

	return nil
}
