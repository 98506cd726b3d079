package store

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// InvoiceItem is the type of invoices.
const InvoiceItem = "billing.invoice"

// Invoice is a row of billing_invoices: an invoice of the seller to the company. What it says never changes.
type Invoice struct {
	resource.Row

	Number       string                      `json:"number" field:"readonly,sort,search,title"`
	Subscription uuid.UUID                   `json:"subscription_uuid" gorm:"column:subscription_id" field:"readonly"`
	Seller       resource.JSON[Party]        `json:"seller" field:"readonly"`
	Customer     resource.JSON[Party]        `json:"customer" field:"readonly"`
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
	State      InvoiceStatus `json:"state" field:"sort"`
	PaidAt     *time.Time    `json:"paid_at" field:"readonly,sort"`
}

// TableName implements GORM's naming.
func (Invoice) TableName() string { return "billing_invoices" }

// SchemaName implements web.SchemaNamer.
func (Invoice) SchemaName() string { return "BillingInvoice" }

// InvoiceStatus is the state of an invoice.
type InvoiceStatus string

// The states of invoices.
const (
	InvoiceOpen     InvoiceStatus = "open"
	InvoicePaid     InvoiceStatus = "paid"
	InvoiceCredited InvoiceStatus = "credited"
	InvoiceLost     InvoiceStatus = "uncollectible"
)

// Verbs of invoices. All of them are the service's own.
const (
	VerbSettle   resource.Verb = "settle"
	VerbCredit   resource.Verb = "credit"
	VerbWriteOff resource.Verb = "write_off"
	VerbPay      resource.Verb = "pay"
	VerbRefund   resource.Verb = "refund"
	VerbReopen   resource.Verb = "reopen"
)

// errImmutable is a mistake of the service: no request changes what an invoice says.
var errImmutable = errors.New("an invoice that was issued cannot be changed")

// InvoiceRules are the rules of invoices.
func InvoiceRules() resource.Rules[Invoice] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return resource.Rules[Invoice]{
		Item: InvoiceItem, Sort: []string{"-created_at"}, KeepDeleted: true,
		About:  "An invoice of the operator for a subscription. It never changes; credit notes correct it.",
		Own:    []resource.Verb{resource.Create, resource.Update, resource.Delete, resource.Restore},
		Decide: keepDocument,
		Life: resource.LifeOf(state.Machine[InvoiceStatus]{
			Item: InvoiceItem, Initial: InvoiceOpen, Final: []InvoiceStatus{InvoiceCredited},
			Steps: []state.Step[InvoiceStatus]{
				{From: []InvoiceStatus{InvoiceOpen, InvoiceLost}, Verb: string(VerbSettle), To: InvoicePaid, Who: service},
				{From: []InvoiceStatus{InvoicePaid}, Verb: string(VerbReopen), To: InvoiceOpen, Who: service},
				{From: []InvoiceStatus{InvoiceOpen}, Verb: string(VerbCredit), To: InvoiceCredited, Who: service},
				{From: []InvoiceStatus{InvoiceOpen}, Verb: string(VerbWriteOff), To: InvoiceLost, Who: service},
			},
		}, func(i *Invoice) *InvoiceStatus { return &i.State }),
	}
}

// keepDocument refuses changes of what an invoice says.
func keepDocument(_ context.Context, _ *resource.Resource[Invoice], c resource.Change[Invoice]) error {
	if c.Before != nil && (c.Verb == resource.Delete || !reflect.DeepEqual(c.Before.document(), c.After.document())) {
		return errImmutable
	}

	return nil
}

// document is what an invoice says, without what happened to it since.
func (i *Invoice) document() Invoice {
	return Invoice{
		Number: i.Number, Subscription: i.Subscription, Seller: i.Seller, Customer: i.Customer, IssuedOn: i.IssuedOn, Lines: i.Lines, Taxes: i.Taxes,
		Net: i.Net, Tax: i.Tax, Total: i.Total, Currency: i.Currency,
	}
}

// Money is an amount of the invoice.
func (i *Invoice) Money(a money.Amount) money.Money {
	return money.Money{Amount: a, Currency: i.Currency}
}

// balance recomputes what is left to pay.
func (i *Invoice) balance() error {
	left := i.Money(i.Total)
	for _, a := range []money.Amount{i.Paid, i.Credited, i.WrittenOff} {
		var err error
		if left, err = left.Sub(i.Money(a)); err != nil {
			return err
		}
	}
	i.Balance = left.Amount

	return nil
}

// Add adds to one of the amounts of an invoice, and recomputes its balance.
func (i *Invoice) Add(to *money.Amount, m money.Money) error {
	sum, err := i.Money(*to).Add(m)
	if err != nil {
		return err
	}
	*to = sum.Amount

	return i.balance()
}
