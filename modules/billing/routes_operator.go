package billing

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// acting has the operator act for companies.
type acting struct{ companies *identity.Service }

func newActing(companies *identity.Service) *acting { return &acting{companies: companies} }

// operatorSubscriptions answer the operator's operations on subscriptions of companies.
type operatorSubscriptions struct {
	acting      *acting
	tables      *tables
	plans       *plans
	subscribing *subscribing
	changing    *changing
}

func newOperatorSubscriptions(a *acting, t *tables, p *plans, s *subscribing, c *changing) *operatorSubscriptions {
	return &operatorSubscriptions{acting: a, tables: t, plans: p, subscribing: s, changing: c}
}

func operatorSubscriptionRoutes(r *web.Router, c *operatorSubscriptions) {
	unknown := identity.ErrCompanyNotFound
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/companies/{uuid}/subscription", ID: "read_company_subscription", Access: web.Read, Callers: web.OfOperator,
		Summary: "Read the subscription of a company", Errors: []*errs.Error{unknown, errNone},
	}, c.getSubscription)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/subscription", ID: "subscribe_company", Access: web.Write, Callers: web.OfOperator,
		Summary: "Subscribe a company to a plan", Description: "To any plan that is not archived.",
		Errors: c.tables.moveErrors(unknown, errPlanNotFound, errPlanChoice, errPlanOff, errSubscribed, errSellerBuys),
	}, c.postSubscription)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/subscription/update", ID: "update_company_subscription", Access: web.Write, Callers: web.OfOperator,
		Summary: "Change the plan of a company", Description: "To any plan that is not archived.",
		Errors: c.tables.moveErrors(unknown, errNone, errPlanNotFound, errPlanChoice, errPlanOff, errSamePlan, errCurrency, errNotActive, errOpenInvoice),
	}, c.postUpdate)
}

// operatorInvoices answer the operator's operations on invoices of companies.
type operatorInvoices struct {
	acting  *acting
	tables  *tables
	cashier *cashier
}

func newOperatorInvoices(a *acting, t *tables, c *cashier) *operatorInvoices {
	return &operatorInvoices{acting: a, tables: t, cashier: c}
}

func operatorInvoiceRoutes(r *web.Router, c *operatorInvoices) {
	unknown := identity.ErrCompanyNotFound
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/companies/{uuid}/invoices", ID: "list_company_invoices", Access: web.Read, Callers: web.OfOperator,
		Summary: "List the invoices of a company", Errors: append(list.Errors, unknown),
	}, c.listInvoices)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/invoices/{invoice}/credit", ID: "credit_invoice", Access: web.Write, Callers: web.OfOperator,
		Summary: "Issue a credit note for an invoice", Description: "What was paid of it is given back: to the card, or by bank transfer if there is a reference.",
		Errors: c.tables.moveErrors(unknown, c.tables.Invoices.NotFound(), errCredit, errUncreditable, errPaymentOpen, errRefundPending, errRefundByHand, money.ErrScale),
	}, c.postCredit)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/credit_notes/{credit_note}/record_refund", ID: "record_refund", Access: web.Write, Callers: web.OfOperator,
		Summary:     "Record that a credit note was paid out by bank transfer",
		Description: "For a credit note whose refund to the card failed: its refund_state is failed.",
		Errors:      c.tables.moveErrors(unknown, c.tables.Credits.NotFound(), errRefundNotFailed),
	}, c.postRefund)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/invoices/{invoice}/record_payment", ID: "record_payment", Access: web.Write, Callers: web.OfOperator,
		Summary: "Record that an invoice was paid by bank transfer", Errors: c.tables.moveErrors(unknown, c.tables.Invoices.NotFound(), errNothingToPay, errPaymentOpen),
	}, c.postPayment)
}

// runs does what is due at once, for the operator.
type runs struct {
	house  *house
	runner *runner
}

func newRuns(h *house, r *runner) *runs { return &runs{house: h, runner: r} }

func runRoutes(r *web.Router, c *runs) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/run", ID: "run", Access: web.Write, Callers: web.OfOperator,
		Summary:     "Renew, charge and end the subscriptions that are due",
		Description: "A job does so every 5 minutes. Up to 500 subscriptions are worked on: repeat it until none is left.",
		Errors:      []*errs.Error{errNoSeller},
	}, c.postRun)
}

type companyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

// actFor returns a context in which the operator acts for a company that exists.
func (a *acting) actFor(ctx context.Context, company uuid.UUID) (context.Context, error) {
	if _, err := a.companies.Company(ctx, company); err != nil {
		return ctx, err
	}
	who, _ := principal.From(ctx)
	who.Company = company

	return principal.With(ctx, who), nil
}

func (c *operatorSubscriptions) getSubscription(ctx context.Context, in *companyInput) (*web.Resource[subscription], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.tables.current(ctx)

	return c.tables.Subscriptions.Answer(ctx, row, err)
}

type subscribeCompanyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Plan      uuid.UUID `json:"plan_uuid,omitzero" doc:"A version of a plan that is not archived."`
		Code      string    `json:"plan_code,omitempty" maxLength:"40" doc:"Instead of plan_uuid: the newest version of a code that is not archived." example:"pro"`
		SkipTrial bool      `json:"skip_trial,omitempty" doc:"Whether to begin with the first period."`
	}
}

func (c *operatorSubscriptions) postSubscription(ctx context.Context, in *subscribeCompanyInput) (*web.Resource[subscription], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	p, err := c.plans.chosen(ctx, planChoice{in.Body.Plan, in.Body.Code})
	if err != nil {
		return nil, err
	}
	row, err := c.subscribing.subscribe(ctx, order{plan: p, skipTrial: in.Body.SkipTrial})

	return c.tables.Subscriptions.Answer(ctx, row, err)
}

type updateCompanyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body updateBody
}

func (c *operatorSubscriptions) postUpdate(ctx context.Context, in *updateCompanyInput) (*web.Resource[subscription], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	sub, err := c.tables.current(ctx)
	if err != nil {
		return nil, err
	}
	w, err := c.plans.wish(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	row, err := c.changing.update(ctx, sub.ID, web.IfMatch{}, w)

	return c.tables.Subscriptions.Answer(ctx, row, err)
}

type companyInvoicesInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (c *operatorInvoices) listInvoices(ctx context.Context, in *companyInvoicesInput) (*list.Output[invoice], error) {
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

func (c *operatorInvoices) postCredit(ctx context.Context, in *creditInput) (*web.Resource[creditNote], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.cashier.creditInvoice(ctx, in.Invoice, credit{amount: in.Body.Amount, reason: in.Body.Reason, reference: in.Body.Reference})

	return c.tables.Credits.Answer(ctx, row, err)
}

type recordRefundInput struct {
	UUID       uuid.UUID `path:"uuid" format:"uuid"`
	CreditNote uuid.UUID `path:"credit_note" format:"uuid"`
	Body       struct {
		Reference string `json:"refund_reference" minLength:"1" maxLength:"200" doc:"Reference of the bank transfer."`
	}
}

func (c *operatorInvoices) postRefund(ctx context.Context, in *recordRefundInput) (*web.Resource[creditNote], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.cashier.recordRefund(ctx, in.CreditNote, in.Body.Reference)

	return c.tables.Credits.Answer(ctx, row, err)
}

type recordPaymentInput struct {
	UUID    uuid.UUID `path:"uuid" format:"uuid"`
	Invoice uuid.UUID `path:"invoice" format:"uuid"`
	Body    struct {
		Reference string `json:"reference" minLength:"1" maxLength:"200" doc:"Reference of the bank transfer."`
	}
}

func (c *operatorInvoices) postPayment(ctx context.Context, in *recordPaymentInput) (*web.Resource[payment], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.cashier.recordPayment(ctx, in.Invoice, in.Body.Reference)

	return c.tables.Payments.Answer(ctx, row, err)
}

type runOutput struct {
	Body struct {
		Done   int `json:"done" doc:"Number of subscriptions that were worked on."`
		Failed int `json:"failed" doc:"Number of subscriptions that failed, and are worked on an hour later. The log says why."`
	}
}

func (c *runs) postRun(ctx context.Context, _ *struct{}) (*runOutput, error) {
	if _, err := c.house.seller(ctx); err != nil {
		return nil, err
	}
	n, err := c.runner.run(ctx, runAtOnce)
	out := &runOutput{}
	out.Body.Done, out.Body.Failed = n.done, n.failed

	return out, err
}
