package limit

import (
	"context"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Meter counts what companies add in a month, for limits that are of a month: nobody counts rows to know what is used.
type Meter struct {
	rows  repository
	hooks *hook.Bus
	zones *calendar.Calendar
}

// NewMeter returns a meter of all companies.
func NewMeter(db *database.DB, hooks *hook.Bus, zones *calendar.Calendar) *Meter {
	return &Meter{repository{db}, hooks, zones}
}

// Add counts n more of a limit in this month of the company's time zone, and checks it. It joins the caller's transaction, which
// gives back what is refused. What is deleted later stays counted. Error: billing.limit_reached.
func (m *Meter) Add(ctx context.Context, name string, n int64) error {
	if n <= 0 {
		return nil
	}
	now, err := m.zones.Now(ctx)
	if err != nil {
		return err
	}
	used, err := m.rows.add(ctx, name, now.Format("2006-01"), n)
	if err != nil {
		return err
	}

	return Check(ctx, m.hooks, Checking{Limit: name, Used: used - n, Adding: n})
}

// Creations is the manifest line of a resource whose new rows count in a limit of a month. It comes after those that refuse rows.
func Creations[R any](name string) fx.Option {
	return resource.BeforeAll(func(m *Meter, ctx context.Context, all []*resource.Change[R]) error {
		var n int64
		for _, c := range all {
			if c.Verb == resource.Create {
				n++
			}
		}

		return m.Add(ctx, name, n)
	})
}
