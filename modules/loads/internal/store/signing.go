package store

import (
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/page"
)

// Signs reports whether a load can be signed: somebody has looked at it, and it is not over.
func Signs(l *Load) bool { return l.State != loadsapi.Draft && slices.Contains(OpenStates, l.State) }

// ToSign are the changes that the customer has yet to sign, none of a load that was delivered or is over.
func (l *Load) ToSign() []signing.Line {
	if !Signs(l) {
		return nil
	}

	return l.ChangeOrder.V.Changes
}

// TermsOf are what the customer of a load agrees to.
func TermsOf(l *Load) []signing.Term {
	at, due := map[string]int{}, map[string]int64{}
	for i, v := range l.Vehicles.V {
		at[v.UUID.String()] = i
	}
	for _, p := range l.Plan.V {
		if units, _ := l.Units(p.Amount); p.From == Customer { // checked before
			due[p.To] += units
		}
	}
	paid := func(units int64) string {
		if units == 0 {
			return "nothing"
		}

		return page.Amount(l.AmountOf(units), l.Currency)
	}
	tariff, _ := l.Units(l.Tariff)

	return signing.TermsOf(l.Snapshot(), signing.Prices{Tariff: paid(tariff), ToCompany: paid(due[Broker]), ToCarrier: paid(due[Carrier])}, at)
}
