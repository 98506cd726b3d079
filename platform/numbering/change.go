package numbering

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// State is a series as a company has it.
type State struct {
	Series   string `json:"series"`
	Template string `json:"template"`
	// Next is the number that would be given now, "" if there is none any more.
	Next string `json:"next"`
	// Count is the count in Next, 0 if there is none any more.
	Count int64 `json:"count"`
}

// List returns all declared series as the caller's company has them, by name.
func (n *Numbers) List(ctx context.Context, options ...Option) ([]State, error) {
	if principal.CompanyOf(ctx) == uuid.Nil {
		return nil, errNoCompany
	}
	rows, err := n.rows.all(ctx)
	if err != nil {
		return nil, fmt.Errorf("series: %w", err)
	}
	used := make(map[string]seriesRow, len(rows))
	for _, row := range rows {
		used[row.Series] = row
	}
	day, err := n.today(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("series: %w", err)
	}
	all := make([]State, 0, len(n.defaults))
	for _, series := range slices.Sorted(maps.Keys(n.defaults)) {
		state, err := n.state(ctx, series, used[series], day)
		if err != nil {
			return nil, err
		}
		all = append(all, state)
	}

	return all, nil
}

// Peek returns the number that Next would give now, without taking it. Errors: numbering.exhausted.
func (n *Numbers) Peek(ctx context.Context, series string, options ...Option) (string, error) {
	if _, err := n.known(ctx, series); err != nil {
		return "", err
	}
	day, err := n.today(ctx, options)
	if err != nil {
		return "", seriesError(series, err)
	}
	row, err := n.rows.series(ctx, series)
	if err != nil {
		return "", seriesError(series, err)
	}
	state, err := n.state(ctx, series, row, day)
	if err == nil && state.Next == "" {
		err = errExhausted
	}

	return state.Next, err
}

// state is a declared series on a day. The row is empty if it was never used.
func (n *Numbers) state(ctx context.Context, series string, row seriesRow, day time.Time) (State, error) {
	t := n.defaults[series]
	if row.Template != "" {
		var err error
		if t, err = parseStored(row); err != nil {
			return State{}, seriesError(series, err)
		}
	}
	counts := row.counter()
	if want := t.shape(day); counts.shape != want {
		var err error
		if counts, err = n.rows.resting(ctx, series, want); err != nil {
			return State{}, seriesError(series, err)
		}
	}
	state := State{Series: series, Template: t.text}
	if counts.Last < maxSeq {
		state.Count = counts.Last + 1
		state.Next = counts.number(state.Count, t.width)
	}

	return state, nil
}

// SetTemplate changes the template of a series of the caller's company. Errors:
// numbering.invalid_template, with what is wrong under the field "template", and
// numbering.template_repeats if the template could ever make a number again that was given before.
func (n *Numbers) SetTemplate(ctx context.Context, series, text string) error {
	first, err := n.known(ctx, series, WithTemplate(text))
	if err != nil {
		return err
	}
	t, err := parseTemplate(text)
	if err != nil {
		return err
	}
	err = n.db.InTx(ctx, func(ctx context.Context) error {
		row, err := n.rows.lockSeries(ctx, series, first.text, n.clock.Now())
		if err != nil || row.Template == text {
			return err
		}
		if err := n.checkRepeats(ctx, row, t); err != nil {
			return err
		}
		before := row.Template
		row.Template, row.UpdatedAt = text, n.clock.Now()
		if err := n.rows.store(ctx, row); err != nil {
			return err
		}

		return n.record(ctx, "numbering.template_changed", series, before, text)
	})

	return seriesError(series, err)
}

// checkRepeats refuses a template that could repeat a number of a held series.
func (n *Numbers) checkRepeats(ctx context.Context, row seriesRow, t template) error {
	given, err := n.rows.counters(ctx, row.Series)
	if err != nil {
		return err
	}
	for _, c := range append(given, row.counter()) {
		if t.repeats(c) {
			return errRepeats.WithDetail("given", c.number(c.Last, c.Width))
		}
	}

	return nil
}

// SetNext makes a series of the caller's company go on with a count, as after moving from another
// system: with 4711 and the template L-{yyyy}-{seq:5}, the next number is L-2026-04711. It is about
// the numbers that begin and end as those of today, so next year starts over. Errors:
// numbering.only_forward, and numbering.exhausted if there are no such counts.
func (n *Numbers) SetNext(ctx context.Context, series string, next int64, options ...Option) error {
	first, err := n.known(ctx, series, options...)
	if err != nil {
		return err
	}
	day, err := n.today(ctx, options)
	if err != nil {
		return seriesError(series, err)
	}
	err = n.db.InTx(ctx, func(ctx context.Context) error {
		row, t, err := n.holdCounter(ctx, series, first, day)
		switch {
		case err != nil:
			return err
		case next <= row.Last:
			return errBackwards.WithMessage("A series can only be moved forward: the next number must be %d or higher.", row.Last+1).WithDetail("next", row.Last+1)
		case next > maxSeq:
			return errExhausted.WithDetail("highest", int64(maxSeq))
		case next == row.Last+1:
			return nil
		}
		s := t.shape(day)
		before := s.number(row.Last+1, t.width)
		row.Last, row.UpdatedAt = next-1, n.clock.Now()
		if err := n.rows.store(ctx, row); err != nil {
			return err
		}

		return n.record(ctx, "numbering.moved_forward", series, before, s.number(next, t.width))
	})

	return seriesError(series, err)
}

// record leaves an entry in the audit trail. A series has no UUID, so the change is under its name.
func (n *Numbers) record(ctx context.Context, action, series, before, after string) error {
	return n.trail.Record(ctx, audit.Entry{
		Action:  action,
		Item:    audit.Item{Type: "numbering.series"},
		Changes: map[string]audit.Change{series: {Before: before, After: after}},
	})
}

func seriesError(series string, err error) error {
	if err == nil {
		return nil
	}

	return fmt.Errorf("series %s: %w", series, err)
}
