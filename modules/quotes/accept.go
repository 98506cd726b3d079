package quotes

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/quotes/quotesapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// acceptance is how somebody accepts a quote.
type acceptance struct {
	Option, Name, Address string
	// AvailableFrom is the first day on which the vehicles can be picked up, "" for that of the load.
	AvailableFrom string
	// Tariff is that of the option, as the company's user has read it; "" if the user does not say.
	Tariff money.Amount
	// Note is kept in the logs, Party is who accepts.
	Note, Party string
}

// signer is the customer that accepts by a link, "" if the company notes that it has accepted.
func (a acceptance) signer() string {
	if a.Address == "" {
		return ""
	}

	return a.Name
}

// repeats reports whether a quote, which was accepted and whose load is of, was accepted just so. What an answer or the acceptance leaves open
// is no difference.
func (a acceptance) repeats(q quote, of loadsapi.Snapshot) bool {
	return q.Option == cmp.Or(a.Option, standard) && (a.Name == "" || q.AcceptedBy == "" || a.Name == q.AcceptedBy) &&
		(a.AvailableFrom == "" || a.AvailableFrom == of.AvailableFrom)
}

// till accepts quotes, and books their loads.
type till struct {
	quotes  *resource.Resource[quote]
	trade   *trade
	endings *endings
	hooks   *hook.Bus
	db      *database.DB
}

func newTill(quotes *resource.Resource[quote], t *trade, e *endings, hooks *hook.Bus, db *database.DB) *till {
	return &till{quotes, t, e, hooks, db}
}

// accept accepts a quote and books its load. The same acceptance again changes nothing.
func (t *till) accept(ctx context.Context, id uuid.UUID, match web.IfMatch, a acceptance) (q quote, err error) {
	err = t.db.InTx(ctx, func(ctx context.Context) error {
		if q, err = t.quotes.Find(ctx, id); err != nil {
			return err
		}
		of, sold := t.trade.held(ctx, q) // who comes second waits here, and finds the quote accepted
		if sold != nil && !errs.IsRefusal(sold) {
			return sold
		}
		if q, err = t.quotes.Find(ctx, id); err != nil || q.State == accepted && a.repeats(q, of) {
			return err
		}
		o, known := q.option(a.Option)
		if !known {
			return errInvalid.WithField("option", "The option must be one of the quote.")
		}
		if err := t.endings.open(ctx, q); err != nil {
			return err
		}
		if sold != nil {
			return sold
		}
		if err := unchanged(of, q.Offered.V); err != nil {
			return err
		}
		if err := t.trade.samePlan(ctx, q, o); err != nil {
			return err
		}
		if a.Party != customer {
			if err := q.named(ctx, a.Tariff, o.Tariff, match); err != nil {
				return err
			}
		}
		about := quotesapi.Accepting{
			Quote: q.ID.String(), Load: q.Load.String(), Option: o.Key, Tariff: string(o.Tariff), Currency: string(q.Currency),
		}
		if err := hook.Run(ctx, t.hooks, &about); err != nil {
			return err
		}
		if q, err = t.quotes.Change(ctx, id, match, verbAccept, func(ctx context.Context, q *quote) error { return t.endings.taken(ctx, q, o.Key, a) }); err != nil {
			return err
		}

		return t.trade.sell(ctx, q, o, a)
	})

	return q, err
}
