package store

import (
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// The failures of the area.
var (
	ErrAccount        = cardsapi.ErrAccount
	ErrCard           = cardsapi.ErrCard
	ErrPayment        = cardsapi.ErrPayment
	ErrRefund         = cardsapi.ErrRefund
	ErrPayLink        = errs.New(errs.NotFound, "cards.pay_link_not_found", "There is no such pay link.")
	ErrReconciliation = errs.New(errs.NotFound, "cards.reconciliation_not_found", "There is no such reconciliation.")
	ErrInvalid        = cardsapi.ErrInvalid
	ErrNoAccount      = errs.New(errs.Conflict, "cards.no_account", "The company has no card account. Create one with POST /cards/api/v1/accounts; {\"name\": \"Sandbox\", \"provider\": \"sandbox\"} moves no money.")
	ErrDisabled       = cardsapi.ErrDisabled
	ErrNameTaken      = errs.New(errs.Conflict, "cards.name_taken", "The name is already taken.")
	ErrAccountUsed    = errs.New(errs.Conflict, "cards.account_used", "The card account has cards or payments. Disable it instead.")
	ErrReference      = cardsapi.ErrReference
	ErrCardState      = cardsapi.ErrCardState
	ErrCardAccount    = cardsapi.ErrInvalid.WithField("card_uuid", "The card belongs to another account. Leave out the account, or use a card of it.")
	ErrCurrency       = errs.New(errs.Invalid, "cards.currency_mismatch", "The amount is in another currency than the account or the payment accepts.")
	ErrNotRefundable  = cardsapi.ErrNotRefundable
	ErrNotAuthorized  = cardsapi.ErrNotAuthorized
	ErrNotUnknown     = errs.New(errs.Conflict, "cards.not_unknown", "The outcome of the payment is known, or the vendor is being asked.")
	ErrNoCapture      = errs.New(errs.Conflict, "cards.no_capture", "The vendor of the account cannot authorize payments. Charge the card at once.")
	ErrVendor         = errs.New(errs.Unavailable, "cards.vendor_failed", "The vendor could not be reached. Please try again.")
	ErrRefused        = errs.New(errs.Conflict, "cards.vendor_refused", "The vendor refused the request.")
	ErrReconciling    = errs.New(errs.Conflict, "cards.reconciliation_running", "The reconciliation is not finished. Wait until its state is done.")
	ErrTooManyTries   = errs.New(errs.Conflict, "cards.too_many_attempts", "Too many cards were declined. Please ask the person who sent you the link for another way to pay.")
	ErrNotAsked       = errs.New(errs.Conflict, "cards.not_asked", "The cardholder is not asked to confirm a payment of the sandbox.")
	ErrNotSandbox     = errs.New(errs.Conflict, "cards.not_sandbox", "Only payments of sandbox accounts can be played.")
)
