// Package feature says which of the deployment's areas a company uses, and changes it while the
// service runs.
//
// What the operator has said is data, a row for each company and area; where nothing was said
// features.default counts. The set of a company is what follows from that: it has every essential
// area (module.Essential), and never one whose needs are outside it.
//
// Outside its set an area does nothing for a company, and keeps its data. The platform sees to it:
// web refuses the area's operations, hook and events leave out its handlers, jobs puts its jobs off.
// What runs for several companies at once asks for each:
//
//	uses, err := sets.Allows(ctx, company, smsapi.Area)
package feature

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// changed has the id of a company whose set has changed.
const changed broadcast.Topic[uuid.UUID] = "features.set"

// cacheSize bounds the companies whose sets are kept.
const cacheSize = 10_000

// Sets is the one door to the feature sets. It may be used from several goroutines.
type Sets struct {
	areas  Areas
	db     *database.DB
	bus    *broadcast.Bus
	rows   repository
	clock  clock.Clock
	trail  *audit.Log
	cache  *broadcast.Cache[uuid.UUID, set]
	counts Counts
}

// New makes the sets of these areas.
func New(areas Areas, db *database.DB, bus *broadcast.Bus, clk clock.Clock, trail *audit.Log) (*Sets, error) {
	s := &Sets{
		areas: areas, db: db, bus: bus, rows: repository{db: db}, clock: clk, trail: trail, cache: broadcast.NewCache[uuid.UUID, set](cacheSize),
	}

	return s, broadcast.Listen(bus, changed, s.cache.Forget, s.cache.ForgetAll)
}

// Allows reports whether a company uses an area. What is known of a company is kept for a few
// seconds; every process is told of changes, and if it cannot be, they take effect within broadcast.CacheLife.
// An area that is off in the deployment, or unknown, nobody uses. The error is that of the database.
func (s *Sets) Allows(ctx context.Context, company uuid.UUID, area string) (bool, error) {
	now := s.clock.Now()
	if known, fresh := s.cache.Get(company, now); fresh {
		return known[area], nil
	}
	known, err := s.read(ctx, company, now)

	return known[area], err
}

// readTimeout bounds reading a set, on which several callers may wait.
const readTimeout = 5 * time.Second

// read returns the set of a company that is not in the cache. In a transaction it is read as that
// sees it, and not kept: the transaction may yet be undone.
func (s *Sets) read(ctx context.Context, company uuid.UUID, now time.Time) (set, error) {
	ask := func(ctx context.Context) (set, error) {
		said, err := s.rows.decisions(principal.With(ctx, principal.ForCompany(company)))
		if err != nil {
			return nil, fmt.Errorf("features of company %s: %w", company, err)
		}

		return s.areas.resolveSet(said), nil
	}
	if database.InTransaction(ctx) {
		return ask(ctx)
	}

	return s.cache.Load(company, now, func() (set, error) {
		// The caller that reads may go away while others wait for the same answer.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()

		return ask(ctx)
	})
}

// Use is what is known of a company and an area of the deployment.
type Use struct {
	Area  string `json:"area"`
	Title string `json:"title"`
	On    bool   `json:"on" doc:"Whether the company uses the area."`
	// Essential areas are part of every company's set.
	Essential bool     `json:"essential" doc:"Whether every company uses the area."`
	Needs     []string `json:"needs" nullable:"false" doc:"Areas that it needs."`
	// ChangedAt is when somebody last decided about the area, nil if nobody has.
	ChangedAt *time.Time `json:"changed_at" doc:"When the area was last switched on or off; null if never."`
}

// SchemaName is the name of the use in the OpenAPI document.
func (Use) SchemaName() string { return "Feature" }

// Of returns what a company that exists uses and what not, by area, as it is in the database now.
// Errors: feature.not_found for a caller of another company.
func (s *Sets) Of(ctx context.Context, company uuid.UUID) ([]Use, error) {
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return nil, err
	}
	said, err := s.rows.decisions(ctx)
	if err != nil {
		return nil, fmt.Errorf("features of company %s: %w", company, err)
	}
	on := s.areas.resolveSet(said)
	all := make([]Use, 0, len(s.areas.enabled))
	for _, a := range s.areas.enabled {
		use := Use{Area: a.id, Title: a.title, On: on[a.id], Essential: a.essential, Needs: a.needs}
		if row, decided := said[a.id]; decided {
			use.ChangedAt = &row.ChangedAt
		}
		all = append(all, use)
	}

	return all, nil
}

// actingFor returns a context in which the caller is at work for the company, unless he is of another one.
// The operator stays the operator, so that the audit trail says who it was.
func actingFor(ctx context.Context, company uuid.UUID) (context.Context, error) {
	caller, known := principal.From(ctx)
	switch {
	case !known:
		return principal.With(ctx, principal.ForCompany(company)), nil
	case caller.Kind == principal.Operator:
		caller.Company = company

		return principal.With(ctx, caller), nil
	case caller.Company == company:
		return ctx, nil
	default:
		return nil, errNotFound
	}
}
