package events_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

const patience = 20 * time.Second

// bootEach runs test with a service of the test's areas, on both databases.
func bootEach(t *testing.T, test func(t *testing.T, a *moduletest.App, p *parts)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		p := newParts()
		a := moduletest.Boot(t, url, p.areas(), moduletest.With(p.capture()),
			moduletest.Set("jobs.poll=10ms", "jobs.retry_delay=10ms"))
		_, err := a.DB.SQL().ExecContext(t.Context(), bookTable)
		require.NoError(t, err)
		test(t, a, p)
	})
}

func as(ctx context.Context, company uuid.UUID) context.Context {
	return principal.With(ctx, principal.Principal{Kind: principal.User, Company: company, User: uuid.New()})
}

// count returns the number that the statement answers.
func count(t *testing.T, p *parts, sql string) int {
	t.Helper()
	var n int
	require.NoError(t, p.shop.db.Raw(t.Context(), "test").Raw(sql).Scan(&n).Error)

	return n
}

func TestPublish_IsAmendedDeliveredToEachAndTriedAgain(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		ctx := telemetry.WithRequestID(as(t.Context(), a.Owner.ID), "req-7")
		require.NoError(t, p.shop.buy(ctx, "truck", 100))
		require.Eventually(t, func() bool { return count(t, p, "SELECT count(*) FROM book") == 1 }, patience, 5*time.Millisecond)
		require.Equal(t, 110, count(t, p, "SELECT price FROM book"), "rules amended it")

		var row struct{ ID, Name, Payload, Actor, RequestID string }
		require.NoError(t, a.DB.Raw(t.Context(), "test").
			Raw("SELECT id, name, payload, actor, request_id FROM events_log").Scan(&row).Error)
		require.Equal(t, "shop.thing.bought", row.Name)
		require.JSONEq(t, `{"thing":"truck","price":110}`, row.Payload)
		require.Regexp(t, `^user:[0-9a-f-]{36}$`, row.Actor)
		require.Equal(t, "req-7", row.RequestID)
		select {
		case id := <-p.witness.calls:
			require.Equal(t, row.ID, id.String())
		case <-time.After(patience):
			require.Fail(t, "the failure of one held up the other")
		}
		require.Eventually(t, func() bool {
			return count(t, p, "SELECT count(*) FROM river_job WHERE kind = 'events.deliver' AND state = 'completed'") == 2
		}, patience, 5*time.Millisecond)
		require.Equal(t, 2, count(t, p, "SELECT max(attempt) FROM river_job WHERE kind = 'events.deliver'"), "the ledger failed once")
	})
}

func TestPublish_LeavesNothingOfWhatWasVetoed(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		require.ErrorIs(t, p.shop.buy(as(t.Context(), a.Owner.ID), "plane", 1000), errTooDear)
		require.Zero(t, count(t, p, "SELECT count(*) FROM events_log"))
		require.Zero(t, count(t, p, "SELECT count(*) FROM river_job WHERE kind = 'events.deliver'"))
	})
}

func TestPublish_WritesOneRowAndNoJobWhereNobodyListens(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		require.NoError(t, p.shop.db.InTx(as(t.Context(), a.Owner.ID), func(ctx context.Context) error {
			return p.shop.bus.Publish(ctx, quiet{}, quiet{})
		}))
		require.Equal(t, 2, count(t, p, "SELECT count(*) FROM events_log"))
		require.Zero(t, count(t, p, "SELECT count(*) FROM river_job WHERE kind = 'events.deliver'"))
	})
}

type undeclared struct{}

func (undeclared) EventName() string { return "shop.thing.undeclared" }

func TestPublish_RefusesMistakes(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		ctx := as(t.Context(), a.Owner.ID)
		in := func(ctx context.Context, e events.Event) error {
			return p.shop.db.InTx(ctx, func(ctx context.Context) error { return p.shop.bus.Publish(ctx, e) })
		}
		require.ErrorContains(t, p.shop.bus.Publish(ctx, quiet{}), "use InTx")
		require.ErrorContains(t, in(t.Context(), quiet{}), "the principal has none")
		require.ErrorContains(t, in(ctx, undeclared{}), "is events.Publishes in the manifest?")
	})
}

func TestDeliver_RunsAsTheCompanyOfTheEvent(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		other := a.NewCompany(t)
		require.NoError(t, p.shop.buy(as(t.Context(), a.Owner.ID), "a", 1))
		require.NoError(t, p.shop.buy(as(t.Context(), other.ID), "b", 1))
		require.Eventually(t, func() bool { return count(t, p, "SELECT count(*) FROM book") == 2 }, patience, 5*time.Millisecond)
		for _, company := range []uuid.UUID{a.Owner.ID, other.ID} {
			var n int64
			ctx := principal.With(t.Context(), principal.ForCompany(company))
			require.NoError(t, a.DB.Conn(ctx).Model(&events.LogRow{}).Count(&n).Error)
			require.EqualValues(t, 1, n, "the log keeps companies apart")
		}
	})
}

func TestSweep_RemovesWhatIsOlderThanTheSetting(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		other := a.NewCompany(t)
		for _, company := range []uuid.UUID{a.Owner.ID, other.ID} {
			require.NoError(t, p.shop.buy(as(t.Context(), company), "a", 1))
		}
		removed, err := p.shop.bus.Sweep(t.Context())
		require.NoError(t, err)
		require.Zero(t, removed, "they have just happened")

		old := time.Now().Add(-180 * 24 * time.Hour).UnixMilli() //nolint:forbidigo // the ids come from the machine's clock
		minute := time.Minute.Milliseconds()
		for _, e := range []struct{ id, at int64 }{{old - minute, old - minute}, {old + minute, old + minute}, {old - minute, old + minute}} {
			id := database.NewID()
			copy(id[:6], binary.BigEndian.AppendUint64(nil, uint64(e.id))[2:])
			row := events.LogRow{ID: id, Name: "shop.thing.bought", Payload: database.JSON("{}"), Actor: "system", At: time.UnixMilli(e.at)}
			require.NoError(t, a.DB.InTx(as(t.Context(), other.ID), func(ctx context.Context) error {
				return a.DB.Conn(ctx).Create(&row).Error
			}))
		}
		removed, err = p.shop.bus.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, removed, "the time of the event decides, whatever its id says")
		require.Equal(t, 4, count(t, p, "SELECT count(*) FROM events_log"))
		removed, err = p.shop.bus.Sweep(t.Context())
		require.NoError(t, err)
		require.Zero(t, removed)
	})
}

func TestRoles_AProcessWithoutWorkersLeavesDeliveriesToOthers(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		web := newParts()
		a := moduletest.Boot(t, url, web.areas(), moduletest.With(web.capture()), moduletest.Set("roles=api"))
		_, err := a.DB.SQL().ExecContext(t.Context(), bookTable)
		require.NoError(t, err)
		require.NoError(t, web.shop.buy(as(t.Context(), a.Owner.ID), "truck", 1))
		require.Equal(t, 2, count(t, web, "SELECT count(*) FROM river_job WHERE kind = 'events.deliver' AND state = 'available'"))

		worker := newParts()
		moduletest.Boot(t, url, worker.areas(), moduletest.With(worker.capture()),
			moduletest.Set("roles=worker", "jobs.poll=10ms", "jobs.retry_delay=10ms"))
		require.Eventually(t, func() bool { return count(t, web, "SELECT count(*) FROM book") == 1 }, patience, 5*time.Millisecond)
	})
}

func TestNew_RefusesListeningToWhatNobodyPublishes(t *testing.T) {
	t.Parallel()
	build := func(modules ...module.Module) error {
		cfg, err := app.Load(config.LoadOptions{Modules: modules, Set: []string{"data_dir=" + t.TempDir()}})
		require.NoError(t, err)
		_, err = app.New(cfg, modules)

		return err
	}
	listens := module.New("ledger", "", fx.Provide(newLedger, fx.Private), events.On((*ledger).onBought))
	require.ErrorContains(t, build(listens), `ledger/onBought listens to event "shop.thing.bought", which no enabled area publishes`)
	require.ErrorContains(t, build(module.New("carriers", "", events.Publishes(bought{}))), `want "carriers." in front`)
	require.NoError(t, build(module.New("shop", "", events.Publishes(bought{})), listens))
}
