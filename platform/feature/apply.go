package feature

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Apply changes the set of a company that exists: one transaction, an entry of the company's audit
// trail, and every replica is told after the commit. What is so already is not changed again.
// Errors: feature.invalid, feature.needed_by and feature.needs, which name the areas;
// feature.not_found for a caller of another company.
func (s *Sets) Apply(ctx context.Context, company uuid.UUID, c Change) (done Plan, err error) {
	ctx, err = actingFor(ctx, company)
	if err != nil {
		return Plan{}, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.rows.lock(ctx, company); err != nil {
			return fmt.Errorf("features of company %s: %w", company, err)
		}
		if done, err = s.plan(ctx, company, c); err != nil {
			return err
		}
		if err := done.Refusal(); err != nil || len(done.rows) == 0 {
			return err
		}

		return s.write(ctx, company, done)
	})
	if err != nil {
		return Plan{}, err
	}

	return done, nil
}

// write carries out a plan in the transaction.
func (s *Sets) write(ctx context.Context, company uuid.UUID, p Plan) error {
	who, _ := principal.From(ctx)
	now := s.clock.Now()
	changes := map[string]audit.Change{}
	for i := range p.rows {
		r := &p.rows[i]
		r.ChangedAt, r.ChangedByKind, r.ChangedBy = now, string(who.Kind), whoOf(who)
		changes[r.Area] = audit.Change{Before: p.before[r.Area], After: r.Enabled}
	}
	if err := s.rows.saveDecisions(ctx, p.rows); err != nil {
		return fmt.Errorf("features of company %s: %w", company, err)
	}
	err := s.trail.Record(ctx, audit.Entry{
		Action: "features.changed", Item: audit.Item{Type: "companies.company", UUID: company}, Changes: changes,
	})
	if err != nil {
		return err
	}

	return broadcast.Publish(ctx, s.bus, changed, company)
}

// whoOf returns the user, or else the token, of who is calling; nil if there is neither.
func whoOf(who principal.Principal) *uuid.UUID {
	switch {
	case who.User != uuid.Nil:
		return &who.User
	case who.Token != uuid.Nil:
		return &who.Token
	default:
		return nil
	}
}
