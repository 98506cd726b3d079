// Package events tells areas what has happened in another one.
//
// An event is a Go type, published in the transaction that made it true. The transaction writes one
// row of the event log and one job for each method that listens, so an event exists if and only if
// the write does, and it is delivered at least once to each, after the commit, each by itself: one
// that fails is tried again and holds up nobody. Where nobody listens there is the row alone.
//
//	events.Publishes(smsapi.MessageSent{})                    // manifest of sms
//	err := bus.Publish(ctx, smsapi.MessageSent{Message: id})  // sms, in InTx
//
//	events.On((*service).onMessageSent)                       // manifest of another area
//
// Deliveries of one event come in no order, and a delivery may come twice when a process dies. A
// method whose effect must not repeat stores ID(ctx) with it, under a unique constraint, in the same
// transaction.
package events

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
)

// Event is something that has happened: a struct that is stored as JSON. A newer version of the
// service must still read what an older one has published.
type Event interface {
	// EventName is stable and for programs: "<area>.<thing>.<happened>". It answers on the zero
	// value.
	EventName() string
}

// Named is an event that names an item, in whose timeline it is then shown.
type Named interface {
	Event

	// EventItem returns the item's type ("loads.load") and UUID; "" where this one names none.
	EventItem() (itemType, id string)
}

// Bus is the registry of events and of those who listen. It may be used from several goroutines once
// it is filled.
type Bus struct {
	db    *database.DB
	queue *jobs.Queue
	clock clock.Clock
	log   *slog.Logger
	// life is how long the log is kept, 0 for ever.
	life time.Duration
	// mostMissed is how many events of a company are read for one who was away.
	mostMissed int
	gate       Gate
	watches    *watches
	insert     database.Rows

	published map[string]published
	handlers  map[string][]*handler // by event name, in the order of registration
	byID      map[string]*handler
}

type published struct {
	area string
	kind reflect.Type
}

type handler struct {
	id, area string
	event    reflect.Type
	options  []jobs.Option
	run      func(ctx context.Context, payload json.RawMessage) error
}

// New returns an empty bus whose deliveries are jobs of the queue.
func New(s Settings, db *database.DB, queue *jobs.Queue, clk clock.Clock, log *slog.Logger) (*Bus, error) {
	b := &Bus{
		db: db, queue: queue, clock: clk, log: log, life: s.Keep, mostMissed: s.MostMissed, watches: newWatches(db, log), insert: insertLog(),
		published: map[string]published{}, handlers: map[string][]*handler{}, byID: map[string]*handler{},
	}

	return b, errors.Join(jobs.Add(queue, "events", b.deliver), b.schedule())
}

// Publishes is the manifest line of an event that the area publishes.
func Publishes(event Event) fx.Option {
	return module.Contribute("event", event.EventName(), event, func(at module.At) fx.Option {
		return module.Register(at, func(b, _ *Bus) error { return b.declare(at.Area, event) })
	})
}

// On is the manifest line of a method that listens to the event of its last argument's type. It runs
// in a job of its own as the service at work for the company of the event, outside a transaction. T
// is a type of the area. The options are those of its jobs, such as jobs.Attempts. Renaming the
// method, but for the case of its first letter, loses the deliveries that wait for it.
func On[T any, E Event](method func(T, context.Context, E) error, options ...jobs.Option) fx.Option {
	name := module.FuncName(method)

	return module.Contribute("on event", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(b *Bus, t T) error {
			var zero E

			return b.add(zero.EventName(), &handler{
				id: at.Area + "/" + name, area: at.Area, event: reflect.TypeFor[E](), options: options,
				run: func(ctx context.Context, payload json.RawMessage) error {
					var event E
					if err := json.Unmarshal(payload, &event); err != nil {
						return jobs.Permanent(err)
					}

					return method(t, ctx, event)
				},
			})
		})
	})
}

type idKey struct{}

// ID returns the id of the event that is being delivered, the same each time; uuid.Nil outside of a
// delivery.
func ID(ctx context.Context) uuid.UUID {
	if id, ok := ctx.Value(idKey{}).(uuid.UUID); ok {
		return id
	}

	return uuid.Nil
}

func (b *Bus) declare(area string, event Event) error {
	name, kind := event.EventName(), reflect.TypeOf(event)
	if kind.Kind() != reflect.Struct {
		return fmt.Errorf("event %s: want a struct", kind)
	}
	if !strings.HasPrefix(name, area+".") {
		return fmt.Errorf("event name %q: want %q in front", name, area+".")
	}
	if other, taken := b.published[name]; taken {
		return fmt.Errorf("event %q is published by area %q already", name, other.area)
	}
	b.published[name] = published{area: area, kind: kind}

	return nil
}

func (b *Bus) add(name string, h *handler) error {
	key := keyOf(name, h.id)
	if _, taken := b.byID[key]; taken {
		return fmt.Errorf("%s listens to event %q twice", h.id, name)
	}
	b.byID[key] = h
	b.handlers[name] = append(b.handlers[name], h)

	return nil
}

// Check reports everyone who listens to an event that nobody publishes, unless its area is off and
// listed in Listens. The app calls it once the bus is filled.
func (b *Bus) Check(enabled []module.Module) error {
	var problems []error
	for name, handlers := range b.handlers {
		known, isPublished := b.published[name]
		for _, h := range handlers {
			switch {
			case isPublished && known.kind != h.event:
				problems = append(problems, fmt.Errorf("%s expects event %q as %s, but it is published as %s", h.id, name, h.event, known.kind))
			case !isPublished && !module.IsAbsent(enabled, h.area, h.event):
				problems = append(problems, fmt.Errorf(
					"%s listens to event %q, which no enabled area publishes: is events.Publishes in its manifest, or its area in Listens?",
					h.id, name))
			}
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })

	return errors.Join(problems...)
}
