package billing

import (
	"github.com/dispatchd/dispatchd/platform/errs"
)

var (
	errNoSeller     = errs.New(errs.Conflict, "billing.no_seller", "The operator has not set up who sells subscriptions. Ask the operator.")
	errNoSellerCard = errs.New(errs.Conflict, "billing.seller_takes_no_cards", "Cards cannot be saved yet: the seller has no card account that is enabled. Tell the operator.")
	errSeller       = errs.New(errs.Invalid, "billing.invalid_seller", "The given data was invalid.")
	errSellerBuys   = errs.New(errs.Conflict, "billing.seller_subscribes", "The company that sells subscriptions cannot subscribe itself. Choose another company.")
	errPlan         = errs.New(errs.Invalid, "billing.invalid_plan", "The given data was invalid.")
	errPlanNotFound = errs.New(errs.NotFound, "billing.plan_not_found", "There is no such plan.")
	errPlanTaken    = errs.New(errs.Conflict, "billing.plan_taken", "Another version of the plan was created at the same time. Please try again.")
	errPlanOff      = errs.New(errs.Conflict, "billing.plan_not_offered", "The plan is not offered. Choose one of the listed plans.")
	errPlanChoice   = errs.New(errs.Invalid, "billing.invalid_plan_choice", "The given data was invalid.")
	errPlansPrivate = errs.New(errs.NotFound, "billing.plans_not_public", "The operator does not list plans without a token.")
	errTaxRate      = errs.New(errs.Invalid, "billing.invalid_tax_rate", "The given data was invalid.")
	errTaxNotFound  = errs.New(errs.NotFound, "billing.tax_rate_not_found", "There is no such tax rate.")
	errTaxTaken     = errs.New(errs.Conflict, "billing.tax_rate_taken", "There is a tax rate for this place and day already. Change that one.")

	errSubscribed      = errs.New(errs.Conflict, "billing.already_subscribed", "The company has a subscription. Change its plan instead.")
	errNone            = errs.New(errs.NotFound, "billing.no_subscription", "The company has no subscription.")
	errSamePlan        = errs.New(errs.Conflict, "billing.same_plan", "The subscription has this plan already. Choose another one.")
	errNotActive       = errs.New(errs.Conflict, "billing.not_active", "The subscription is not active. Resume it first.")
	errOpenInvoice     = errs.New(errs.Conflict, "billing.open_invoice", "An invoice is open. Pay it first.")
	errCurrency        = errs.New(errs.Invalid, "billing.currency_mismatch", "The plan is in another currency than the subscription. Cancel the subscription, and subscribe again.")
	errNotEnding       = errs.New(errs.Conflict, "billing.not_ending", "The subscription is neither paused nor about to be canceled.")
	errCard            = errs.New(errs.NotFound, "billing.card_not_found", "The company has no such card.")
	errCardInUse       = errs.New(errs.Conflict, "billing.card_in_use", "The subscription is paid with this card. Choose another payment method first.")
	errNothingToPay    = errs.New(errs.Conflict, "billing.nothing_to_pay", "The invoice is already paid.")
	errPaymentOpen     = errs.New(errs.Conflict, "billing.payment_pending", "A payment of the invoice is pending. Wait for its result.")
	errNoCard          = errs.New(errs.Conflict, "billing.no_card", "The subscription has no card to charge. Choose a payment method first.")
	errCredit          = errs.New(errs.Invalid, "billing.invalid_credit", "The given data was invalid.")
	errUncreditable    = errs.New(errs.Conflict, "billing.not_creditable", "The invoice was credited in full, or was written off.")
	errRefundPending   = errs.New(errs.Conflict, "billing.refund_pending", "A refund of the invoice is pending. Wait for its result.")
	errRefundNotFailed = errs.New(errs.Conflict, "billing.refund_not_failed", "The credit note has no refund that failed.")
	errRefundByHand    = errs.New(errs.Conflict, "billing.refund_by_hand", "The invoice was not paid by card. Send back the money, and give its reference.")
)
