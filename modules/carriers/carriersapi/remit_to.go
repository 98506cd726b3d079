package carriersapi

import "context"

// RemitTo is how a carrier is paid.
type RemitTo struct {
	// Change is the uuid of the change that made it so.
	Change string
	// Payee is who is paid: the carrier, or the factoring company that its invoices are assigned to.
	Payee string
	// Factored says that a notice of assignment stands: only paying the factoring company discharges the debt.
	Factored bool
	// Method is ach, wire, check, card or other.
	Method string
	// Routing and Last4 are of the bank account, "" for none.
	Routing, Last4 string
	// Pending says that another remit-to is proposed and not effective yet.
	Pending bool
}

// BankAccount is an account number. It prints as its last four digits.
type BankAccount struct{ number string }

// NewBankAccount returns the account of a number.
func NewBankAccount(number string) BankAccount { return BankAccount{number} }

// Reveal returns the whole number, for a payment file alone.
func (b BankAccount) Reveal() string { return b.number }

// String implements fmt.Stringer.
func (b BankAccount) String() string { return "…" + b.number[max(0, len(b.number)-4):] }

// GoString implements fmt.GoStringer.
func (b BankAccount) GoString() string { return b.String() }

// MarshalText implements encoding.TextMarshaler.
func (b BankAccount) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Payees says how carriers of the caller's company are paid.
type Payees interface {
	// RemitTo returns the effective remit-to of carriers, by the uuids that were asked for; 200 at most. Carriers that have
	// none are absent. A carrier that was merged into another one has that one's.
	RemitTo(ctx context.Context, carriers ...string) (map[string]RemitTo, error)
	// Account returns the account of a change, and leaves an audit entry. It is called in a transaction. Error:
	// carriers.remit_to_change_not_found, also for a change without an account.
	Account(ctx context.Context, change string) (BankAccount, error)
}

// ChangingRemitTo is the hook carriers.carrier.changing_remit_to: a change of a carrier's remit-to is about to be proposed, and
// again, when Effective is true, about to become effective. An area refuses where payments are on their way.
type ChangingRemitTo struct {
	Carrier, Change string
	Effective       bool
}

// RemitToProposed says that a change of a carrier's remit-to was proposed, and is held until it is verified and its hold is over.
type RemitToProposed struct {
	Carrier string `json:"carrier_uuid"`
	Change  string `json:"remit_to_change_uuid"`
}

// EventName implements events.Event.
func (RemitToProposed) EventName() string { return "carriers.carrier.remit_to_proposed" }

// EventItem implements events.Named.
func (e RemitToProposed) EventItem() (itemType, id string) { return Item, e.Carrier }

// RemitToChanged says that a carrier is paid in another way from now on.
type RemitToChanged struct {
	Carrier string `json:"carrier_uuid"`
	Change  string `json:"remit_to_change_uuid"`
}

// EventName implements events.Event.
func (RemitToChanged) EventName() string { return "carriers.carrier.remit_to_changed" }

// EventItem implements events.Named.
func (e RemitToChanged) EventItem() (itemType, id string) { return Item, e.Carrier }

// RemitToCancelled says that a proposed change of a carrier's remit-to was cancelled.
type RemitToCancelled struct {
	Carrier string `json:"carrier_uuid"`
	Change  string `json:"remit_to_change_uuid"`
}

// EventName implements events.Event.
func (RemitToCancelled) EventName() string { return "carriers.carrier.remit_to_cancelled" }

// EventItem implements events.Named.
func (e RemitToCancelled) EventItem() (itemType, id string) { return Item, e.Carrier }
