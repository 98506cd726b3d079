package operator

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/invoicing"
	"github.com/dispatchd/dispatchd/modules/billing/internal/paying"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Invoices answer the operator's operations on invoices of companies.
type Invoices struct {
	acting  *Acting
	tables  *store.Tables
	cashier *paying.Cashier
	credits *paying.Creditor
}

// NewInvoices returns Invoices.
func NewInvoices(a *Acting, t *store.Tables, c *paying.Cashier, credits *paying.Creditor) *Invoices {
	return &Invoices{acting: a, tables: t, cashier: c, credits: credits}
}

// InvoiceRoutes are the operator's operations on invoices of companies.
func InvoiceRoutes(r *web.Router, c *Invoices) {
	unknown := identity.ErrCompanyNotFound
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/companies/{uuid}/invoices", ID: "list_company_invoices", Access: web.Read, Callers: web.OfOperator,
		Summary: "List the invoices of a company", Errors: append(list.Errors, unknown),
	}, c.listInvoices)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/invoices/{invoice}/credit", ID: "credit_invoice", Access: web.Write, Callers: web.OfOperator,
		Summary: "Issue a credit note for an invoice", Description: "What was paid of it is given back: to the card, or by bank transfer if there is a reference.",
		Errors: c.tables.MoveErrors(
			unknown, c.tables.Invoices.NotFound(), store.ErrInvalidCredit, store.ErrNotCreditable, store.ErrPaymentPending, store.ErrRefundPending,
			store.ErrRefundByHand, money.ErrScale,
		),
	}, c.postCredit)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/credit_notes/{credit_note}/record_refund", ID: "record_refund", Access: web.Write, Callers: web.OfOperator,
		Summary:     "Record that a credit note was paid out by bank transfer",
		Description: "For a credit note whose refund to the card failed: its refund_state is failed.",
		Errors:      c.tables.MoveErrors(unknown, c.tables.Credits.NotFound(), store.ErrRefundNotFailed),
	}, c.postRefund)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/invoices/{invoice}/record_payment", ID: "record_payment", Access: web.Write, Callers: web.OfOperator,
		Summary: "Record that an invoice was paid by bank transfer",
		Errors:  c.tables.MoveErrors(unknown, c.tables.Invoices.NotFound(), store.ErrNothingToPay, store.ErrPaymentPending),
	}, c.postPayment)
}

type companyInvoicesInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (c *Invoices) listInvoices(ctx context.Context, in *companyInvoicesInput) (*list.Output[store.Invoice], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return c.tables.Invoices.Listed(ctx, &in.Input, false)
}

type creditInput struct {
	UUID    uuid.UUID `path:"uuid" format:"uuid"`
	Invoice uuid.UUID `path:"invoice" format:"uuid"`
	Body    struct {
		Amount    money.Amount `json:"amount,omitempty" doc:"With taxes; all that is left if absent."`
		Reason    string       `json:"reason" minLength:"1" maxLength:"500"`
		Reference string       `json:"refund_reference,omitempty" maxLength:"200" doc:"Reference of the bank transfer by which what was paid was given back."`
	}
}

func (c *Invoices) postCredit(ctx context.Context, in *creditInput) (*web.Resource[store.CreditNote], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.credits.Credit(ctx, in.Invoice, invoicing.Credit{Amount: in.Body.Amount, Reason: in.Body.Reason, Reference: in.Body.Reference})

	return c.tables.Credits.Answer(ctx, row, err)
}

type recordRefundInput struct {
	UUID       uuid.UUID `path:"uuid" format:"uuid"`
	CreditNote uuid.UUID `path:"credit_note" format:"uuid"`
	Body       struct {
		Reference string `json:"refund_reference" minLength:"1" maxLength:"200" doc:"Reference of the bank transfer."`
	}
}

func (c *Invoices) postRefund(ctx context.Context, in *recordRefundInput) (*web.Resource[store.CreditNote], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.credits.RecordRefund(ctx, in.CreditNote, in.Body.Reference)

	return c.tables.Credits.Answer(ctx, row, err)
}

type recordPaymentInput struct {
	UUID    uuid.UUID `path:"uuid" format:"uuid"`
	Invoice uuid.UUID `path:"invoice" format:"uuid"`
	Body    struct {
		Reference string `json:"reference" minLength:"1" maxLength:"200" doc:"Reference of the bank transfer."`
	}
}

func (c *Invoices) postPayment(ctx context.Context, in *recordPaymentInput) (*web.Resource[store.Payment], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.cashier.RecordPayment(ctx, in.Invoice, in.Body.Reference)

	return c.tables.Payments.Answer(ctx, row, err)
}
