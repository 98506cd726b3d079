package events_test

import (
	"context"
	"errors"
	"sync"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
)

// buying is what the shop is about to do, bought what it has done.
type buying struct{ Price int }

type bought struct {
	Thing string `json:"thing"`
	Price int    `json:"price"`
}

func (bought) EventName() string { return "shop.thing.bought" }

// quiet is an event that nobody listens to.
type quiet struct{}

func (quiet) EventName() string { return "shop.thing.quiet" }

var errTooDear = errs.New(errs.Conflict, "rules.too_dear", "Too dear.")

// rules amend and veto.
type rules struct{}

func (*rules) tax(_ context.Context, b *buying) error {
	b.Price += b.Price / 10

	return nil
}

func (*rules) limit(_ context.Context, b *buying) error {
	if b.Price > 1000 {
		return errTooDear
	}

	return nil
}

// shop buys.
type shop struct {
	db    *database.DB
	bus   *events.Bus
	hooks *hook.Bus
}

func (s *shop) buy(ctx context.Context, thing string, price int) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		b := buying{Price: price}
		if err := hook.Run(ctx, s.hooks, &b); err != nil {
			return err
		}

		return s.bus.Publish(ctx, bought{Thing: thing, Price: b.Price})
	})
}

// ledger writes each event into its book once, in spite of failures.
type ledger struct {
	db     *database.DB
	mu     sync.Mutex
	failed map[uuid.UUID]bool
	// written is called when an entry is on disk.
	written func()
}

func newLedger(db *database.DB) *ledger {
	return &ledger{db: db, failed: map[uuid.UUID]bool{}, written: func() {}}
}

// bookTable is the ledger's own.
const bookTable = "CREATE TABLE book (event text PRIMARY KEY, thing text NOT NULL, price int NOT NULL, tries int NOT NULL)"

var errFirst = errors.New("the first time fails")

// onBought fails the first time in each process. The entry and the event's id are one row, so a
// delivery that comes twice finds it written.
func (l *ledger) onBought(ctx context.Context, e bought) error {
	id := events.ID(ctx)
	if l.first(id) {
		return errFirst
	}
	err := l.db.InTx(ctx, func(ctx context.Context) error {
		return l.db.Raw(ctx, "a table of the test").
			Exec("INSERT INTO book (event, thing, price, tries) VALUES (?, ?, ?, 1) ON CONFLICT (event) DO NOTHING", id.String(), e.Thing, e.Price).Error
	})
	if err == nil {
		l.written()
	}

	return err
}

func (l *ledger) first(id uuid.UUID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.failed[id]
	l.failed[id] = true

	return first
}

// witness listens as well, and counts every call.
type witness struct{ calls chan uuid.UUID }

func (w *witness) onBought(ctx context.Context, _ bought) error {
	select {
	case w.calls <- events.ID(ctx):
	default:
	}

	return nil
}

// parts are what the tests hold of the areas.
type parts struct {
	shop    *shop
	ledger  *ledger
	witness *witness
	queue   *jobs.Queue
}

func newParts() *parts {
	return &parts{shop: &shop{}, witness: &witness{calls: make(chan uuid.UUID, 1000)}}
}

// areas are the test's: who acts, who amends and vetoes, who listens and fails.
func (p *parts) areas() []module.Module {
	return []module.Module{
		module.New("shop", "Shop", fx.Supply(p.shop, fx.Private),
			hook.Declares[buying]("shop.thing.buying"), events.Publishes(bought{}), events.Publishes(quiet{})),
		module.New("rules", "Rules", fx.Supply(&rules{}, fx.Private),
			hook.On((*rules).limit, hook.Priority(1)), hook.On((*rules).tax)),
		module.New("ledger", "Ledger", fx.Provide(newLedger, fx.Private), events.On((*ledger).onBought),
			fx.Invoke(func(l *ledger) { p.ledger = l })),
		module.New("witness", "Witness", fx.Supply(p.witness, fx.Private), events.On((*witness).onBought, jobs.Background())),
	}
}

// capture gets the platform's parts out of the graph.
func (p *parts) capture() fx.Option {
	return fx.Invoke(func(db *database.DB, bus *events.Bus, hooks *hook.Bus, queue *jobs.Queue) {
		*p.shop = shop{db: db, bus: bus, hooks: hooks}
		p.queue = queue
	})
}
