package app

import (
	"context"
	"log/slog"
	"slices"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/views"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/detail"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/web"
)

// newItems is a registry in which a company finds items of the areas that it uses.
func newItems(sets *feature.Sets) *item.Registry { return item.New(sets) }

// newTimelines is a registry in which a company finds what the areas that it uses know of its items.
func newTimelines(sets *feature.Sets, items *item.Registry, on areaList, off offAreas) *timeline.Registry {
	areas := slices.Clone([]string(off))
	for _, m := range on {
		areas = append(areas, m.ID())
	}

	return timeline.New(sets, items, areas)
}

// newSummaries is a registry of what the areas that a company uses say of its items.
func newSummaries(log *slog.Logger, sets *feature.Sets) *summary.Registry {
	return summary.New(log, sets)
}

// newDocuments is a registry of the papers that the areas that a company uses have.
func newDocuments(sets *feature.Sets) *document.Registry { return document.New(sets) }

// newDetails is a registry of what the areas that a company uses add to values.
func newDetails(sets *feature.Sets) *detail.Registry { return detail.New(sets) }

// newPorts is a registry of what the areas that a company uses provide to others.
func newPorts(sets *feature.Sets) *port.Registry { return port.New(sets) }

func newResources(
	cfg *config.Config, db *database.DB, c clock.Clock, trail *audit.Log, bus *events.Bus, states *state.Log,
	items *item.Registry, numbers *numbering.Numbers, users *identity.Service, saved *views.Views,
	details *detail.Registry,
) *resource.Engine {
	engine := resource.NewEngine(config.Get[resource.Settings](cfg, "resource"), db, c, trail, bus, states, items, numbers, users, saved)
	engine.UseDetails(details)

	return engine
}

// startResources has the tables of resources looked at when they are up to date, what was deleted long ago removed, and their
// rows found by searches over all collections.
func startResources(lc fx.Lifecycle, engine *resource.Engine, queue *jobs.Queue, collections *collection.Registry) error {
	collections.SearchBy(engine)
	lc.Append(fx.StartHook(engine.Start))

	return engine.Schedule(queue)
}

func newNumbers(db *database.DB, c clock.Clock, trail *audit.Log, zones *calendar.Calendar) (*numbering.Numbers, error) {
	return numbering.New(db, c, trail, zones)
}

func newLedger(db *database.DB, c clock.Clock, zones *calendar.Calendar, trail *audit.Log) *ledger.Ledger {
	return ledger.New(db, c, zones, trail)
}

// verifyLedgers has the queue verify all ledgers every day.
func verifyLedgers(books *ledger.Ledger, queue *jobs.Queue, log *slog.Logger) error {
	return books.Schedule(queue, log)
}

func newCalendar(c clock.Clock, companies *identity.Service) (*calendar.Calendar, error) {
	return calendar.New(c, zones{companies})
}

// useCalendar has the API answer what is asked by relative dates.
func useCalendar(api *web.API, c *calendar.Calendar) { api.UseCalendar(c) }

// zones are the time zones that companies name in their profiles.
type zones struct{ companies *identity.Service }

// TimeZone implements calendar.Zones.
func (z zones) TimeZone(ctx context.Context, company uuid.UUID) (string, error) {
	c, err := z.companies.Company(ctx, company)

	return c.TimeZone, err
}
