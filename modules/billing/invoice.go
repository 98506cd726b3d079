package billing

import (
	"context"
	"reflect"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// invoice is a row of billing_invoices: an invoice of the seller to the company. What it says never changes.
type invoice struct {
	resource.Row

	Number       string                      `json:"number" field:"readonly,sort,search,title"`
	Subscription uuid.UUID                   `json:"subscription_uuid" gorm:"column:subscription_id" field:"readonly"`
	Seller       resource.JSON[party]        `json:"seller" field:"readonly"`
	Customer     resource.JSON[party]        `json:"customer" field:"readonly"`
	IssuedOn     field.Date                  `json:"issued_on" field:"readonly,sort"`
	Lines        resource.JSON[[]terms.Line] `json:"lines" field:"readonly"`
	Taxes        resource.JSON[[]terms.Tax]  `json:"taxes" field:"readonly"`
	Net          money.Amount                `json:"net" field:"readonly"`
	Tax          money.Amount                `json:"tax" field:"readonly"`
	Total        money.Amount                `json:"total" field:"readonly,sort"`
	Currency     money.Currency              `json:"currency" field:"readonly"`

	Paid       money.Amount  `json:"paid" field:"readonly"`
	Credited   money.Amount  `json:"credited" field:"readonly" doc:"What credit notes took off it."`
	Refunded   money.Amount  `json:"refunded" field:"readonly" doc:"What was paid, and is given back by credit notes; paid is without it."`
	WrittenOff money.Amount  `json:"written_off" field:"readonly"`
	Balance    money.Amount  `json:"balance" field:"readonly,sort" doc:"What is left to pay."`
	State      invoiceStatus `json:"state" field:"sort"`
	PaidAt     *time.Time    `json:"paid_at" field:"readonly,sort"`
}

// TableName implements GORM's naming.
func (invoice) TableName() string { return "billing_invoices" }

// SchemaName implements web.SchemaNamer.
func (invoice) SchemaName() string { return "BillingInvoice" }

type invoiceStatus string

const (
	invoiceOpen     invoiceStatus = "open"
	invoicePaid     invoiceStatus = "paid"
	invoiceCredited invoiceStatus = "credited"
	invoiceLost     invoiceStatus = "uncollectible"
)

// Verbs of invoices. All of them are the service's own.
const (
	verbSettle   resource.Verb = "settle"
	verbCredit   resource.Verb = "credit"
	verbWriteOff resource.Verb = "write_off"
	verbPay      resource.Verb = "pay"
	verbRefund   resource.Verb = "refund"
	verbReopen   resource.Verb = "reopen"
)

var errImmutable = errs.New(errs.Conflict, "billing.invoice_issued", "An invoice that was issued cannot be changed. Issue a credit note.")

func invoiceRules() resource.Rules[invoice] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return resource.Rules[invoice]{
		Item: "billing.invoice", Sort: []string{"-created_at"}, KeepDeleted: true,
		About:  "An invoice of the operator for a subscription. It never changes; credit notes correct it.",
		Own:    []resource.Verb{resource.Create, resource.Update, resource.Delete, resource.Restore},
		Decide: keepDocument,
		Errors: []*errs.Error{errImmutable},
		Life: resource.LifeOf(state.Machine[invoiceStatus]{
			Item: "billing.invoice", Initial: invoiceOpen, Final: []invoiceStatus{invoiceCredited},
			Steps: []state.Step[invoiceStatus]{
				{From: []invoiceStatus{invoiceOpen, invoiceLost}, Verb: string(verbSettle), To: invoicePaid, Who: service},
				{From: []invoiceStatus{invoicePaid}, Verb: string(verbReopen), To: invoiceOpen, Who: service},
				{From: []invoiceStatus{invoiceOpen}, Verb: string(verbCredit), To: invoiceCredited, Who: service},
				{From: []invoiceStatus{invoiceOpen}, Verb: string(verbWriteOff), To: invoiceLost, Who: service},
			},
		}, func(i *invoice) *invoiceStatus { return &i.State }),
	}
}

// keepDocument refuses changes of what an invoice says.
func keepDocument(_ context.Context, _ *resource.Resource[invoice], c resource.Change[invoice]) error {
	if c.Before != nil && (c.Verb == resource.Delete || !reflect.DeepEqual(c.Before.document(), c.After.document())) {
		return errImmutable
	}

	return nil
}

// document is what an invoice says, without what happened to it since.
func (i *invoice) document() invoice {
	return invoice{
		Number: i.Number, Subscription: i.Subscription, Seller: i.Seller, Customer: i.Customer, IssuedOn: i.IssuedOn, Lines: i.Lines, Taxes: i.Taxes,
		Net: i.Net, Tax: i.Tax, Total: i.Total, Currency: i.Currency,
	}
}

// money is an amount of the invoice.
func (i *invoice) money(a money.Amount) money.Money {
	return money.Money{Amount: a, Currency: i.Currency}
}

// balance recomputes what is left to pay.
func (i *invoice) balance() error {
	left := i.money(i.Total)
	for _, a := range []money.Amount{i.Paid, i.Credited, i.WrittenOff} {
		var err error
		if left, err = left.Sub(i.money(a)); err != nil {
			return err
		}
	}
	i.Balance = left.Amount

	return nil
}

// add adds to one of the amounts of an invoice, and recomputes its balance.
func (i *invoice) add(to *money.Amount, m money.Money) error {
	sum, err := i.money(*to).Add(m)
	if err != nil {
		return err
	}
	*to = sum.Amount

	return i.balance()
}

// payment is a row of billing_payments: an attempt to pay an invoice.
type payment struct {
	resource.Row

	Invoice      uuid.UUID      `json:"invoice_uuid" gorm:"column:invoice_id" field:"readonly"`
	Subscription uuid.UUID      `json:"subscription_uuid" gorm:"column:subscription_id" field:"readonly"`
	Method       string         `json:"method" field:"readonly,sort" enum:"card,manual"`
	Amount       money.Amount   `json:"amount" field:"readonly,sort"`
	Currency     money.Currency `json:"currency" field:"readonly"`
	State        paymentStatus  `json:"state" field:"sort"`
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
func (payment) TableName() string { return "billing_payments" }

// SchemaName implements web.SchemaNamer.
func (payment) SchemaName() string { return "BillingPayment" }

type paymentStatus string

const (
	paymentPending  paymentStatus = "pending"
	paymentCaptured paymentStatus = "captured"
	paymentFailed   paymentStatus = "failed"
)

const (
	verbCapture resource.Verb = "capture"
	verbFail    resource.Verb = "fail"
	verbReverse resource.Verb = "reverse"
	verbFee     resource.Verb = "note_fee"
)

// Methods of payments.
const (
	byCard = "card"
	byHand = "manual"
)

func paymentRules() resource.Rules[payment] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return resource.Rules[payment]{
		Item: "billing.payment", Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "An attempt to pay an invoice: the payment history.",
		Own:   []resource.Verb{resource.Create, resource.Update, resource.Delete, resource.Restore},
		Life: resource.LifeOf(state.Machine[paymentStatus]{
			Item: "billing.payment", Initial: paymentPending,
			Steps: []state.Step[paymentStatus]{
				{From: []paymentStatus{paymentPending, paymentFailed}, Verb: string(verbCapture), To: paymentCaptured, Who: service},
				{From: []paymentStatus{paymentPending}, Verb: string(verbFail), To: paymentFailed, Who: service},
				{From: []paymentStatus{paymentCaptured}, Verb: string(verbReverse), To: paymentFailed, Who: service},
			},
		}, func(p *payment) *paymentStatus { return &p.State }),
	}
}

// creditNote is a row of billing_credit_notes: what the seller takes off an invoice.
type creditNote struct {
	resource.Row

	Number       string                     `json:"number" field:"readonly,sort,search,title"`
	Invoice      uuid.UUID                  `json:"invoice_uuid" gorm:"column:invoice_id" field:"readonly"`
	IssuedOn     field.Date                 `json:"issued_on" field:"readonly,sort"`
	Reason       string                     `json:"reason" field:"readonly"`
	Taxes        resource.JSON[[]terms.Tax] `json:"taxes" field:"readonly"`
	Net          money.Amount               `json:"net" field:"readonly"`
	Tax          money.Amount               `json:"tax" field:"readonly"`
	Total        money.Amount               `json:"total" field:"readonly,sort"`
	Currency     money.Currency             `json:"currency" field:"readonly"`
	Refund       money.Amount               `json:"refund" field:"readonly" doc:"What of it was paid, and is given back."`
	RefundState  string                     `json:"refund_state" field:"readonly,sort" enum:"none,pending,completed,failed"`
	RefundReason string                     `json:"refund_reason" field:"readonly" doc:"Why the refund failed."`
	Reference    string                     `json:"refund_reference" gorm:"column:refund_reference" field:"readonly" doc:"Reference of a refund by bank transfer."`
}

// TableName implements GORM's naming.
func (creditNote) TableName() string { return "billing_credit_notes" }

// SchemaName implements web.SchemaNamer.
func (creditNote) SchemaName() string { return "BillingCreditNote" }

// States of refunds.
const (
	refundNone      = "none"
	refundPending   = "pending"
	refundCompleted = "completed"
	refundFailed    = "failed"
)

func creditNoteRules() resource.Rules[creditNote] {
	return resource.Rules[creditNote]{
		Item: "billing.credit_note", Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "What the operator takes off an invoice.",
		Own:   []resource.Verb{resource.Create, resource.Update, resource.Delete, resource.Restore},
	}
}
