// Package quotesapi is the contract of the quotes area: its id, its events, and what happens before a quote is accepted.
package quotesapi

// Area is the id of the area, Quote the type of its items.
const (
	Area  = "quotes"
	Quote = "quotes.quote"
)

// About names the quote that an event is about, and its load.
type About struct {
	Quote string `json:"quote_uuid"`
	Load  string `json:"load_uuid"`
}

// EventItem implements events.Named.
func (a About) EventItem() (itemType, id string) { return Quote, a.Quote }

// Sent tells of a quote that was sent to the customer.
type Sent struct{ About }

// EventName implements events.Event.
func (Sent) EventName() string { return "quotes.quote.sent" }

// Viewed tells of a quote that the customer has seen for the first time.
type Viewed struct{ About }

// EventName implements events.Event.
func (Viewed) EventName() string { return "quotes.quote.viewed" }

// Accepted tells of a quote that was accepted; its load is booked.
type Accepted struct{ About }

// EventName implements events.Event.
func (Accepted) EventName() string { return "quotes.quote.accepted" }

// Declined tells of a quote that the customer does not want.
type Declined struct{ About }

// EventName implements events.Event.
func (Declined) EventName() string { return "quotes.quote.declined" }

// Expiring tells of an open quote that expires within a day.
type Expiring struct{ About }

// EventName implements events.Event.
func (Expiring) EventName() string { return "quotes.quote.expiring" }

// Expired tells of a quote that nobody accepted in time.
type Expired struct{ About }

// EventName implements events.Event.
func (Expired) EventName() string { return "quotes.quote.expired" }

// Accepting is the hook quotes.quote.accepting: a quote is about to be accepted, and its load booked. Areas veto it.
type Accepting struct {
	Quote, Load string
	// Option is the key of the accepted option, Tariff what the customer then pays, in the currency.
	Option, Tariff, Currency string
}
