package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Money is the amount of the payment.
func (p Payment) Money() money.Money {
	return money.Money{Amount: p.Amount, Currency: p.Currency}
}

// Overpaid is what was paid beyond the invoice.
func (p Payment) Overpaid() money.Money {
	if p.Excess == "" {
		return money.Zero(p.Currency)
	}

	return money.Money{Amount: p.Excess, Currency: p.Currency}
}

// Applied is what was paid of the invoice.
func (p Payment) Applied() (money.Money, error) { return p.Money().Sub(p.Overpaid()) }

// Payment is a row of billing_payments: an attempt to pay an invoice.
type Payment struct {
	resource.Row

	Invoice      uuid.UUID      `json:"invoice_uuid" gorm:"column:invoice_id" field:"readonly"`
	Subscription uuid.UUID      `json:"subscription_uuid" gorm:"column:subscription_id" field:"readonly"`
	Method       string         `json:"method" field:"readonly,sort" enum:"card,manual"`
	Amount       money.Amount   `json:"amount" field:"readonly,sort"`
	Currency     money.Currency `json:"currency" field:"readonly"`
	State        PaymentStatus  `json:"state" field:"sort"`
	Reason       string         `json:"reason" field:"readonly" doc:"Why it failed." example:"insufficient_funds"`
	Card         terms.CardsID  `json:"card_uuid" gorm:"column:card" field:"readonly"`
	CardPayment  terms.CardsID  `json:"card_payment_uuid" gorm:"column:card_payment" field:"readonly" doc:"The payment of the operator's card account."`
	Reference    string         `json:"reference" field:"readonly,search,title" doc:"Reference of a bank transfer."`
	SettledAt    *time.Time     `json:"settled_at" field:"readonly,sort"`
	ActionURL    string         `json:"action_url" field:"readonly,nofilter" doc:"Where the cardholder confirms the payment; empty if that is not needed."`
	Excess       money.Amount   `json:"excess" field:"readonly,nofilter" doc:"What was paid beyond the invoice, and is given back to the card; null for nothing."`
	Fee          money.Amount   `json:"-" field:"hidden"` // the part of the vendor's fee that is posted
}

// TableName implements GORM's naming.
func (Payment) TableName() string { return "billing_payments" }

// SchemaName implements web.SchemaNamer.
func (Payment) SchemaName() string { return "BillingPayment" }

// PaymentStatus is the state of a payment.
type PaymentStatus string

// The states of payments.
const (
	PaymentPending  PaymentStatus = "pending"
	PaymentCaptured PaymentStatus = "captured"
	PaymentFailed   PaymentStatus = "failed"
)

// Verbs of payments. All of them are the service's own.
const (
	VerbCapture resource.Verb = "capture"
	VerbFail    resource.Verb = "fail"
	VerbReverse resource.Verb = "reverse"
	VerbFee     resource.Verb = "note_fee"
)

// Methods of payments.
const (
	ByCard = "card"
	ByHand = "manual"
)

// PaymentRules are the rules of payments.
func PaymentRules() resource.Rules[Payment] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return resource.Rules[Payment]{
		Item: "billing.payment", Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "An attempt to pay an invoice: the payment history.",
		Own:   []resource.Verb{resource.Create, resource.Update, resource.Delete, resource.Restore},
		Life: resource.LifeOf(state.Machine[PaymentStatus]{
			Item: "billing.payment", Initial: PaymentPending,
			Steps: []state.Step[PaymentStatus]{
				{From: []PaymentStatus{PaymentPending, PaymentFailed}, Verb: string(VerbCapture), To: PaymentCaptured, Who: service},
				{From: []PaymentStatus{PaymentPending}, Verb: string(VerbFail), To: PaymentFailed, Who: service},
				{From: []PaymentStatus{PaymentCaptured}, Verb: string(VerbReverse), To: PaymentFailed, Who: service},
			},
		}, func(p *Payment) *PaymentStatus { return &p.State }),
	}
}
