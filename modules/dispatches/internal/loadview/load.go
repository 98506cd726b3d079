// Package loadview reads a load as its carrier sees it: what it shows, in words and in facts that can be compared.
package loadview

import (
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
)

// Load is a load as its carrier sees it, with its words. A bidder sees less of it.
type Load loadsapi.CarrierView

// Stop is a stop with its words.
type Stop loadsapi.CarrierStop

// Vehicle is a vehicle with its words.
type Vehicle loadsapi.CarrierVehicle

// Goods are goods that are no vehicle, with their words.
type Goods loadsapi.CarrierGoods

// Payment is a line of the payment plan with its words.
type Payment loadsapi.ViewLine

// AmountText is an amount of the load as people read it.
func (l Load) AmountText(amount string) string {
	return page.Amount(money.Amount(amount), money.Currency(l.Currency))
}

// Money is an amount of the load.
func (l Load) Money(amount string) (money.Money, error) {
	return money.Of(money.Amount(amount), money.Currency(l.Currency))
}

// toCarrier is an amount in the smallest unit of its currency if the customer pays it to the carrier, else 0.
func (l Load) toCarrier(from, to, amount string) int64 {
	made, err := l.Money(amount)
	if err != nil || from != "customer" || to != "carrier" {
		return 0
	}
	n, _ := made.Units()

	return n
}
