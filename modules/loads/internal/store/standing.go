package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
)

// Standing is how a load stands.
func (l Load) Standing() loadsapi.Standing {
	s := loadsapi.Standing{
		Load: l.ID.String(), Number: l.Number, Currency: string(l.Currency), State: l.State, Version: l.Version, CarrierPay: string(l.CarrierPay), Carried: l.Role == Carrier, Declared: l.Declared(),
		AvailableFrom: string(l.AvailableFrom), PromisedBy: string(l.PromisedBy),
	}
	if l.Signature == signing.Changed {
		s.Unsigned = slices.Clone(l.ChangeOrder.V.Fields)
	}
	if l.Carrier != nil {
		s.Carrier = l.Carrier.String()
	}
	if l.DispatchedAt != nil {
		s.Since = *l.DispatchedAt
	}
	if n := len(l.Stops.V); n > 1 {
		s.Pickup, s.Delivery = l.Stops.V[0].Days(), l.Stops.V[n-1].Days()
	}

	return s
}

// ForCarrier refuses a load that is not ready for a carrier.
func ForCarrier(ctx context.Context, l *Load) error {
	if l.State != loadsapi.Ready {
		return loadsapi.ErrNotReady.WithDetail("state", l.State)
	}

	return notHeld(ctx, *l)
}

// Deliverable refuses to deliver vehicles, all of them if none is named, that were not picked up.
func (l *Load) Deliverable(vehicles []string) error {
	if l.State == loadsapi.Dispatched && l.VehicleCount == 0 { // of goods alone
		return loadsapi.ErrWaiting.WithMessage("The load was not picked up yet. Record the pickup first.")
	}

	return cargo.AllPickedUp(l.Vehicles.V, vehicles)
}

// Declared is the sum of the declared values in US dollars, "" if none is declared, or not in dollars.
func (l *Load) Declared() string {
	var sum int64
	for _, v := range l.Vehicles.V {
		if v.Open() {
			units, _ := l.Units(v.Declared) // checked before
			sum += units
		}
	}
	for _, c := range l.Commodities.V {
		units, _ := l.Units(c.Declared)
		sum += units
	}
	if sum == 0 || l.Currency != "USD" {
		return ""
	}

	return string(l.AmountOf(sum))
}

// DeliveryDay is the day on which the last stop is to be reached, as clocks there show it; "" if it has no window.
func (l *Load) DeliveryDay() string {
	if len(l.Stops.V) == 0 {
		return ""
	}
	w := l.Stops.V[len(l.Stops.V)-1].Days()

	return cmp.Or(w.To, w.From)
}
