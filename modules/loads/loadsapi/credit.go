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
