// Package identity knows the companies, their users and their tokens, and says who a token is.
//
// It owns the identity_* tables. Companies belong to nobody; users and tokens are rows of their
// company; the operator's tokens are rows of no company, in a table of their own, so no statement on
// a company's rows ever meets them.
//
// What is asked for one company runs as that company. A caller who is of another company is told
// that there is none; nobody (the command line, a test) and the operator may name any.
package identity

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/lastuse"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Service is the one door to companies, users and tokens. It may be used from several goroutines.
type Service struct {
	db    *database.DB
	bus   *broadcast.Bus
	rows  repository
	roles Roles
	clock clock.Clock
	cache *cache
	uses  *lastuse.Recorder
	known func(area, action string) bool
}

// New makes the service. It answers at once; Start is needed only for recording when tokens are
// used.
func New(db *database.DB, bus *broadcast.Bus, roles Roles, clk clock.Clock, log *slog.Logger) *Service {
	rows := repository{db: db}

	s := &Service{db: db, bus: bus, rows: rows, roles: roles, clock: clk, cache: newCache(), uses: lastuse.New("tokens", rows.recordUses, clk, log)}
	s.listen()

	return s
}

// KnowScopes has tokens and roles refuse a scope that known does not say exists; either half may be "*". Without
// it every scope of the right form is taken. It is called before Start.
func (s *Service) KnowScopes(known func(area, action string) bool) { s.known = known }

// Start begins to record when tokens are used, until Stop.
func (s *Service) Start(ctx context.Context) error {
	s.uses.Start(ctx)

	return nil
}

// Stop records what is still to be recorded and waits for it, as long as ctx allows.
func (s *Service) Stop(ctx context.Context) error { return s.uses.Stop(ctx) }

// actingFor returns a context in which the company itself is at work, unless the caller is of another
// company.
func actingFor(ctx context.Context, company uuid.UUID) (context.Context, error) {
	caller, known := principal.From(ctx)
	switch {
	case !known || caller.Kind == principal.Operator:
		return principal.With(ctx, principal.ForCompany(company)), nil
	case caller.Company == company:
		return ctx, nil
	default:
		return nil, ErrCompanyNotFound
	}
}
