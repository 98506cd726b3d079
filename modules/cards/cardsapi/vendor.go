package cardsapi

import (
	"context"
	"time"
)

// Vendor is a vendor of card payments. An area that knows one provides it with port.Provides[cardsapi.Vendor, …](name); the name is what
// accounts call the vendor. It keeps no state: Open gives it the credentials of an account.
type Vendor interface {
	Capabilities() Capabilities
	// Open returns an account, or a *VendorError with the reason Auth that says which credential is missing. It does no I/O.
	Open(o Opening) (Account, error)
	// Explain returns what a code of the vendor means to people and what they can do, "" if its reason says as much.
	Explain(code string) string
}

// Opening is what an account is opened with.
type Opening struct {
	// Account is our id of the account.
	Account string
	// Credentials are those that the vendor asks for, by name. They are never logged.
	Credentials map[string]string
	// NotifyURL is the address to which the vendor sends notifications, "" if the service has no public address.
	NotifyURL string
}

// Capabilities is what a vendor can do.
type Capabilities struct {
	// Capture says that a payment can be authorized first and captured later.
	Capture bool
	// DedupesFor is how long the vendor takes a repeat of a Reference for the same call; 0 means that it would charge again.
	DedupesFor time.Duration
	// Finds says that payments can be found by their Reference.
	Finds bool
	// Currencies are those that the vendor charges in; nil for all.
	Currencies []string
	// Notifications is the kind of platform/inbound by which they arrive ("square.notification"), "" if the vendor sends none. The
	// endpoint's id is that of VendorAccounts.
	Notifications string
	// Simulated says that no money moves.
	Simulated bool
}

// Account is an account at a vendor, by what it is asked for. The errors of its calls are *VendorError; any other error leaves open what the vendor
// did. Every call ends with its context.
type Account struct {
	VendorConnection
	VendorVault
	VendorPayments
	VendorLookup
	VendorStatements
}

// AccountOf is the account that a vendor opens.
func AccountOf[A interface {
	VendorConnection
	VendorVault
	VendorPayments
	VendorLookup
	VendorStatements
}](a A) Account {
	return Account{a, a, a, a, a}
}

// VendorConnection is what connects an account.
type VendorConnection interface {
	// Health makes a call that costs nothing and needs the credentials.
	Health(ctx context.Context) error
	// Page returns what a page needs to show the vendor's card fields. It does no I/O.
	Page() PageConfig
}

// VendorVault keeps cards.
type VendorVault interface {
	SaveCard(ctx context.Context, o VendorCardOrder) (VendorCard, error)
	RemoveCard(ctx context.Context, id string) error
}

// VendorPayments moves money.
type VendorPayments interface {
	Charge(ctx context.Context, o VendorCharge) (VendorPayment, error)
	// Capture and Cancel end an authorized payment.
	Capture(ctx context.Context, id string) (VendorPayment, error)
	Cancel(ctx context.Context, id string) (VendorPayment, error)
	Refund(ctx context.Context, o VendorRefundOrder) (VendorRefund, error)
}

// VendorLookup is asked what became of a payment or a refund.
type VendorLookup interface {
	// Payment and ReadRefund return what the vendor knows, by its own id; the reason is NotFound if nothing.
	Payment(ctx context.Context, id string) (VendorPayment, error)
	ReadRefund(ctx context.Context, id string) (VendorRefund, error)
	// Find looks for a payment or a refund that may have been made. Complete promises that what is not found was not made, and will not be.
	Find(ctx context.Context, s VendorSearch) (found VendorFound, complete bool, err error)
}

// VendorStatements lists what there was at the vendor, for comparisons with what is known here.
type VendorStatements interface {
	// List returns the payments and refunds of a window, page by page; next is "" at the end.
	List(ctx context.Context, w Window) (page VendorFound, next string, err error)
	// Payouts returns the payouts that were made in a window, page by page.
	Payouts(ctx context.Context, w Window) (page []VendorPayout, next string, err error)
	// PayoutContent returns what a payout is of.
	PayoutContent(ctx context.Context, p VendorPayout) (PayoutContent, error)
}

// PageConfig is what a page needs to show a vendor's card fields. It has no secrets.
type PageConfig struct {
	// Script is the address of the vendor's script, "" for the sandbox, whose fields are ours.
	Script string `json:"script"`
	// Application and Location are the vendor's public ids.
	Application string `json:"application"`
	Location    string `json:"location"`
	Live        bool   `json:"live"`
	// Fields is how our own page shows the fields.
	Fields CardFields `json:"-"`
}

// CardFields is how our own page shows a vendor's card fields with its script.
type CardFields struct {
	// Mount is JavaScript that defines cardFields, an async function of an element and {application, location, amount, currency, title}. It
	// shows the fields in the element, and returns an async function that returns the token, or throws an Error whose message is for the
	// cardholder. "" is that the page has no fields of the vendor.
	Mount string `json:"mount"`
	// Frames and Connects are the origins that the script needs beside its own: those of its frames, and those that it calls.
	Frames   []string `json:"frames" nullable:"false"`
	Connects []string `json:"connects" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (CardFields) SchemaName() string { return "CardFields" }

// VendorCardOrder is a card to keep at the vendor. Customer is "" for an owner without a card so far.
type VendorCardOrder struct {
	Reference   string
	Customer    string
	OwnerName   string
	OwnerEmail  string
	OwnerRef    string
	Token       Token
	PostalCode  string
	AskedBefore bool // a repeat, after an outcome that is not known
}

// VendorCard is a card at the vendor.
type VendorCard struct {
	ID, Customer string
	Brand, Last4 string
	// Month and Year are those of its expiry.
	Month, Year int
	Enabled     bool
}

// VendorCharge is a charge for the vendor.
type VendorCharge struct {
	// Reference is the vendor's idempotency key: the same for every repeat of the charge. It has at most 45 characters.
	Reference string
	Amount    Money
	// Card and Customer are the vendor's ids of a saved card. Without a card, Token is charged.
	Card, Customer string
	Token          Token
	Note           string
	Statement      string
	// Authorize leaves the capture for later.
	Authorize bool
	Present   bool
}

// VendorPayment is a payment as the vendor knows it.
type VendorPayment struct {
	ID string
	// Reference is that of VendorCharge, "" if the vendor does not return it.
	Reference string
	State     PaymentState
	// Raw is the vendor's own word for State, Code its code for a failure.
	Raw, Code string
	Reason    Reason
	Final     bool
	Amount    Money
	Refunded  int64
	Fee       int64
	ActionURL string
	// UpdatedAt orders what the vendor says of a payment; the zero time if it does not say.
	UpdatedAt time.Time
	CreatedAt time.Time
}

// VendorRefundOrder is a refund for the vendor.
type VendorRefundOrder struct {
	Reference string
	Payment   string
	Amount    Money
	Reason    string
}

// VendorRefund is a refund as the vendor knows it.
type VendorRefund struct {
	ID, Reference, Payment string
	State                  RefundState
	Raw, Code              string
	Reason                 Reason
	Amount                 Money
	UpdatedAt              time.Time
}

// VendorSearch describes a payment or a refund that may have been made.
type VendorSearch struct {
	Reference string
	// Payment is the vendor's id of the payment whose refund is looked for; "" looks for a payment.
	Payment string
	Amount  Money
	// Since is before the call.
	Since time.Time
}

// VendorFound is payments and refunds.
type VendorFound struct {
	Payments []VendorPayment
	Refunds  []VendorRefund
}

// Window is a period and a page of it.
type Window struct {
	From, To time.Time
	Cursor   string
}

// PayoutState is a state of a payout.
type PayoutState string

// States of a payout. One that is paid can still fail: the bank sends it back days later.
const (
	PayoutPending   PayoutState = "pending"
	PayoutInTransit PayoutState = "in_transit"
	PayoutPaid      PayoutState = "paid"
	PayoutFailed    PayoutState = "failed"
	PayoutCanceled  PayoutState = "canceled"
)

// VendorPayout is a transfer of the vendor to the company's bank account.
type VendorPayout struct {
	ID string
	// State is "" for a state that is not known here, Raw the vendor's own word, Reason its word for why it failed.
	State       PayoutState
	Raw, Reason string
	On          string // YYYY-MM-DD on which it arrives, or is expected to
	Net         Money
	// Manual payouts were ordered by a person and list no payments. Settled reports whether PayoutContent can be asked.
	Manual, Settled bool
	// UpdatedAt orders what the vendor says of a payout.
	UpdatedAt time.Time
}

// PayoutContent is what a payout is of.
type PayoutContent struct {
	Gross, Fees int64
	// Payments are the vendor's ids of what it pays out.
	Payments []string
}

// Notice is what a vendor's notification says. It may come twice, late, and in any order.
type Notice struct {
	Payment *VendorPayment
	Refund  *VendorRefund
	Dispute *VendorDispute
	Payout  *VendorPayout
	// UpdatedCard is a saved card whose number or expiry the card network has renewed.
	UpdatedCard *VendorCard
	// Card is the vendor's id of a card that was removed there.
	RemovedCard string
	// Revoked says that the vendor no longer accepts the account's credentials.
	Revoked bool
}

// VendorDispute is a chargeback.
type VendorDispute struct {
	ID, Payment string
	// State is open, won, lost or prevented, and "" for one that is not known here; Raw is the vendor's own word.
	State, Raw string
	Amount     Money
	Fee        int64
	Reason     string
	DueOn      string // YYYY-MM-DD by which evidence is accepted; "" if there is none
	UpdatedAt  time.Time
}

// Reports is how an area of a vendor hands over what a verified notification says, in the transaction of its processing.
type Reports interface {
	// Report applies a notice, however late and often it comes. Errors: [ErrNotHere] for a payment that was not made here.
	Report(ctx context.Context, account string, n Notice) error
}

// VendorAccounts is what the area of a vendor needs to know of accounts.
type VendorAccounts interface {
	// ByEndpoint returns the account of any company whose notifications arrive at an endpoint of the inbox. Errors:
	// cards.account_not_found, also for accounts of other vendors.
	ByEndpoint(ctx context.Context, vendor, endpoint string) (VendorAccount, error)
	// Connected returns the accounts of the caller's company at a vendor.
	Connected(ctx context.Context, vendor string) ([]VendorAccount, error)
	// Connect stores an account of the caller's company, or new credentials of the one with the id.
	Connect(ctx context.Context, vendor, id, name string, credentials map[string]string) (VendorAccount, error)
	// Check makes a call to the vendor that costs nothing, and returns the account with what that has shown.
	Check(ctx context.Context, vendor, id string) (VendorAccount, error)
}

// VendorAccount is an account with its credentials, which are never logged.
type VendorAccount struct {
	Company, UUID, Name string
	Endpoint            string
	Credentials         map[string]string
	// Health is unchecked, connected or failing, Problem why it is failing.
	Health, Problem string
	CheckedAt       *time.Time
	Disabled        bool
	// NotifyURL is where the vendor sends notifications, "" if the service has no public address.
	NotifyURL string
	// Page is what a page needs to show the vendor's card fields.
	Page PageConfig
}
