package quotes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// drafts are the quotes that can still change.
type drafts struct {
	quotes *resource.Resource[quote]
	rows   *repository
	trade  *trade
	clock  clock.Clock
}

func newDrafts(quotes *resource.Resource[quote], rows *repository, t *trade, c clock.Clock) *drafts {
	return &drafts{quotes, rows, t, c}
}

// decide has a quote be of a load that can be sold, and add up. Only drafts change.
func (d *drafts) decide(ctx context.Context, c resource.Change[quote]) error {
	q := c.After
	switch c.Verb {
	case resource.Create:
		of, err := d.trade.offered(ctx, q)
		if err != nil {
			return err
		}
		q.Offered.V, q.Currency = of, money.Currency(of.Currency)
		if err := d.queue(ctx, q); err != nil {
			return err
		}
		if q.Priced.V.By == "" {
			q.Priced.V.By = byHand
		}
		if len(q.Lines.V) == 0 && !q.fromLoad() {
			if err := d.trade.calculate(ctx, q); err != nil && !errs.IsRefusal(err) {
				return err
			} // without a formula that fits, people name the price
		}
	case resource.Update:
		if c.Before.State != draft {
			return errFrozen
		}
		of, err := d.trade.offered(ctx, q)
		if err != nil {
			return err
		}
		q.Offered.V, q.Currency = of, money.Currency(of.Currency)
	case resource.Delete:
		if q.State != draft {
			return errFrozen
		}

		return nil
	default:
		return nil
	}
	if q.ValidUntil != nil && !q.ValidUntil.After(d.clock.Now()) {
		return errInvalid.WithField("valid_until", "`valid_until` must be in the future.")
	}

	if err := q.addUp(); err != nil {
		return err
	}
	if err := d.trade.payByPlan(ctx, q); err != nil {
		return err
	}
	if c.Before != nil && !slices.Equal(q.Lines.V, c.Before.Lines.V) && q.Priced.V.Hash == c.Before.Priced.V.Hash {
		q.Priced.V = pricing{By: byHand} // somebody has written prices
	}

	return nil
}

// queue has a new quote follow the earlier ones of its load, of which none is open.
func (d *drafts) queue(ctx context.Context, q *quote) error {
	last, err := d.rows.last(ctx, *q.Load)
	if errors.Is(err, errNone) {
		q.Revision = 1

		return nil
	}
	if err != nil {
		return err
	}
	if slices.Contains(openStates, last.State) {
		return errOpen.WithDetail("uuid", last.ID).WithDetail("number", last.Number)
	}
	q.Revision = last.Revision + 1
	first, _, _ := strings.Cut(last.Number, "-v")
	q.Number = fmt.Sprintf("%s-v%d", first, q.Revision)

	return nil
}

// recalculate prices a draft by the formula.
func (d *drafts) recalculate(ctx context.Context, id uuid.UUID, match web.IfMatch) (quote, error) {
	return d.quotes.Change(ctx, id, match, resource.Update, func(ctx context.Context, q *quote) (err error) {
		if q.State != draft {
			return errFrozen
		}
		if q.Offered.V, err = d.trade.offered(ctx, q); err != nil {
			return err
		}
		q.Currency = money.Currency(q.Offered.V.Currency)

		return d.trade.calculate(ctx, q)
	})
}
