package loadsapi

import "context"

// AskingCredit is the hook loads.credit.asking: a contact is about to owe more for a load that a carrier does not have yet, such as when it is booked. Areas refuse
// it where the contact gets no credit.
type AskingCredit struct {
	Load string
	// Payer is the contact that is invoiced.
	Payer string
	// Amount is what it is to owe for the load, beyond what is due at the booking, in the currency.
	Amount, Currency string
	// Planned says that the load has a payment plan; without one, Amount is all that the customer pays.
	Planned bool
	// Owed returns what the contact owes by its other loads in the currency.
	Owed func(ctx context.Context) (string, error)
}

// ChoosingCarriers is the hook loads.carrier.choosing: a load is about to be offered or given to carriers. Areas enter those that may not have it for a contact
// that orders or pays it, with the refusal.
type ChoosingCarriers struct {
	Load string
	// Contacts are who orders the load and who pays it.
	Contacts []string
	Carriers []string
	Refused  map[string]error
}

// How the terms of a shipper have its customer pay.
const (
	TermsInvoice = "invoice"
	TermsCOD     = "cod"
	TermsCOP     = "cop"
	TermsPrepaid = "prepaid"
)

// AskingTerms is the hook loads.terms.asking: the payment plan of a load is made by a template. Areas enter what was agreed on with who pays the load and with
// its carrier; what they leave is as the contact or the template has it.
type AskingTerms struct {
	// Payer is a contact and Carrier a carrier, each "" for none.
	Payer, Carrier string
	// Terms are one of those above, "" for none.
	Terms string
	// NetDays is within how many days the payer pays an invoice, CarrierDays after how many days the carrier is paid.
	NetDays, CarrierDays *int64
}

// AskingRelease is the hook loads.release.asking: vehicles of a load wait to be picked up at some places. Areas say which of them they leave only with a release.
type AskingRelease struct {
	Load   string
	Places []ReleasePlace
}

// ReleasePlace is a stop at which vehicles are picked up.
type ReleasePlace struct {
	// Contacts are who may have the vehicles there, the nearest first.
	Contacts                                       []string
	Line1, Line2, City, State, PostalCode, Country string
	// Needed is set where a driver needs a code or a form, and Rule is what it shows: code, form or code_and_id, "" for any release.
	Needed bool
	Rule   string
}
