package loadview

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
)

// Text is a payment of an amount as the carrier reads it; "" is for one that is not known yet.
func (p Payment) Text(amount string) string {
	who := map[string]string{"customer": "The customer pays", "broker": "We pay", "carrier": "You pay"}[p.From]
	to := map[string]string{"carrier": " you ", "broker": " us "}[p.To]

	return who + to + amount + p.terms()
}

// Clause is a payment of an amount as the contract has it.
func (p Payment) Clause(amount string) string {
	who := map[string]string{"customer": "The customer pays", "broker": "The broker pays", "carrier": "The carrier pays"}[p.From]
	to := map[string]string{"carrier": " the carrier ", "broker": " the broker "}[p.To]

	return who + to + amount + " " + p.terms() + "."
}

// terms are how and when a payment is made.
func (p Payment) terms() string {
	how, onDelivery := loadsapi.MethodText(p.Method), map[string]string{"cod": " (COD, cash on delivery)", "cop": " (COP, cash on pickup)"}[p.Kind]
	if how == "" && onDelivery != "" {
		how = "in cash or certified funds"
	}

	return strings.TrimSpace(how+" "+p.due()) + onDelivery
}

// due is until when a payment is made.
func (p Payment) due() string {
	at, after := dueTexts[p.Event], dueEvents[p.Event]
	if p.Days == 0 {
		return at
	}
	days := page.Sprintf("%d calendar days", p.Days)
	switch {
	case p.BusinessDays && p.Days == 1:
		days = "1 business day"
	case p.BusinessDays:
		days = page.Sprintf("%d business days", p.Days)
	case p.Days == 1:
		days = "1 calendar day"
	}

	return "within " + days + " after " + after
}

// dueTexts are when payments are made that are due at once, dueEvents what the days of others are counted from.
var dueTexts = map[string]string{
	"booking": "at booking", "dispatch": "at dispatch", "pickup": "at pickup", "delivery": "at delivery", "signed_bol": "after the signed bill of lading", "invoice": "after the invoice",
}

var dueEvents = map[string]string{
	"booking": "the booking", "dispatch": "the dispatch", "pickup": "the pickup", "delivery": "the delivery", "signed_bol": "the signed bill of lading", "invoice": "the invoice",
}

var transports = map[string]string{"open": "Open trailer", "enclosed": "Enclosed trailer", "driveaway": "Driven by a driver"}

// WasReported reports whether the carrier has collected an amount since a time; by a method, "" for any.
func (l Load) WasReported(amount money.Amount, method string, since time.Time) bool {
	reports := map[time.Time]int64{} // a report is shared among the lines of the plan
	for _, p := range l.Payments {
		if n := l.toCarrier(p.From, p.To, p.Amount); n != 0 && !p.At.Before(since) && (method == "" || p.Method == method) {
			reports[p.At] += n
		}
	}
	asked, err := l.Money(string(amount))
	n, _ := asked.Units()

	return err == nil && slices.Contains(slices.Collect(maps.Values(reports)), n)
}
