package resource

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/collection/views"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/detail"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/resource/moving"
	"github.com/dispatchd/dispatchd/platform/resource/versions"
	"github.com/dispatchd/dispatchd/platform/search"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Engine is what all resources stand on, and the registry of those of the enabled areas. It may be used from several
// goroutines once it is filled.
type Engine struct {
	settings Settings
	db       *database.DB
	clock    clock.Clock
	audit    *audit.Log
	bus      *events.Bus
	states   *state.Log
	items    *item.Registry
	numbers  *numbering.Numbers
	users    *identity.Service
	index    *search.Index
	queue    *jobs.Queue // of Schedule
	views    *views.Views
	own      OwnFields // nil for none
	versions *versions.Store

	gate      item.Gate
	details   *detail.Registry // nil for none
	resources map[string]served
	referrers map[string][]releasing
	pointers  []moving.Pointer
	movers    []mover
}

// UseDetails has lists and reads embed, from then on, the details that areas add to values.
func (e *Engine) UseDetails(d *detail.Registry) { e.details = d }

// releasing clears what refers to items that are to be deleted in this order, or refuses that: it may refuse of several what
// it would not of one alone. It reports whether rows were changed.
type releasing func(ctx context.Context, ids []uuid.UUID, inUse *errs.Error) (touched bool, err error)

// served is a resource as the engine knows it.
type served interface {
	item() string
	title() string
	referring() map[string][]releasing
	lockPresent(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]uuid.UUID, error)
	merges() bool
	selection() string
	checkTable(ctx context.Context) error
	finding
	sweepStatement() string
	changeOwn(ctx context.Context, verb Verb, id uuid.UUID, patch []byte) error
	structFields() []StructField
	followOwn(ctx context.Context, f Following) (uuid.UUID, error)
	raiseExpiries(ctx context.Context, companies *calendars, today field.Date) error
	describeAll() Description
	showChange(ctx context.Context, key string, value any) any
	move(ctx context.Context, m Moving) ([]Moved, error)
}

// NewEngine returns an engine without resources.
func NewEngine(
	s Settings, db *database.DB, c clock.Clock, trail *audit.Log, bus *events.Bus, states *state.Log,
	items *item.Registry, numbers *numbering.Numbers, users *identity.Service, saved *views.Views,
) *Engine {
	return &Engine{
		settings: s, db: db, clock: c, audit: trail, bus: bus, states: states, items: items, numbers: numbers, users: users, views: saved,
		index: search.New(db), versions: versions.New(db),
		resources: map[string]served{}, referrers: map[string][]releasing{},
	}
}

// add enters a resource.
func (e *Engine) add(r served) error {
	if _, twice := e.resources[r.item()]; twice {
		return fmt.Errorf("the resource %q is declared twice", r.item())
	}
	e.resources[r.item()] = r
	for target, release := range r.referring() {
		e.referrers[target] = append(e.referrers[target], release...)
	}

	return nil
}

// Start reports resources whose tables lack a column, and has the index of those follow whose searched fields have changed.
// It is called when the tables are up to date.
func (e *Engine) Start(ctx context.Context) error {
	if err := e.checkTables(ctx); err != nil {
		return err
	}

	return e.followFields(ctx)
}

// uses reports whether the caller's company uses an area.
func (e *Engine) uses(ctx context.Context, area string) (bool, error) {
	if e.gate == nil {
		return true, nil
	}

	return e.gate.Allows(ctx, principal.CompanyOf(ctx), area)
}

// titleOfType is what people call an item of a type.
func (e *Engine) titleOfType(typ string) string {
	if r, ok := e.resources[typ]; ok {
		return strings.ToLower(r.title())
	}
	_, noun, _ := strings.Cut(typ, ".")

	return columns.Spaced(noun)
}

func (r *table) item() string  { return r.Item }
func (r *table) title() string { return r.Title }

// referring are the references of the resource by the types of their items.
func (r *table) referring() map[string][]releasing {
	all := map[string][]releasing{}
	for _, f := range r.plan.References() {
		if !f.AnyItem {
			all[f.Item] = append(all[f.Item], r.releaseBy(f))
		}
	}

	return all
}
