package custommodules

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// service decides what becomes of a company's modules and records.
type service struct {
	db          *database.DB
	repo        *repository
	definitions *definitions
	settings    settings
	clock       clock.Clock
}

func newService(db *database.DB, repo *repository, d *definitions, s settings, c clock.Clock) *service {
	return &service{db: db, repo: repo, definitions: d, settings: s, clock: c}
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

// companyOf returns the company that is calling.
func companyOf(ctx context.Context) uuid.UUID {
	caller, _ := principal.From(ctx)

	return caller.Company
}
