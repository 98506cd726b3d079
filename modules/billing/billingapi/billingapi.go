// Package billingapi is the contract of the area billing: what other areas may ask of a company's plan, and the events of subscriptions,
// invoices and payments.
package billingapi

import "context"

// Area is the area's id.
const Area = "billing"

// Entitlement is what a company's plan grants.
type Entitlement struct {
	// Plan is the code of the plan, "" without a subscription.
	Plan string
	// Flags are the plan's flags.
	Flags map[string]bool
	// Limits are the plan's limits. What is absent is not limited.
	Limits map[string]int64
}

// Entitlements knows what plans grant.
type Entitlements interface {
	// Entitlement returns what the plan of the caller's company grants.
	Entitlement(ctx context.Context) (Entitlement, error)
}

// SubscriptionStarted says that a company subscribed to a plan. Its state is incomplete, trialing or active.
type SubscriptionStarted struct {
	Subscription string `json:"subscription_uuid"`
	Plan         string `json:"plan"`
	State        string `json:"state"`
}

// EventName implements events.Event.
func (SubscriptionStarted) EventName() string { return "billing.subscription.started" }

// EventItem implements events.Named.
func (e SubscriptionStarted) EventItem() (itemType, id string) { return subscription(e.Subscription) }

// SubscriptionTrialEnding says that a trial is about to end.
type SubscriptionTrialEnding struct {
	Subscription string `json:"subscription_uuid"`
	EndsOn       string `json:"ends_on"`
}

// EventName implements events.Event.
func (SubscriptionTrialEnding) EventName() string { return "billing.subscription.trial_ending" }

// EventItem implements events.Named.
func (e SubscriptionTrialEnding) EventItem() (itemType, id string) {
	return subscription(e.Subscription)
}

// SubscriptionMoved says that a subscription has another state.
type SubscriptionMoved struct {
	Subscription string `json:"subscription_uuid"`
	Plan         string `json:"plan"`
	Before       string `json:"before"`
	After        string `json:"after"`
}

// EventName implements events.Event.
func (SubscriptionMoved) EventName() string { return "billing.subscription.moved" }

// EventItem implements events.Named.
func (e SubscriptionMoved) EventItem() (itemType, id string) { return subscription(e.Subscription) }

// SubscriptionRenewed says that a new period began.
type SubscriptionRenewed struct {
	Subscription string `json:"subscription_uuid"`
	From         string `json:"from"`
	Until        string `json:"until"`
}

// EventName implements events.Event.
func (SubscriptionRenewed) EventName() string { return "billing.subscription.renewed" }

// EventItem implements events.Named.
func (e SubscriptionRenewed) EventItem() (itemType, id string) { return subscription(e.Subscription) }

// SubscriptionPlanChanged says that a subscription has another plan.
type SubscriptionPlanChanged struct {
	Subscription string `json:"subscription_uuid"`
	Before       string `json:"before"`
	After        string `json:"after"`
}

// EventName implements events.Event.
func (SubscriptionPlanChanged) EventName() string { return "billing.subscription.plan_changed" }

// EventItem implements events.Named.
func (e SubscriptionPlanChanged) EventItem() (itemType, id string) {
	return subscription(e.Subscription)
}

// InvoiceIssued says that there is a new invoice.
type InvoiceIssued struct {
	Invoice  string `json:"invoice_uuid"`
	Number   string `json:"number"`
	Total    string `json:"total"`
	Currency string `json:"currency"`
}

// EventName implements events.Event.
func (InvoiceIssued) EventName() string { return "billing.invoice.issued" }

// EventItem implements events.Named.
func (e InvoiceIssued) EventItem() (itemType, id string) { return invoice(e.Invoice) }

// InvoicePaid says that nothing of an invoice is left to pay.
type InvoicePaid struct {
	Invoice string `json:"invoice_uuid"`
	Number  string `json:"number"`
}

// EventName implements events.Event.
func (InvoicePaid) EventName() string { return "billing.invoice.paid" }

// EventItem implements events.Named.
func (e InvoicePaid) EventItem() (itemType, id string) { return invoice(e.Invoice) }

// InvoiceWrittenOff says that an invoice is no longer collected.
type InvoiceWrittenOff struct {
	Invoice string `json:"invoice_uuid"`
	Number  string `json:"number"`
}

// EventName implements events.Event.
func (InvoiceWrittenOff) EventName() string { return "billing.invoice.written_off" }

// EventItem implements events.Named.
func (e InvoiceWrittenOff) EventItem() (itemType, id string) { return invoice(e.Invoice) }

// InvoiceCredited says that a credit note was issued for an invoice.
type InvoiceCredited struct {
	Invoice    string `json:"invoice_uuid"`
	CreditNote string `json:"credit_note_uuid"`
	Amount     string `json:"amount"`
}

// EventName implements events.Event.
func (InvoiceCredited) EventName() string { return "billing.invoice.credited" }

// EventItem implements events.Named.
func (e InvoiceCredited) EventItem() (itemType, id string) { return invoice(e.Invoice) }

// PaymentCaptured says that an invoice was paid.
type PaymentCaptured struct {
	Payment string `json:"payment_uuid"`
	Invoice string `json:"invoice_uuid"`
}

// EventName implements events.Event.
func (PaymentCaptured) EventName() string { return "billing.payment.captured" }

// EventItem implements events.Named.
func (e PaymentCaptured) EventItem() (itemType, id string) { return invoice(e.Invoice) }

// PaymentFailed says that a charge for an invoice failed.
type PaymentFailed struct {
	Payment string `json:"payment_uuid"`
	Invoice string `json:"invoice_uuid"`
	Reason  string `json:"reason"`
}

// EventName implements events.Event.
func (PaymentFailed) EventName() string { return "billing.payment.failed" }

// EventItem implements events.Named.
func (e PaymentFailed) EventItem() (itemType, id string) { return invoice(e.Invoice) }

// PaymentReversed says that a payment turned out not to have been made: its invoice is open again.
type PaymentReversed struct {
	Payment string `json:"payment_uuid"`
	Invoice string `json:"invoice_uuid"`
	Reason  string `json:"reason"`
}

// EventName implements events.Event.
func (PaymentReversed) EventName() string { return "billing.payment.reversed" }

// EventItem implements events.Named.
func (e PaymentReversed) EventItem() (itemType, id string) { return invoice(e.Invoice) }

func subscription(id string) (itemType, itemID string) { return "billing.subscription", id }

func invoice(id string) (itemType, itemID string) { return "billing.invoice", id }
