package billing

import "github.com/dispatchd/dispatchd/platform/errs"

var (
	errNoSeller     = errs.New(errs.Conflict, "billing.no_seller", "The operator has not set up who sells subscriptions.")
	errSeller       = errs.New(errs.Invalid, "billing.invalid_seller", "The given data was invalid.")
	errSellerBuys   = errs.New(errs.Conflict, "billing.seller_subscribes", "The company that sells subscriptions cannot subscribe itself.")
	errPlan         = errs.New(errs.Invalid, "billing.invalid_plan", "The given data was invalid.")
	errPlanNotFound = errs.New(errs.NotFound, "billing.plan_not_found", "There is no such plan.")
	errPlanTaken    = errs.New(errs.Conflict, "billing.plan_taken", "Another version of the plan was created at the same time. Please try again.")
	errPlanOff      = errs.New(errs.Conflict, "billing.plan_not_offered", "The plan is not offered. Choose one of the listed plans.")
	errPlansPrivate = errs.New(errs.NotFound, "billing.plans_not_public", "The operator does not list plans without a token.")
	errTaxRate      = errs.New(errs.Invalid, "billing.invalid_tax_rate", "The given data was invalid.")
	errTaxNotFound  = errs.New(errs.NotFound, "billing.tax_rate_not_found", "There is no such tax rate.")
	errTaxTaken     = errs.New(errs.Conflict, "billing.tax_rate_taken", "There is such a tax rate already.")

	errSubscribed    = errs.New(errs.Conflict, "billing.already_subscribed", "The company has a subscription. Change its plan instead.")
	errNone          = errs.New(errs.NotFound, "billing.no_subscription", "The company has no subscription.")
	errSamePlan      = errs.New(errs.Conflict, "billing.same_plan", "The subscription has this plan already.")
	errNotActive     = errs.New(errs.Conflict, "billing.not_active", "The subscription is not active. Resume it first.")
	errOpenInvoice   = errs.New(errs.Conflict, "billing.open_invoice", "An invoice is open. Pay it first.")
	errCurrency      = errs.New(errs.Invalid, "billing.currency_mismatch", "The plan is in another currency than the subscription. Cancel the subscription, and subscribe again.")
	errNotEnding     = errs.New(errs.Conflict, "billing.not_ending", "The subscription is neither paused nor about to be canceled.")
	errCard          = errs.New(errs.NotFound, "billing.card_not_found", "The company has no such card.")
	errCardInUse     = errs.New(errs.Conflict, "billing.card_in_use", "The subscription is paid with this card. Choose another payment method first.")
	errNothingToPay  = errs.New(errs.Conflict, "billing.nothing_to_pay", "Nothing of the invoice is left to pay.")
	errPaymentOpen   = errs.New(errs.Conflict, "billing.payment_pending", "A payment of the invoice is pending. Wait for its result.")
	errNoCard        = errs.New(errs.Conflict, "billing.no_card", "The subscription has no card to charge. Choose a payment method first.")
	errCredit        = errs.New(errs.Invalid, "billing.invalid_credit", "The given data was invalid.")
	errUncreditable  = errs.New(errs.Conflict, "billing.not_creditable", "The invoice was credited in full, or was written off.")
	errRefundPending = errs.New(errs.Conflict, "billing.refund_pending", "A refund of the invoice is pending. Wait for its result.")
	errRefundByHand  = errs.New(errs.Conflict, "billing.refund_by_hand", "The invoice was not paid by card. Send back the money, and give its reference.")
)
