package quotes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/quotes/quotesapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// desk decides about quotes.
type desk struct {
	quotes   *resource.Resource[quote]
	sales    loadsapi.Sales
	pricing  routeengineapi.Pricing
	brands   companiesapi.Brands
	links    *link.Service
	given    *share.Service
	hooks    *hook.Bus
	rows     *repository
	settings *settings.Settings[preferences]
	db       *database.DB
	clock    clock.Clock
}

func newDesk(
	quotes *resource.Resource[quote], sales loadsapi.Sales, pricing routeengineapi.Pricing, brands companiesapi.Brands, links *link.Service,
	given *share.Service, hooks *hook.Bus, rows *repository, kept *settings.Store, db *database.DB, c clock.Clock,
) *desk {
	return &desk{quotes, sales, pricing, brands, links, given, hooks, rows, settings.Of(kept, quotesapi.Area, defaults), db, c}
}

func (d *desk) now() time.Time { return d.clock.Now() }

// decide has a quote be of a load that can be sold, and add up. Only drafts change.
func (d *desk) decide(ctx context.Context, c resource.Change[quote]) error {
	q := c.After
	switch c.Verb {
	case resource.Create:
		of, err := d.offered(ctx, q)
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
			if err := d.calculate(ctx, q); err != nil && !errs.IsRefusal(err) {
				return err
			} // without a formula that fits, people name the price
		}
	case resource.Update:
		if c.Before.State != draft {
			return errFrozen
		}
		of, err := d.offered(ctx, q)
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
	if q.ValidUntil != nil && !q.ValidUntil.After(d.now()) {
		return errInvalid.WithField("valid_until", "`valid_until` must be in the future.")
	}

	if err := q.addUp(); err != nil {
		return err
	}
	if err := d.payByPlan(ctx, q); err != nil {
		return err
	}
	if c.Before != nil && !slices.Equal(q.Lines.V, c.Before.Lines.V) && q.Priced.V.Hash == c.Before.Priced.V.Hash {
		q.Priced.V = pricing{By: byHand} // somebody has written prices
	}

	return nil
}

// offered is the load of a quote, which is held until the transaction ends.
func (d *desk) offered(ctx context.Context, q *quote) (loadsapi.Snapshot, error) {
	of, err := d.sales.ForSale(ctx, q.Load.String())
	if errors.Is(err, loadsapi.ErrNotFound) {
		err = errInvalid.WithField("load_uuid", "There is no such load.")
	}

	return of, err
}

// queue has a new quote follow the earlier ones of its load, of which none is open.
func (d *desk) queue(ctx context.Context, q *quote) error {
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
func (d *desk) recalculate(ctx context.Context, id uuid.UUID, match web.IfMatch) (quote, error) {
	return d.quotes.Change(ctx, id, match, resource.Update, func(ctx context.Context, q *quote) (err error) {
		if q.State != draft {
			return errFrozen
		}
		if q.Offered.V, err = d.offered(ctx, q); err != nil {
			return err
		}
		q.Currency = money.Currency(q.Offered.V.Currency)

		return d.calculate(ctx, q)
	})
}

// release freezes a draft, and gives its prices to the load.
func (d *desk) release(ctx context.Context, id uuid.UUID, match web.IfMatch, tariff money.Amount) (quote, error) {
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return quote{}, err
	}
	now := d.now()
	q, err := d.quotes.Change(ctx, id, match, verbSend, func(ctx context.Context, q *quote) error {
		if err := d.quotes.Step(ctx, q, state.Move{Verb: string(verbSend)}); err != nil {
			return err
		}
		of, err := d.offered(ctx, q)
		if err != nil {
			return err
		}
		if err := unchanged(of, q.Offered.V); err != nil {
			return err
		}
		if of.AvailableFrom != q.Offered.V.AvailableFrom {
			return errChanged.WithDetail("fields", []string{loadsapi.FieldDay})
		}
		if units, _ := q.units(q.Tariff); units == 0 {
			return errNoPrice
		}
		if err := q.named(ctx, tariff, q.Tariff, match); err != nil {
			return err
		}
		if err := d.samePlan(ctx, *q, q.Options.V...); err != nil {
			return err
		}
		if q.ValidUntil == nil {
			until := now.AddDate(0, 0, int(terms.Now.ValidDays))
			q.ValidUntil = &until
		}
		if !q.ValidUntil.After(now) {
			return errInvalid.WithField("valid_until", "`valid_until` must be in the future.")
		}
		q.SentAt, q.Terms = &now, terms.Now.Terms

		return nil
	})
	if err != nil {
		return q, err
	}
	first, _ := q.option(standard)

	return q, d.sales.Quote(ctx, q.Load.String(), q.prices(first))
}

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

// accept accepts a quote and books its load. The same acceptance again changes nothing.
func (d *desk) accept(ctx context.Context, id uuid.UUID, match web.IfMatch, a acceptance) (q quote, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if q, err = d.quotes.Find(ctx, id); err != nil {
			return err
		}
		of, sold := d.sales.ForSale(ctx, q.Load.String()) // who comes second waits here, and finds the quote accepted
		if sold != nil && !errs.IsRefusal(sold) {
			return sold
		}
		if q, err = d.quotes.Find(ctx, id); err != nil || q.State == accepted && a.repeats(q, of) {
			return err
		}
		o, known := q.option(a.Option)
		if !known {
			return errInvalid.WithField("option", "The option must be one of the quote.")
		}
		if err := d.open(ctx, q); err != nil {
			return err
		}
		if sold != nil {
			return sold
		}
		if err := unchanged(of, q.Offered.V); err != nil {
			return err
		}
		if err := d.samePlan(ctx, q, o); err != nil {
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
		if err := hook.Run(ctx, d.hooks, &about); err != nil {
			return err
		}
		if q, err = d.quotes.Change(ctx, id, match, verbAccept, func(ctx context.Context, q *quote) error { return d.taken(ctx, q, o.Key, a) }); err != nil {
			return err
		}

		return d.sales.Sell(ctx, q.Load.String(), loadsapi.Sale{
			Prices: q.prices(o), Expedited: o.Key != standard, Within: int(o.Within), AvailableFrom: a.AvailableFrom, Note: strings.TrimSpace("Quote " + q.Number + " was accepted. " + a.Note), Party: a.Party,
			SignedBy: a.signer(), SignedFrom: a.Address,
		})
	})

	return q, err
}

// named refuses what the company does with a price without saying which one, or saying another one. Customers name the quote that they were shown.
func (q *quote) named(ctx context.Context, said, is money.Amount, match web.IfMatch) error {
	asked, ok := q.units(said)
	price, _ := q.units(is)
	switch {
	case said == "" && match.IfMatch != "" && match.IfMatch != "*":
		return nil
	case said == "":
		return errInvalid.WithField("tariff", "The `tariff` is required, as you read it. Or send If-Match with the ETag of the quote.")
	case !ok || asked != price:
		if who, _ := principal.From(ctx); !who.Allows(loadsapi.Margins) {
			return errTariff
		}

		return errTariff.WithDetail("tariff", is)
	}

	return nil
}

// unchanged refuses a load that is no longer what an offer shows of it.
func unchanged(now, offered loadsapi.Snapshot) error {
	if fields := now.Differences(offered.Key()); len(fields) > 0 {
		return errChanged.WithDetail("fields", fields)
	}

	return nil
}

// open refuses a quote that can no longer be answered.
func (d *desk) open(ctx context.Context, q quote) error {
	switch {
	case q.State == draft:
		return errDraft
	case q.State == superseded:
		return d.newer(ctx, q)
	case q.State == expired:
		return errExpired
	case !q.open():
		return errOver.WithDetail("state", q.State)
	}

	return unexpired(ctx, q, d.now())
}

// newer is the refusal of a quote that is superseded, with the one that customers are shown now.
func (d *desk) newer(ctx context.Context, q quote) error {
	now, err := d.rows.shown(ctx, *q.Load)
	if err != nil && !errors.Is(err, errNone) {
		return err
	}
	if err == nil && now.open() {
		return errSuperseded.WithDetail("current", map[string]any{"uuid": now.ID, "number": now.Number})
	}

	return errSuperseded.WithMessage("The quote was superseded, and can no longer be accepted.")
}

// taken keeps who accepted a quote, and how.
func (d *desk) taken(ctx context.Context, q *quote, key string, a acceptance) error {
	now := d.now()
	q.Option, q.AcceptedAt, q.AcceptedBy, q.Address = key, &now, a.Name, a.Address

	return d.quotes.Step(ctx, q, state.Move{Verb: string(verbAccept), Reason: a.Note, Party: a.Party})
}

// end takes a step that ends an open quote, and keeps why.
func (d *desk) end(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, why, party string) (quote, error) {
	return d.quotes.Change(ctx, id, match, verb, func(ctx context.Context, q *quote) error {
		q.EndReason = why

		return d.quotes.Step(ctx, q, state.Move{Verb: string(verb), Reason: why, Party: party})
	})
}

// revise makes a draft that takes the place of a quote. It has its prices, unless the load is another transport by now, or they are to be
// calculated.
func (d *desk) revise(ctx context.Context, id uuid.UUID, match web.IfMatch, calculate bool) (made quote, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		old, err := d.quotes.Find(ctx, id)
		if err != nil {
			return err
		}
		of, err := d.offered(ctx, &old)
		if err != nil {
			return err
		}
		if old, err = d.end(ctx, id, match, verbRevise, "A newer offer takes its place.", ""); err != nil {
			return err
		}
		made = quote{Load: old.Load, PlanTemplate: old.PlanTemplate, Message: old.Message}
		switch {
		case calculate || !sameTransport(of, old.Offered.V):
			made.Currency, made.Offered.V = money.Currency(of.Currency), of
			if err := d.calculate(ctx, &made); err != nil {
				return err
			}
		case of.Currency == string(old.Currency): // else it has the prices of the load
			made.Lines.V, made.Options.V, made.Priced.V = slices.Clone(old.Lines.V), slices.Clone(old.Options.V), old.Priced.V
		}
		made, err = d.quotes.Create(ctx, made)

		return err
	})

	return made, err
}

// onBooking closes the open quote of a load that is booked past it. What was sent for just that price is accepted, and the load promises what it does.
func (d *desk) onBooking(ctx context.Context, b *loadsapi.Booking) error {
	id, err := uuid.Parse(b.Load)
	if err != nil {
		return err
	}
	q, err := d.rows.last(ctx, id)
	switch {
	case errors.Is(err, errNone) || err == nil && !slices.Contains(openStates, q.State):
		return nil
	case err != nil:
		return err
	}
	for _, o := range q.Options.V {
		if q.open() && string(o.Tariff) == b.Tariff && string(q.Currency) == b.Currency {
			b.Expedited, b.Within = o.Key != standard, int(o.Within)
			_, err := d.quotes.Change(ctx, q.ID, web.IfMatch{}, verbAccept, func(ctx context.Context, q *quote) error {
				return d.taken(ctx, q, o.Key, acceptance{Note: "The load was booked at this price."})
			})

			return err
		}
	}

	return d.supersede(ctx, q.ID, "The load was booked.")
}

// supersede ends an open quote because of what became of its load, as the service itself.
func (d *desk) supersede(ctx context.Context, id uuid.UUID, why string) error {
	_, err := d.end(principal.AsCompany(ctx, principal.CompanyOf(ctx)), id, web.IfMatch{}, verbSupersede, why, "")

	return err
}

// onLost and onCancelled end the open quote of a load that is over.
func (d *desk) onLost(ctx context.Context, e loadsapi.LostEvent) error { return d.over(ctx, e.Load) }

func (d *desk) onCancelled(ctx context.Context, e loadsapi.CancelledEvent) error {
	return d.over(ctx, e.Load)
}

func (d *desk) over(ctx context.Context, load string) error {
	id, err := uuid.Parse(load)
	if err != nil {
		return err
	}
	q, err := d.rows.last(ctx, id)
	if errors.Is(err, errNone) || err == nil && !slices.Contains(openStates, q.State) {
		return nil
	}
	if err != nil {
		return err
	}

	return d.supersede(ctx, q.ID, "The request was closed.")
}
