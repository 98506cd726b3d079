package billing

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// tables is the shelf of the area (ADR 0106).
type tables struct {
	DB            *database.DB
	Subscriptions *resource.Resource[subscription]
	Invoices      *resource.Resource[invoice]
	Credits       *resource.Resource[creditNote]
	Payments      *resource.Resource[payment]
	Clock         clock.Clock
}

func newTables(
	db *database.DB, s *resource.Resource[subscription], i *resource.Resource[invoice], c *resource.Resource[creditNote], p *resource.Resource[payment],
	clk clock.Clock,
) *tables {
	return &tables{DB: db, Subscriptions: s, Invoices: i, Credits: c, Payments: p, Clock: clk}
}

// current returns the subscription of the company that has not ended. Error: billing.no_subscription.
func (t *tables) current(ctx context.Context) (subscription, error) {
	rows, err := t.Subscriptions.Where(ctx, "ended_at IS NULL")
	if err != nil {
		return subscription{}, err
	}
	if len(rows) == 0 {
		return subscription{}, errNone
	}

	return rows[0], nil
}

// moveErrors are what changes of a subscription fail with.
func (t *tables) moveErrors(more ...*errs.Error) []*errs.Error {
	all := append([]*errs.Error{t.Subscriptions.NotFound(), state.ErrNotAllowed, state.ErrNotYours, state.ErrMoved, errNoSeller}, t.Subscriptions.WriteErrors()...)

	return append(all, more...)
}
