package loadsapi

import "strconv"

// methodTexts are how payments are made, as people read it.
var methodTexts = map[string]string{
	"cash": "in cash", "certified_check": "by certified check", "check": "by check", "cashiers_check": "by cashier's check", "money_order": "by money order", "comchek": "by Comchek",
	"ach": "by ACH", "wire": "by wire transfer", "direct_deposit": "by direct deposit", "credit_card": "by credit card", "venmo": "by Venmo", "cashapp": "by Cash App", "zelle": "by Zelle",
	"uship": "by uShip",
}

// MethodText says how a payment of a method is made: "by wire transfer"; "" for a method without a name.
func MethodText(method string) string { return methodTexts[method] }

// dueTexts are when a payment is due, at once and counted from an event, for customers.
var dueTexts = map[string]struct{ at, event string }{
	"booking": {"at booking", "the booking"}, "dispatch": {"when a carrier is found", "the dispatch"}, "pickup": {"at pickup", "the pickup"},
	"delivery": {"at delivery", "the delivery"}, "signed_bol": {"after the delivery", "the delivery"}, "invoice": {"by invoice", "the invoice"},
}

// DueText says to a customer when a payment is due that is counted in days from an event: "at pickup", "within 5 business days of the delivery".
func DueText(event string, days int64, business bool) string {
	due := dueTexts[event]
	if days == 0 {
		return due.at
	}
	text := strconv.FormatInt(days, 10)
	if business {
		text += " business"
	}
	if days == 1 {
		return "within " + text + " day of " + due.event
	}

	return "within " + text + " days of " + due.event
}
