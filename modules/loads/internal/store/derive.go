package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
)

// Derive computes the columns by which loads are listed and found.
func (l *Load) Derive() {
	l.Count()
	l.OriginZIP3, l.OriginState, l.DestZIP3, l.DestState, l.PickupFrom, l.DeliverBy = "", "", "", "", nil, nil
	var words []string
	for i, one := range l.Stops.V {
		words = append(words, one.Venue.Name, one.Venue.City, one.Venue.PostalCode)
		if i == 0 {
			l.OriginZIP3, l.OriginState = route.ZIP3(one.Venue.PostalCode), one.Venue.State
			if one.Window != nil {
				l.PickupFrom = one.Window.FromAt
			}
		}
		if i == len(l.Stops.V)-1 && i > 0 {
			l.DestZIP3, l.DestState = route.ZIP3(one.Venue.PostalCode), one.Venue.State
			if one.Window != nil {
				l.DeliverBy = one.Window.ToAt
			}
		}
	}
	for _, v := range l.Vehicles.V {
		words = append(words, v.VIN, v.Make, v.Model, v.Lot)
	}
	for _, r := range l.References.V {
		words = append(words, r.Value)
	}
	const most = 4000
	text := strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	l.Words = string([]rune(text)[:min(len([]rune(text)), most)])
}

// A driver rests for ten hours after driving eleven (49 CFR 395.3).
const (
	drivenAtOnce = 11 * time.Hour
	restAfter    = 10 * time.Hour
)

// WarnOfTerms warns of a load that is sold at a loss, and of windows between which one driver cannot drive so far.
func (l *Load) WarnOfTerms() {
	tariff, _ := l.Units(l.Tariff) // checked before
	if pay, _ := l.Units(l.CarrierPay); tariff > 0 && pay > tariff {
		l.Warn("loads.sold_at_loss", "carrier_pay", "The carrier gets more than the customer pays.")
	}
	n := len(l.Stops.V)
	if n < 2 || l.Minutes == nil || l.Miles == nil || l.Stops.V[0].Window == nil {
		return
	}
	from, end := l.Stops.V[0].Window.FromAt, l.Stops.V[n-1].Ends()
	drive := time.Duration(*l.Minutes) * time.Minute
	drive += drive / drivenAtOnce * restAfter
	if from != nil && end != nil && end.Sub(*from) < drive {
		l.Warn("loads.window_impossible", fmt.Sprintf("stops.%d.window", n-1),
			fmt.Sprintf("From the beginning of the pickup to the end of the delivery there are %.0f hours, less than the %.0f that the %d miles take one driver, with the rest that the law asks for.",
				end.Sub(*from).Hours(), drive.Hours(), *l.Miles))
	}
}

// Missing are those of some requirements that a load does not meet.
func (l *Load) Missing(required []string) []string {
	var all []string
	for _, r := range required {
		met := true
		switch r {
		case "vin":
			met = !slices.ContainsFunc(l.Vehicles.V, func(v Vehicle) bool { return v.Open() && v.VIN == "" })
		case "stop_contacts":
			met = !slices.ContainsFunc(l.Stops.V, func(s Stop) bool { return len(s.Contacts) == 0 && s.Venue.Contact == uuid.Nil })
		case "windows":
			met = !slices.ContainsFunc(l.Stops.V, func(s Stop) bool { return s.Window == nil })
		case "payment_plan":
			met = len(l.Plan.V) > 0
		case "signature":
			met = l.Signature == signing.Signed
		case "deposit":
			met = plan.Deposited(l.Plan.V, l.Payments.V, l.Currency)
		case "carrier_pay":
			pay, _ := l.Units(l.CarrierPay)
			met = pay > 0
		}
		if !met {
			all = append(all, r)
		}
	}

	return all
}
