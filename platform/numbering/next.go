package numbering

import (
	"context"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Next gives the next number of a series of the caller's company, in the transaction in ctx; outside
// of one it is an error. From then until the transaction ends, others who want a number of the same
// series and company wait, so take it late. Errors: numbering.exhausted. That no area that is on
// declares the series is a defect.
func (n *Numbers) Next(ctx context.Context, series string, options ...Option) (string, error) {
	numbers, err := n.NextOf(ctx, series, 1, options...)
	if err != nil {
		return "", err
	}

	return numbers[0], nil
}

// NextOf is Next for several numbers, one after the other, by one statement.
func (n *Numbers) NextOf(ctx context.Context, series string, several int, options ...Option) ([]string, error) {
	first, err := n.known(ctx, series, options...)
	if err != nil {
		return nil, err
	}
	if !database.InTransaction(ctx) {
		return nil, errOutside
	}
	day, err := n.today(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("number of series %s: %w", series, err)
	}
	t, seen := n.seen.Get(seenKey{principal.CompanyOf(ctx), series})
	if !seen {
		t = first
	}
	last, err := n.rows.next(ctx, series, several, t, t.shape(day))
	if err == nil && last == 0 {
		t, last, err = n.nextTurned(ctx, series, several, first, day)
	}
	if err != nil {
		return nil, fmt.Errorf("number of series %s: %w", series, err)
	}
	shape, numbers := t.shape(day), make([]string, several)
	for i := range numbers {
		numbers[i] = shape.number(last-int64(several-1-i), t.width)
	}

	return numbers, nil
}

// nextTurned takes numbers where the series has to be looked at first: they are the first ones of all,
// or of a year, or the template was changed. It returns the last count.
func (n *Numbers) nextTurned(
	ctx context.Context, series string, several int, first template, day time.Time,
) (template, int64, error) {
	_, t, err := n.holdCounter(ctx, series, first, day)
	if err != nil {
		return template{}, 0, err
	}
	n.seen.Add(seenKey{principal.CompanyOf(ctx), series}, t)
	last, err := n.rows.next(ctx, series, several, t, t.shape(day))
	if err == nil && last == 0 {
		err = errExhausted
	}

	return t, last, err
}

// holdCounter holds a series and sees to it that its present counter is that of the day.
func (n *Numbers) holdCounter(ctx context.Context, series string, first template, day time.Time) (seriesRow, template, error) {
	row, err := n.rows.lockSeries(ctx, series, first.text, n.clock.Now())
	if err != nil {
		return seriesRow{}, template{}, err
	}
	t, err := parseStored(row)
	if err != nil {
		return seriesRow{}, template{}, err
	}
	if want := t.shape(day); row.counter().shape != want {
		if row, err = n.resume(ctx, row, want); err != nil {
			return seriesRow{}, template{}, err
		}
	} else if row.Width >= t.width {
		return row, t, nil
	}
	row.Width = max(row.Width, t.width)

	return row, t, n.rows.store(ctx, row)
}

// resume lays the present counter of a held series to rest and returns the series with that of
// another shape, which is not stored yet.
func (n *Numbers) resume(ctx context.Context, row seriesRow, s shape) (seriesRow, error) {
	if row.Last > 0 {
		if err := n.rows.saveCounter(ctx, row); err != nil {
			return seriesRow{}, err
		}
	}
	again, err := n.rows.resting(ctx, row.Series, s)
	row.Prefix, row.Suffix, row.Last, row.Width = s.Prefix, s.Suffix, again.Last, again.Width

	return row, err
}

// parseStored reads a template that was checked before it was stored.
func parseStored(row seriesRow) (template, error) {
	t, err := parseTemplate(row.Template)
	if err != nil {
		return template{}, fmt.Errorf("template %q: %w", row.Template, err)
	}

	return t, nil
}
