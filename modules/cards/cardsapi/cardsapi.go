// Package cardsapi is the contract of the area cards: what areas that take money use to save, charge and refund cards, and the port
// that areas of vendors implement ([Vendor]).
package cardsapi

import (
	"context"
	"time"
)

// Area is the area's id.
const Area = "cards"

// Money is an amount in the smallest unit of a currency (ISO 4217): 1250 USD are 12.50 dollars.
type Money struct {
	Units    int64  `json:"units"`
	Currency string `json:"currency"`
}

// Owner is whom a card belongs to or a payment is for: an item of another area.
type Owner struct {
	Type string `json:"type" maxLength:"100" example:"contacts.contact"`
	UUID string `json:"uuid" format:"uuid"`
}

// Cards saves cards with the vendor accounts of the caller's company. A call to a vendor is made by a job after the caller's transaction commits;
// its result is a later state of the row, and an event.
type Cards interface {
	// Account returns the account of an id, or the default account for "". Errors: cards.account_not_found, cards.no_account,
	// cards.account_disabled.
	Account(ctx context.Context, id string) (AccountInfo, error)
	// Save has the vendor keep the card of a token. The same Reference again returns the first card; with other values it is
	// cards.reference_conflict.
	Save(ctx context.Context, s SaveCard) (Card, error)
	// Remove has the vendor forget a card. Errors: cards.card_not_found.
	Remove(ctx context.Context, card string) error
	// CardsOf returns the cards of an owner that are not removed, the newest first.
	CardsOf(ctx context.Context, of Owner) ([]Card, error)
}

// Charges charges and refunds cards, as [Cards] saves them.
type Charges interface {
	// Charge charges a card or a token. The same Reference again returns the first payment; with other values it is
	// cards.reference_conflict.
	Charge(ctx context.Context, c Charge) (Payment, error)
	// Refund refunds a captured payment, in whole or in part. Errors: cards.not_refundable, with what can still be refunded.
	Refund(ctx context.Context, r RefundOrder) (Refund, error)
	// Payment returns a payment. Errors: cards.payment_not_found.
	Payment(ctx context.Context, id string) (Payment, error)
}

// Authorizations ends payments that were made with Charge.Authorize. A payment that is not authorized is cards.not_authorized.
type Authorizations interface {
	// Capture has the vendor take the reserved amount.
	Capture(ctx context.Context, payment string) (Payment, error)
	// Cancel has the vendor release the reserved amount.
	Cancel(ctx context.Context, payment string) (Payment, error)
}

// AccountInfo is a vendor account without its credentials.
type AccountInfo struct {
	UUID   string
	Vendor string
	// Page is what a page needs to show the vendor's card fields. It has no secrets.
	Page PageConfig
}

// SaveCard is a card to save.
type SaveCard struct {
	// Reference is the caller's name of the card, unique in the company: "billing.card:" and an id.
	Reference string
	// Account is the account's id; "" is the default account.
	Account string
	Owner   Owner
	// Customer is the vendor's id of the owner, "" for that of the owner's other cards or a new one.
	Customer string
	// Name and Email are what the vendor shows of the owner.
	Name, Email string
	Token       Token
	PostalCode  string
}

// Token stands for the card at the vendor: its card fields made it, and it can be used once. It is no card number.
type Token struct {
	ID string
	// Verification is the vendor's proof that the cardholder was asked (3-D Secure), "" if there is none.
	Verification string
}

// CardState is a state of a card.
type CardState string

// States of a card.
const (
	CardSaving  CardState = "saving"
	CardActive  CardState = "active"
	CardFailed  CardState = "failed"
	CardUnknown CardState = "unknown"
	CardRemoved CardState = "removed"
)

// Card is a card that a vendor keeps.
type Card struct {
	UUID      string
	Reference string
	Owner     Owner
	State     CardState
	Brand     string
	Last4     string
	// ExpiresOn is the last day on which the card is valid, YYYY-MM-DD; "" while the vendor has not said.
	ExpiresOn string
	// Reason is why the card could not be saved.
	Reason Reason
}

// Charge is a charge to make.
type Charge struct {
	// Reference is the caller's name of the charge, unique in the company: "billing.invoice:" and an id and an attempt.
	Reference string
	// Account is the account's id; "" is that of the card, or the default account.
	Account string
	Owner   Owner
	// Amount is more than nothing, and in a currency that the vendor charges in: otherwise cards.currency_mismatch.
	Amount Money
	// Card is the id of a saved card. Without one, Token is charged.
	Card  string
	Token Token
	// Note is at most 500 characters, for the company; Statement at most 20, on the cardholder's statement.
	Note, Statement string
	// Present says that the cardholder is there and can confirm the payment (3-D Secure).
	Present bool
	// Authorize only reserves the amount: see [Authorizations].
	Authorize bool
}

// PaymentState is a state of a payment.
type PaymentState string

// States of a payment. Unknown means that the vendor did not answer; it is asked for some time. Disputed is not a state (see
// Payment.Disputed).
const (
	PaymentQueued     PaymentState = "queued"
	PaymentSending    PaymentState = "sending"
	PaymentAction     PaymentState = "requires_action"
	PaymentAuthorized PaymentState = "authorized"
	PaymentCaptured   PaymentState = "captured"
	PaymentFailed     PaymentState = "failed"
	PaymentCanceled   PaymentState = "canceled"
	PaymentUnknown    PaymentState = "unknown"
)

// Payment is a charge and what came of it.
type Payment struct {
	UUID      string
	Reference string
	Owner     Owner
	State     PaymentState
	Amount    Money
	// Refunded is what completed refunds gave back, Disputed what open and lost disputes took.
	Refunded, Disputed int64
	// Fee is the vendor's, 0 until it is known.
	Fee int64
	// Reason is why the payment failed.
	Reason Reason
	// Final says that a declined card must not be charged again (stolen, closed).
	Final bool
	// ActionURL is where the cardholder confirms the payment, in the state requires_action.
	ActionURL string
	At        time.Time
}

// RefundOrder is a refund to make.
type RefundOrder struct {
	// Reference is the caller's name of the refund, unique in the company.
	Reference string
	Payment   string
	// Units is the amount in the payment's currency; 0 is all that can still be refunded.
	Units  int64
	Reason string
}

// RefundState is a state of a refund.
type RefundState string

// States of a refund.
const (
	RefundQueued    RefundState = "queued"
	RefundSending   RefundState = "sending"
	RefundPending   RefundState = "pending"
	RefundCompleted RefundState = "completed"
	RefundFailed    RefundState = "failed"
	RefundUnknown   RefundState = "unknown"
)

// Refund is a refund and what came of it.
type Refund struct {
	UUID      string
	Reference string
	Payment   string
	State     RefundState
	Amount    Money
	Reason    Reason
}
