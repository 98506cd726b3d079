package custommodules

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// service decides what becomes of a company's modules and records.
type service struct {
	buses

	db          *database.DB
	repo        *repository
	definitions *definitions
	settings    settings
	clock       clock.Clock
	others      others
	meter       *meter
	common      *commonWords
	own         *ownModules
}

// buses is what tells others of changes.
type buses struct {
	hooks  *hook.Bus
	events *events.Bus
	audit  *audit.Log
	jobs   *jobs.Queue
}

func newBuses(h *hook.Bus, e *events.Bus, a *audit.Log, q *jobs.Queue) buses {
	return buses{hooks: h, events: e, audit: a, jobs: q}
}

func newService(repo *repository, d *definitions, s settings, c clock.Clock, b buses, o others, m *meter, w *commonWords, own *ownModules) *service {
	made := &service{buses: b, db: repo.db, repo: repo, definitions: d, settings: s, clock: c, others: o, meter: m, common: w, own: own}
	repo.db.BeforeCommit(made.settleMarks)

	return made
}

// change is who changes something, and when.
type change struct {
	at time.Time
	// by is the person, nil if it is none.
	by *uuid.UUID
}

func (s *service) change(ctx context.Context) change {
	caller, _ := principal.From(ctx)
	c := change{at: s.clock.Now()}
	if caller.User != uuid.Nil {
		c.by = &caller.User
	}

	return c
}
