package loads

import (
	"context"
	"errors"
	"strings"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// The ways in which a quick load gets its prices.
const (
	pricedByCaller  = "given"
	pricedByFormula = "formula"
	pricedByQuote   = "quick_quote"
	unpriced        = "none"
)

// transport is a load as the route engine prices it.
func (l *load) transport() routeengineapi.Transport {
	t := routeengineapi.Transport{Type: l.Transport, Expedited: l.Priority == "expedited", AvailableFrom: string(l.AvailableFrom)}
	for _, one := range l.Stops.V {
		if v := one.Venue; v.PostalCode != "" {
			t.Stops = append(t.Stops, routeengineapi.Stop{ZIP: v.PostalCode})
		} else {
			t.Stops = append(t.Stops, routeengineapi.Stop{City: v.City, State: v.State})
		}
	}
	for _, v := range l.Vehicles.V {
		t.Vehicles = append(t.Vehicles, routeengineapi.Car{Name: v.Name(), Type: string(v.Type), Size: v.Size, Operable: v.Runs() && len(v.Conditions) == 0, Modified: len(v.Modified) > 0})
	}

	return t
}

// price gives a quick load the prices of the formula, if there is one for it and it is in the currency of the load; else it says why not.
func (s *pricer) price(ctx context.Context, l *load) (by, why string, err error) {
	p, err := s.pricing.Price(ctx, l.transport())
	switch {
	case err != nil && errs.IsRefusal(err):
		refusal := new(errs.Error)
		errors.As(err, &refusal)

		return unpriced, strings.TrimSpace("The formula names no price. " + refusal.Message), nil
	case err != nil:
		return unpriced, "", err
	case p.Currency != string(l.Currency):
		return unpriced, "The formula has prices in " + p.Currency + ", and the load is in " + string(l.Currency) + ". Set its tariff and carrier_pay.", nil
	}
	l.charge(p.Cars)

	return pricedByFormula, "", nil
}

// charge gives the vehicles their prices.
func (l *load) charge(cars []routeengineapi.CarPrice) {
	for i := range l.Vehicles.V {
		l.Vehicles.V[i].Tariff, l.Vehicles.V[i].CarrierPay = money.Amount(cars[i].Tariff), money.Amount(cars[i].CarrierPay)
	}
}

// redeem gives a quick load the places, vehicles and prices of a quick quote.
func (s *pricer) redeem(ctx context.Context, token string, l *load) error {
	q, err := s.pricing.Redeem(ctx, token)
	if err != nil {
		return err
	}
	if l.Transport = q.Transport.Type; q.Transport.Expedited {
		l.Priority = "expedited"
	}
	l.Currency = money.Currency(q.Currency)
	if l.AvailableFrom == "" {
		l.AvailableFrom = field.Date(q.Transport.AvailableFrom)
	}
	for i, one := range q.Transport.Stops {
		kind := pickup
		if i > 0 {
			kind = delivery
		}
		l.Stops.V = append(l.Stops.V, stop{Kind: kind, Venue: venue{PostalCode: one.ZIP, City: one.City, State: one.State}})
	}
	wrong := errInvalid
	for _, c := range q.Transport.Vehicles {
		v := vehicle{Make: c.Make, Model: c.Model, Type: vehiclesapi.Type(c.Type)}
		if c.Year > 0 {
			v.Year = &c.Year
		}
		runs := c.Operable
		v.Operable = &runs
		if c.Make == "" || c.Model == "" {
			wrong = wrong.WithField("quote_token", "The quick quote has a vehicle without a make and a model. Quote again with them.")
		}
		l.Vehicles.V = append(l.Vehicles.V, v)
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	l.charge(q.Cars)

	return nil
}

// pricer gives quick loads their prices.
type pricer struct{ pricing routeengineapi.Pricing }

func newPricer(p routeengineapi.Pricing) *pricer { return &pricer{p} }
