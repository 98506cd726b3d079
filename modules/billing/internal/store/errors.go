package store

import (
	"github.com/dispatchd/dispatchd/platform/errs"
)

// What operations on the seller, plans and tax rates fail with.
var (
	ErrNoSeller          = errs.New(errs.Conflict, "billing.no_seller", "The operator has not set up who sells subscriptions. Ask the operator.")
	ErrNoSellerCard      = errs.New(errs.Conflict, "billing.seller_takes_no_cards", "Cards cannot be saved yet: the seller has no card account that is enabled. Tell the operator.")
	ErrInvalidSeller     = errs.New(errs.Invalid, "billing.invalid_seller", "The given data was invalid.")
	ErrSellerBuys        = errs.New(errs.Conflict, "billing.seller_subscribes", "The company that sells subscriptions cannot subscribe itself. Choose another company.")
	ErrInvalidPlan       = errs.New(errs.Invalid, "billing.invalid_plan", "The given data was invalid.")
	ErrPlanNotFound      = errs.New(errs.NotFound, "billing.plan_not_found", "There is no such plan.")
	ErrPlanTaken         = errs.New(errs.Conflict, "billing.plan_taken", "Another version of the plan was created at the same time. Please try again.")
	ErrPlanNotOffered    = errs.New(errs.Conflict, "billing.plan_not_offered", "The plan is not offered. Choose one of the listed plans.")
	ErrInvalidPlanChoice = errs.New(errs.Invalid, "billing.invalid_plan_choice", "The given data was invalid.")
	ErrPlansPrivate      = errs.New(errs.NotFound, "billing.plans_not_public", "The operator does not list plans without a token.")
	ErrInvalidTaxRate    = errs.New(errs.Invalid, "billing.invalid_tax_rate", "The given data was invalid.")
	ErrTaxNotFound       = errs.New(errs.NotFound, "billing.tax_rate_not_found", "There is no such tax rate.")
	ErrTaxTaken          = errs.New(errs.Conflict, "billing.tax_rate_taken", "There is a tax rate for this place and day already. Change that one.")
)

// What operations on subscriptions, invoices, cards and payments fail with.
var (
	ErrSubscribed      = errs.New(errs.Conflict, "billing.already_subscribed", "The company has a subscription. Change its plan instead.")
	ErrNoSubscription  = errs.New(errs.NotFound, "billing.no_subscription", "The company has no subscription.")
	ErrSamePlan        = errs.New(errs.Conflict, "billing.same_plan", "The subscription has this plan already. Choose another one.")
	ErrNotActive       = errs.New(errs.Conflict, "billing.not_active", "The subscription is not active. Resume it first.")
	ErrInvoiceOpen     = errs.New(errs.Conflict, "billing.open_invoice", "An invoice is open. Pay it first.")
	ErrCurrency        = errs.New(errs.Invalid, "billing.currency_mismatch", "The plan is in another currency than the subscription. Cancel the subscription, and subscribe again.")
	ErrNotEnding       = errs.New(errs.Conflict, "billing.not_ending", "The subscription is neither paused nor about to be canceled.")
	ErrCardNotFound    = errs.New(errs.NotFound, "billing.card_not_found", "The company has no such card.")
	ErrCardInUse       = errs.New(errs.Conflict, "billing.card_in_use", "The subscription is paid with this card. Choose another payment method first.")
	ErrNothingToPay    = errs.New(errs.Conflict, "billing.nothing_to_pay", "The invoice is already paid.")
	ErrPaymentPending  = errs.New(errs.Conflict, "billing.payment_pending", "A payment of the invoice is pending. Wait for its result.")
	ErrNoCard          = errs.New(errs.Conflict, "billing.no_card", "The subscription has no card to charge. Choose a payment method first.")
	ErrInvalidCredit   = errs.New(errs.Invalid, "billing.invalid_credit", "The given data was invalid.")
	ErrNotCreditable   = errs.New(errs.Conflict, "billing.not_creditable", "The invoice was credited in full, or was written off.")
	ErrRefundPending   = errs.New(errs.Conflict, "billing.refund_pending", "A refund of the invoice is pending. Wait for its result.")
	ErrRefundNotFailed = errs.New(errs.Conflict, "billing.refund_not_failed", "The credit note has no refund that failed.")
	ErrRefundByHand    = errs.New(errs.Conflict, "billing.refund_by_hand", "The invoice was not paid by card. Send back the money, and give its reference.")
)
