// Package records decides what becomes of records: each write with its versions, links, unique values, words and events.
package records

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/outside"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Service decides what becomes of a company's records.
type Service struct {
	Buses

	db          *database.DB
	repo        *store.Repository
	definitions *store.Definitions
	settings    definition.Settings
	clock       clock.Clock
	others      outside.Others
	meter       *store.Meter
	common      *store.CommonWords
}

// Buses are what tells others of changes.
type Buses struct {
	hooks  *hook.Bus
	Events *events.Bus
	Audit  *audit.Log
	Jobs   *jobs.Queue
}

// NewBuses returns them.
func NewBuses(h *hook.Bus, e *events.Bus, a *audit.Log, q *jobs.Queue) Buses {
	return Buses{hooks: h, Events: e, Audit: a, Jobs: q}
}

// New returns the service, which writes marks of rollups with each commit.
func New(repo *store.Repository, d *store.Definitions, s definition.Settings, c clock.Clock, b Buses, o outside.Others, m *store.Meter, w *store.CommonWords) *Service {
	made := &Service{Buses: b, db: repo.DB, repo: repo, definitions: d, settings: s, clock: c, others: o, meter: m, common: w}
	repo.DB.BeforeCommit(made.writeMarks)

	return made
}

// Change returns who is changing something now.
func (s *Service) Change(ctx context.Context) store.Change {
	caller, _ := principal.From(ctx)
	c := store.Change{At: s.clock.Now()}
	if caller.User != uuid.Nil {
		c.By = &caller.User
	}

	return c
}
