// Package store has the rows of the area, what follows from a row alone, its settings, and the failures.
package store

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Tables is the shelf of the area (ADR 0106).
type Tables struct {
	DB            *database.DB
	Subscriptions *resource.Resource[Subscription]
	Invoices      *resource.Resource[Invoice]
	Credits       *resource.Resource[CreditNote]
	Payments      *resource.Resource[Payment]
	Clock         clock.Clock
}

// NewTables returns Tables.
func NewTables(
	db *database.DB, s *resource.Resource[Subscription], i *resource.Resource[Invoice], c *resource.Resource[CreditNote], p *resource.Resource[Payment],
	clk clock.Clock,
) *Tables {
	return &Tables{DB: db, Subscriptions: s, Invoices: i, Credits: c, Payments: p, Clock: clk}
}

// Current returns the subscription of the company that has not ended. Error: billing.no_subscription.
func (t *Tables) Current(ctx context.Context) (Subscription, error) {
	rows, err := t.Subscriptions.Where(ctx, "ended_at IS NULL")
	if err != nil {
		return Subscription{}, err
	}
	if len(rows) == 0 {
		return Subscription{}, ErrNoSubscription
	}

	return rows[0], nil
}

// MoveErrors are what changes of a subscription fail with.
func (t *Tables) MoveErrors(more ...*errs.Error) []*errs.Error {
	all := append([]*errs.Error{t.Subscriptions.NotFound(), state.ErrNotAllowed, state.ErrNotYours, state.ErrMoved, ErrNoSeller}, t.Subscriptions.WriteErrors()...)

	return append(all, more...)
}

// AsService returns a context in which the service acts for the caller's company.
func AsService(ctx context.Context) context.Context {
	return principal.AsCompany(ctx, principal.CompanyOf(ctx))
}
