// Package money reckons with exact amounts in a currency: it adds, multiplies, rounds to what can be paid, and shares out so that
// the parts add up to the cent.
//
// In the struct of an area, an [Amount] stands beside its [Currency]; [Of] puts the two together to reckon with. Nothing rounds by
// itself: a product keeps all of its digits until [Money.Round].
package money
