// Package broadcast tells every replica that something has changed, so that it drops what it keeps
// of it.
//
// A topic is a typed constant. Who changes something publishes its key in the transaction of the
// change; who keeps a copy listens:
//
//	const changed broadcast.Topic[uuid.UUID] = "custom_modules.definition"
//
//	broadcast.Publish(ctx, bus, changed, id)                        // in the transaction
//	broadcast.On(changed, (*cache).forget, (*cache).forgetAll)      // in the manifest
//
// Listeners are told after the commit, those of the same process before InTx returns. On PostgreSQL
// the message is a NOTIFY of the transaction, so the others are told if and only if it is committed;
// on SQLite there is one process. Nothing is kept for who is not there: when a replica has been cut
// off from the database, its listeners are told that everything may have changed.
package broadcast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/module"
)

// Topic names what has changed, as "<area>.<what>"; K is the type of its keys, which travel as JSON.
type Topic[K any] string

// maxMessage is PostgreSQL's limit for the payload of a NOTIFY, in bytes
// (https://www.postgresql.org/docs/current/sql-notify.html).
const maxMessage = 7999

var errTooLong = errors.New("broadcast: the key is too long for a message")

// Bus carries the messages of a process. Publishing works without Start; being told of what other
// processes publish does not.
type Bus struct {
	db     *database.DB
	log    *slog.Logger
	topics map[string]*topic
	quiet  time.Duration // quietFor, but in tests

	mu      sync.Mutex
	stopped context.CancelFunc // nil while stopped
	done    chan struct{}
}

// topic is the listeners to a topic.
type topic struct {
	key     reflect.Type
	changed []func(key json.RawMessage) error
	all     []func()
}

// message is what travels between processes.
type message struct {
	Topic string          `json:"topic"`
	Key   json.RawMessage `json:"key"`
}

// New makes a bus without listeners.
func New(db *database.DB, log *slog.Logger) *Bus {
	return &Bus{db: db, log: log, topics: map[string]*topic{}, quiet: quietFor}
}

// On is the manifest line of a listener. changed is called with each key that is published; all is
// called when messages may have been lost, and means that any key may have changed. They run one
// after the other, between other people's work: they drop what they keep, and read it again when it
// is next needed. The same change may be told twice. T is a type of the area.
func On[T, K any](t Topic[K], changed func(T, K), all func(T)) fx.Option {
	return module.Contribute("broadcast", string(t), nil, func(at module.At) fx.Option {
		return module.Register(at, func(bus *Bus, of T) error {
			return Listen(bus, t, func(key K) { changed(of, key) }, func() { all(of) })
		})
	})
}

// Listen is On for the platform's own packages. It is over before anything is published or started.
func Listen[K any](bus *Bus, t Topic[K], changed func(K), all func()) error {
	key := reflect.TypeFor[K]()
	known := bus.topics[string(t)]
	if known == nil {
		known = &topic{key: key}
		bus.topics[string(t)] = known
	}
	if known.key != key {
		return fmt.Errorf("broadcast topic %q has keys of type %s here and of type %s elsewhere", t, key, known.key)
	}
	known.changed = append(known.changed, func(text json.RawMessage) error {
		var key K
		if err := json.Unmarshal(text, &key); err != nil {
			return err
		}
		changed(key)

		return nil
	})
	known.all = append(known.all, all)

	return nil
}

// Publish tells the listeners of every process that key has changed, once the transaction in ctx is
// committed; without one, at once.
func Publish[K any](ctx context.Context, bus *Bus, t Topic[K], key K) error {
	text, err := json.Marshal(key)
	if err != nil {
		return fmt.Errorf("broadcast topic %s: %w", t, err)
	}
	m := message{Topic: string(t), Key: text}

	return bus.db.InTx(ctx, func(ctx context.Context) error {
		if err := bus.notify(ctx, m); err != nil {
			return err
		}
		bus.db.AfterCommit(ctx, func() { bus.deliver(m) })

		return nil
	})
}

// deliver tells the listeners of this process. One that cannot read the key, as between releases
// that mean different ones, is told that everything may have changed.
func (b *Bus) deliver(m message) {
	t := b.topics[m.Topic]
	if t == nil {
		return
	}
	for i, changed := range t.changed {
		b.safely(m.Topic, func() {
			if err := changed(m.Key); err != nil {
				b.log.Warn("unreadable key of a broadcast", slog.String("topic", m.Topic), slog.Any("error", err))
				t.all[i]()
			}
		})
	}
}

// deliverAll tells every listener that everything may have changed.
func (b *Bus) deliverAll() {
	for name, t := range b.topics {
		for _, all := range t.all {
			b.safely(name, all)
		}
	}
}

// safely keeps a listener's panic from the listeners after it and from who published.
func (b *Bus) safely(topic string, listener func()) {
	defer func() {
		if cause := recover(); cause != nil {
			b.log.Error("listener panicked", slog.String("topic", topic), slog.Any("panic", cause))
		}
	}()
	listener()
}
