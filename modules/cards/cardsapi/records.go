package cardsapi

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// The failures of orders that callers of the contract pass on.
var (
	ErrAccount       = errs.New(errs.NotFound, "cards.account_not_found", "There is no such card account.")
	ErrCard          = errs.New(errs.NotFound, "cards.card_not_found", "There is no such card.")
	ErrPayment       = errs.New(errs.NotFound, "cards.payment_not_found", "There is no such payment.")
	ErrRefund        = errs.New(errs.NotFound, "cards.refund_not_found", "There is no such refund.")
	ErrNotRefundable = errs.New(errs.Conflict, "cards.not_refundable", "The payment cannot be refunded by this amount. See details.max.")
	ErrInvalid       = errs.New(errs.Invalid, "cards.invalid", "The given data was invalid.")
	ErrDisabled      = errs.New(errs.Conflict, "cards.account_disabled", "The card account is disabled. Enable it, or use another one.")
	ErrReference     = errs.New(errs.Conflict, "cards.reference_conflict", "The reference was used before, with other values. Use a new reference.")
	ErrCardState     = errs.New(errs.Conflict, "cards.card_not_active", "The card cannot be charged: it is not active. Save a card, or use another one.")
	ErrNotAuthorized = errs.New(errs.Conflict, "cards.not_authorized", "The payment is not authorized, or its capture or cancellation was ordered before.")
)

// CardRecords are the cards of the caller's company at a vendor, with what the vendor calls them. An id is ours or the vendor's.
type CardRecords interface {
	// Card returns a card. Errors: cards.card_not_found, also for cards at other vendors.
	Card(ctx context.Context, vendor, id string) (CardRecord, error)
	// Cards returns at most a number of cards that are not removed, the newest first, after the one with an id; "" begins.
	Cards(ctx context.Context, vendor, after string, most int) ([]CardRecord, error)
}

// PaymentRecords are the payments and refunds of the caller's company at a vendor, with what the vendor calls them. An id is ours or the vendor's.
type PaymentRecords interface {
	// Payment returns a payment. Errors: cards.payment_not_found, also for payments at other vendors.
	Payment(ctx context.Context, vendor, id string) (PaymentRecord, error)
	// Payments returns at most a number of payments, the newest first, after the one with an id; "" begins.
	Payments(ctx context.Context, vendor, after string, most int) ([]PaymentRecord, error)
	// Refund returns a refund. Errors: cards.refund_not_found, also for refunds of payments at other vendors.
	Refund(ctx context.Context, vendor, id string) (RefundRecord, error)
}

// CardRecord is a card and what its vendor calls it.
type CardRecord struct {
	Card

	Account                   string
	VendorID, Customer, Name  string
	Code, Detail, Explanation string
	Version                   int64
	CreatedAt, UpdatedAt      time.Time
}

// PaymentRecord is a payment and what its vendor calls it.
type PaymentRecord struct {
	Payment

	Account string
	// Card is the id of the saved card, "" if a token was charged.
	Card                      string
	VendorID, VendorStatus    string
	Code, Detail, Explanation string
	Note, Statement           string
	Authorize                 bool
	Version                   int64
	UpdatedAt                 time.Time
}

// RefundRecord is a refund and what its vendor calls it.
type RefundRecord struct {
	Refund

	Account                   string
	VendorID, VendorStatus    string
	Code, Detail, Explanation string
	Note                      string
	Version                   int64
	CreatedAt, UpdatedAt      time.Time
}

// Reconciler compares accounts with their vendors.
type Reconciler interface {
	// Reconcile has a job compare what an account and its vendor have in a window. Errors: cards.invalid for a window of more than a year.
	Reconcile(ctx context.Context, account string, from, to time.Time) (Reconciliation, error)
}

// Reconciliation is a comparison. Its findings are read, and applied, at the area cards.
type Reconciliation struct {
	UUID, Account string
	From, To      time.Time
	// State is running, done, applied or failed.
	State     string
	CreatedAt time.Time
}
