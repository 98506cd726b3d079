package quotes

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
)

// trade is what quotes do with the loads that they are for: they show them, price them by the formula and the payment plan, and sell them.
type trade struct {
	sales   loadsapi.Sales
	pricing routeengineapi.Pricing
}

func newTrade(sales loadsapi.Sales, pricing routeengineapi.Pricing) *trade {
	return &trade{sales, pricing}
}

// held is the load of a quote as it is now, if it can be sold. It is held until the transaction ends.
func (t *trade) held(ctx context.Context, q quote) (loadsapi.Snapshot, error) {
	return t.sales.ForSale(ctx, q.Load.String())
}

// offered is the load of a quote, which is held until the transaction ends.
func (t *trade) offered(ctx context.Context, q *quote) (loadsapi.Snapshot, error) {
	of, err := t.held(ctx, *q)
	if errors.Is(err, loadsapi.ErrNotFound) {
		err = errInvalid.WithField("load_uuid", "There is no such load.")
	}

	return of, err
}

// quote gives the load of a quote the prices of its option standard.
func (t *trade) quote(ctx context.Context, q quote) error {
	first, _ := q.option(standard)

	return t.sales.Quote(ctx, q.Load.String(), q.prices(first))
}

// sell books the load of a quote, with an option that was accepted.
func (t *trade) sell(ctx context.Context, q quote, o option, a acceptance) error {
	return t.sales.Sell(ctx, q.Load.String(), loadsapi.Sale{
		Prices: q.prices(o), Expedited: o.Key != standard, Within: int(o.Within), AvailableFrom: a.AvailableFrom,
		Note: strings.TrimSpace("Quote " + q.Number + " was accepted. " + a.Note), Party: a.Party,
		SignedBy: a.signer(), SignedFrom: a.Address,
	})
}

// written is what the customer pays with each option by a payment plan of the load that people wrote; nil if it has none, or the quote has no price yet.
func (t *trade) written(ctx context.Context, q quote) ([][]payment, error) {
	if units, _ := q.units(q.Tariff); units == 0 {
		return nil, nil
	}
	prices := make([]loadsapi.Prices, len(q.Options.V))
	for i, o := range q.Options.V {
		prices[i] = q.prices(o)
	}
	plans, err := t.sales.Written(ctx, q.Load.String(), prices)
	if plans == nil {
		return nil, err
	}
	all := make([][]payment, len(plans))
	for i, plan := range plans {
		for _, p := range plan {
			all[i] = append(all[i], payment(p))
		}
	}

	return all, err
}

// payByPlan has the options say what the customer pays by the payment plan of the load, where people wrote it: it stays, whatever the template of the quote.
func (t *trade) payByPlan(ctx context.Context, q *quote) error {
	all, err := t.written(ctx, *q)
	for i, payments := range all {
		var deposit, atDelivery int64
		for _, p := range payments {
			switch n, _ := q.units(money.Amount(p.Amount)); {
			case p.To == toCarrier:
				atDelivery += n
			case p.Event == "booking":
				deposit += n
			}
		}
		o := &q.Options.V[i]
		o.Deposit, o.ToCarrier, o.Payments = q.amount(deposit), q.amount(atDelivery), payments
		q.Deposit = q.Options.V[0].Deposit
	}

	return err
}

// samePlan refuses a quote, or one of its options, if the customer would pay otherwise by now than it says: the plan of the load has changed, or was written since.
func (t *trade) samePlan(ctx context.Context, q quote, options ...option) error {
	all, err := t.written(ctx, q)
	if err != nil {
		return err
	}
	for i, o := range q.Options.V {
		var now []payment
		if all != nil {
			now = all[i]
		}
		if slices.ContainsFunc(options, func(asked option) bool { return asked.Key == o.Key }) && !slices.Equal(now, o.Payments) {
			return errChanged.WithDetail("fields", []string{"payment_plan"})
		}
	}

	return nil
}

// calculate prices the load by the formula of the company. What it is charged beside the transports stays.
func (t *trade) calculate(ctx context.Context, q *quote) error {
	of := q.Offered.V
	asked := routeengineapi.Transport{Type: of.TransportType, Expedited: of.Expedited, AvailableFrom: of.AvailableFrom}
	for _, s := range of.Stops {
		asked.Stops = append(asked.Stops, placeOf(s))
	}
	for _, v := range of.Vehicles {
		asked.Vehicles = append(asked.Vehicles, routeengineapi.Car{Name: v.Name, Type: v.Type, Operable: v.Operable, Modified: v.Modified})
	}
	made, err := t.pricing.Price(ctx, asked)
	if err != nil {
		return err
	}
	if made.Currency != string(q.Currency) {
		return errNoPrice.WithMessage("The formula has prices in %s, and the load is in %s. Give the lines.", made.Currency, q.Currency)
	}
	q.Lines.V, q.Options.V = nil, nil
	for i, v := range of.Vehicles {
		q.Lines.V = append(q.Lines.V, line{Kind: transport, Vehicle: item.ID(v.UUID), Amount: money.Amount(made.Cars[i].Tariff), CarrierPay: money.Amount(made.Cars[i].CarrierPay)})
	}
	q.Lines.V = append(q.Lines.V, q.charges()...)
	base, _ := q.units(money.Amount(made.Tariff))
	for _, o := range made.Options {
		all, _ := q.units(money.Amount(o.Tariff))
		q.Options.V = append(q.Options.V, option{Key: o.Key, Label: o.Label, Surcharge: q.amount(max(0, all-base))})
	}
	q.Priced.V = pricing{"formula", made.Formula, made.Version, made.ContextHash, made.Warnings, made.Explanation}

	return nil
}

// sameTransport reports whether the transport of a load is what an offer shows of it, whatever it costs and whenever it begins.
func sameTransport(now, offered loadsapi.Snapshot) bool {
	return !slices.ContainsFunc(now.Differences(offered.Key()), func(name string) bool { return name != loadsapi.FieldDay && name != loadsapi.FieldCurrency })
}

// placeOf is where a stop is: the ZIP code says most.
func placeOf(s loadsapi.SnapshotStop) routeengineapi.Stop {
	if s.PostalCode != "" {
		return routeengineapi.Stop{ZIP: s.PostalCode}
	}

	return routeengineapi.Stop{City: s.City, State: s.State}
}

// unchanged refuses a load that is no longer what an offer shows of it.
func unchanged(now, offered loadsapi.Snapshot) error {
	if fields := now.Differences(offered.Key()); len(fields) > 0 {
		return errChanged.WithDetail("fields", fields)
	}

	return nil
}
