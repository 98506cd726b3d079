package feature_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// buying is what the shop is about to do, bought what it has done.
type buying struct{ Price int }

type bought struct {
	Price int `json:"price"`
}

func (bought) EventName() string { return "shop.thing.bought" }

type countArgs struct {
	N int `json:"n"`
}

func (countArgs) Kind() string { return "guard.count" }

// sweepArgs is of a schedule that never comes in a test.
type sweepArgs struct{}

func (sweepArgs) Kind() string { return "guard.sweep" }

var errDear = errs.New(errs.Conflict, "guard.too_dear", "Too dear.")

// shop acts.
type shop struct {
	db    *database.DB
	bus   *events.Bus
	hooks *hook.Bus
	queue *jobs.Queue
}

func newShop(db *database.DB, bus *events.Bus, hooks *hook.Bus, queue *jobs.Queue) *shop {
	return &shop{db: db, bus: bus, hooks: hooks, queue: queue}
}

func (s *shop) buy(ctx context.Context, price int) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := hook.Run(ctx, s.hooks, &buying{Price: price}); err != nil {
			return err
		}

		return s.bus.Publish(ctx, bought{Price: price})
	})
}

func (s *shop) count(ctx context.Context, n int) error {
	return s.db.InTx(ctx, func(ctx context.Context) error { return s.queue.Enqueue(ctx, countArgs{N: n}) })
}

// guard vetoes, listens, has a job, a schedule and an operation.
type guard struct {
	heard chan int
	done  chan int
}

func (*guard) veto(_ context.Context, b *buying) error {
	if b.Price > 100 {
		return errDear
	}

	return nil
}

func (g *guard) onBought(_ context.Context, e bought) error {
	g.heard <- e.Price

	return nil
}

func (g *guard) count(_ context.Context, a countArgs) error {
	g.done <- a.N

	return nil
}

func (*guard) sweep(context.Context, sweepArgs) error { return nil }

type statusOutput struct {
	Body struct {
		Company uuid.UUID `json:"company_uuid"`
	}
}

func (*guard) status(ctx context.Context, _ *struct{}) (*statusOutput, error) {
	who, _ := principal.From(ctx)
	out := &statusOutput{}
	out.Body.Company = who.Company

	return out, nil
}

func guardRoutes(r *web.Router, g *guard) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/status", ID: "read_status", Summary: "Read", Access: web.Read,
		Errors: []*errs.Error{errDear},
	}, g.status)
}

// parts are what a test holds of its areas.
type parts struct {
	shop  *shop
	guard *guard
}

func newParts() *parts {
	return &parts{guard: &guard{heard: make(chan int, 100), done: make(chan int, 100)}}
}

func (p *parts) areas() []module.Module {
	return []module.Module{
		module.New("base", "Base", module.Essential()),
		module.New("guard", "Guard", fx.Supply(p.guard, fx.Private),
			hook.On((*guard).veto), events.On((*guard).onBought), jobs.On((*guard).count),
			jobs.On((*guard).sweep), jobs.Every(23*time.Hour, sweepArgs{}), web.Routes(guardRoutes)),
		module.New("patrol", "Patrol").Needs("guard"),
		module.New("shop", "Shop", fx.Provide(newShop, fx.Private), fx.Invoke(func(s *shop) { p.shop = s }),
			hook.Declares[buying]("shop.thing.buying"), events.Publishes(bought{})).Listens("guard"),
		module.New("tolls", "Tolls"),
	}
}

const (
	statusPath = "/guard/api/v1/status"
	patience   = 20 * time.Second
)

func of(t *testing.T, company uuid.UUID) context.Context {
	t.Helper()

	return principal.With(t.Context(), principal.ForCompany(company))
}

func bootEach(t *testing.T, test func(t *testing.T, a *moduletest.App, p *parts), set ...string) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		p := newParts()
		test(t, boot(t, url, p, set...), p)
	})
}

func boot(t *testing.T, url string, p *parts, set ...string) *moduletest.App {
	t.Helper()
	set = append([]string{"jobs.poll=10ms", "features.job_pause=50ms", "modules.tolls.enabled=false"}, set...)

	return moduletest.Boot(t, url, p.areas(), moduletest.Set(set...))
}

// requireNext waits for the next value, which is to be want.
func requireNext(t *testing.T, from <-chan int, want int) {
	t.Helper()
	select {
	case n := <-from:
		require.Equal(t, want, n)
	case <-time.After(patience):
		require.Fail(t, "nothing came")
	}
}

func query(t *testing.T, a *moduletest.App, sql string) int {
	t.Helper()
	var n int
	require.NoError(t, a.DB.SQL().QueryRowContext(t.Context(), sql).Scan(&n))

	return n
}
