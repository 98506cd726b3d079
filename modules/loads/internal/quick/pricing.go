package quick

import (
	"context"
	"errors"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
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

// transportOf is a load as the route engine prices it.
func transportOf(l *store.Load) routeengineapi.Transport {
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
func (s *Pricer) price(ctx context.Context, l *store.Load) (by, why string, err error) {
	p, err := s.pricing.Price(ctx, transportOf(l))
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
	setPrices(l, p.Cars)

	return pricedByFormula, "", nil
}

// setPrices gives the vehicles their prices.
func setPrices(l *store.Load, cars []routeengineapi.CarPrice) {
	for i := range l.Vehicles.V {
		l.Vehicles.V[i].Tariff, l.Vehicles.V[i].CarrierPay = money.Amount(cars[i].Tariff), money.Amount(cars[i].CarrierPay)
	}
}

// redeem gives a quick load the places, vehicles and prices of a quick quote.
func (s *Pricer) redeem(ctx context.Context, token string, l *store.Load) error {
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
		kind := store.Pickup
		if i > 0 {
			kind = store.Delivery
		}
		l.Stops.V = append(l.Stops.V, store.Stop{Kind: kind, Venue: store.Venue{PostalCode: one.ZIP, City: one.City, State: one.State}})
	}
	wrong := store.ErrInvalid
	for _, c := range q.Transport.Vehicles {
		v := store.Vehicle{Make: c.Make, Model: c.Model, Type: vehiclesapi.Type(c.Type)}
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
	setPrices(l, q.Cars)

	return nil
}

// Pricer gives quick loads their prices.
type Pricer struct{ pricing routeengineapi.Pricing }

// NewPricer returns a Pricer.
func NewPricer(p routeengineapi.Pricing) *Pricer { return &Pricer{p} }
