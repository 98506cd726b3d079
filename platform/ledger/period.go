package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/field"
)

// ClosedThrough returns the last day of the closed period of the caller's company, "" if nothing is closed.
func (l *Ledger) ClosedThrough(ctx context.Context) (field.Date, error) {
	row, err := l.rows.peekBook(ctx)

	return closedThrough(row), err
}

// Close closes the period through a day: nothing is posted to it or to an earlier day from then on. Errors:
// ledger.closed_further, ledger.period_not_over.
func (l *Ledger) Close(ctx context.Context, through field.Date) error {
	today, err := l.today(ctx)
	if err != nil {
		return err
	}
	if through >= today {
		return ErrNotOver.WithField("through", fmt.Sprintf("The through must be before today, %s.", today))
	}

	return l.move(ctx, "ledger.period_closed", through, func(closed field.Date) error {
		if closed > through {
			return ErrOnlyForward.WithDetail("through", string(closed))
		}

		return nil
	})
}

// Reopen opens the closed period from a day on. Error: ledger.not_closed.
func (l *Ledger) Reopen(ctx context.Context, from field.Date) error {
	day, err := time.Parse(time.DateOnly, string(from))
	if err != nil {
		return fmt.Errorf("reopen ledger: %w", err)
	}
	through := field.Date(day.AddDate(0, 0, -1).Format(time.DateOnly))

	return l.move(ctx, "ledger.period_reopened", through, func(closed field.Date) error {
		if closed < from {
			return ErrNotClosed.WithDetail("through", string(closed))
		}

		return nil
	})
}

func (l *Ledger) move(ctx context.Context, action string, through field.Date, check func(closed field.Date) error) error {
	return l.db.InTx(ctx, func(ctx context.Context) error {
		closed, err := l.rows.holdBook(ctx, l.clock.Now())
		if err != nil {
			return err
		}
		if err := check(closed); err != nil || closed == through {
			return err
		}
		if err := l.rows.closeBook(ctx, through, l.clock.Now()); err != nil {
			return err
		}

		return l.trail.Record(ctx, audit.Entry{
			Action: action, Item: audit.Item{Type: "ledger.book"},
			Changes: map[string]audit.Change{"closed_through": {Before: string(closed), After: string(through)}},
		})
	})
}

func (l *Ledger) today(ctx context.Context) (field.Date, error) {
	now, err := l.zones.Now(ctx)

	return field.Date(now.Format(time.DateOnly)), err
}
