package gateway

import (
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Currencies whose amounts have no decimal places at Stripe, or three; all others have two, ISK and UGX too
// (docs.stripe.com/currencies).
var (
	wholeCurrencies = []string{
		"BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF",
	}
	thousandthCurrencies = []string{"BHD", "JOD", "KWD", "OMR", "TND"}
)

// digitsOf are the decimal places of a currency at Stripe.
func digitsOf(currency string) int {
	switch {
	case slices.Contains(wholeCurrencies, currency):
		return 0
	case slices.Contains(thousandthCurrencies, currency):
		return 3 //nolint:mnd // decimal places
	default:
		return 2 //nolint:mnd // decimal places
	}
}

// scale returns how many of Stripe's units one of ours is, or how many of ours one of Stripe's is.
func scale(currency string) (ours, theirs int64) {
	ours, theirs = 1, 1
	more := digitsOf(currency) - money.Currency(currency).Digits()
	for ; more > 0; more-- {
		ours *= 10
	}
	for ; more < 0; more++ {
		theirs *= 10
	}

	return ours, theirs
}

// amountOf is an amount in Stripe's units. One that Stripe cannot charge is refused.
func amountOf(m cardsapi.Money) (int64, error) {
	ours, theirs := scale(m.Currency)
	if m.Units%theirs != 0 || slices.Contains(thousandthCurrencies, m.Currency) && m.Units%10 != 0 {
		return 0, &cardsapi.VendorError{
			Reason: cardsapi.UnknownReason, NotDone: true, Code: "invalid_charge_amount", Detail: "Stripe takes no such fraction of a " + m.Currency + ".",
		}
	}

	return m.Units * ours / theirs, nil
}

// moneyOf is an amount of Stripe in our units.
func moneyOf(amount int64, currency string) cardsapi.Money {
	currency = strings.ToUpper(currency)
	ours, theirs := scale(currency)

	return cardsapi.Money{Units: amount / ours * theirs, Currency: currency}
}
