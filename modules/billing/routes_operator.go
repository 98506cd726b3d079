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

// counter serves the operator, who acts for companies.
type counter struct {
	subscriber *subscriber
	runner     *runner
}

func newCounter(s *subscriber, r *runner) *counter { return &counter{s, r} }

func operatorRoutes(r *web.Router, c *counter) {
	s := c.subscriber
	unknown := identity.ErrCompanyNotFound
	invoiceMissing := s.charges.bills.invoices.NotFound()
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/companies/{uuid}/subscription", ID: "read_company_subscription", Access: web.Read, Callers: web.OfOperator,
		Summary: "Read the subscription of a company", Errors: []*errs.Error{unknown, errNone},
	}, c.getSubscription)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/subscription", ID: "subscribe_company", Access: web.Write, Callers: web.OfOperator,
		Summary: "Subscribe a company to a plan", Description: "To any plan that is not archived.",
		Errors: s.moveErrors(unknown, errPlanNotFound, errPlanChoice, errPlanOff, errSubscribed, errSellerBuys),
	}, c.postSubscription)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/subscription/update", ID: "update_company_subscription", Access: web.Write, Callers: web.OfOperator,
		Summary: "Change the plan of a company", Description: "To any plan that is not archived.",
		Errors: s.moveErrors(unknown, errNone, errPlanNotFound, errPlanChoice, errPlanOff, errSamePlan, errCurrency, errNotActive, errOpenInvoice),
	}, c.postUpdate)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/companies/{uuid}/invoices", ID: "list_company_invoices", Access: web.Read, Callers: web.OfOperator,
		Summary: "List the invoices of a company", Errors: append(list.Errors, unknown),
	}, c.listInvoices)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/invoices/{invoice}/credit", ID: "credit_invoice", Access: web.Write, Callers: web.OfOperator,
		Summary: "Issue a credit note for an invoice", Description: "What was paid of it is given back: to the card, or by bank transfer if there is a reference.",
		Errors: s.moveErrors(unknown, invoiceMissing, errCredit, errUncreditable, errPaymentOpen, errRefundPending, errRefundByHand, money.ErrScale),
	}, c.postCredit)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/credit_notes/{credit_note}/record_refund", ID: "record_refund", Access: web.Write, Callers: web.OfOperator,
		Summary:     "Record that a credit note was paid out by bank transfer",
		Description: "For a credit note whose refund to the card failed: its refund_state is failed.",
		Errors:      s.moveErrors(unknown, s.charges.bills.credits.NotFound(), errRefundNotFailed),
	}, c.postRefund)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/invoices/{invoice}/record_payment", ID: "record_payment", Access: web.Write, Callers: web.OfOperator,
		Summary: "Record that an invoice was paid by bank transfer", Errors: s.moveErrors(unknown, invoiceMissing, errNothingToPay, errPaymentOpen),
	}, c.postPayment)
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
func (c *counter) actFor(ctx context.Context, company uuid.UUID) (context.Context, error) {
	if _, err := c.subscriber.office.companies.Company(ctx, company); err != nil {
		return ctx, err
	}
	who, _ := principal.From(ctx)
	who.Company = company

	return principal.With(ctx, who), nil
}

func (c *counter) getSubscription(ctx context.Context, in *companyInput) (*web.Resource[subscription], error) {
	ctx, err := c.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.subscriber.life.current(ctx)

	return c.subscriber.subscriptions.Answer(ctx, row, err)
}

type subscribeCompanyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Plan      uuid.UUID `json:"plan_uuid,omitzero" doc:"A version of a plan that is not archived."`
		Code      string    `json:"plan_code,omitempty" maxLength:"40" doc:"Instead of plan_uuid: the newest version of a code that is not archived." example:"pro"`
		SkipTrial bool      `json:"skip_trial,omitempty" doc:"Whether to begin with the first period."`
	}
}

func (c *counter) postSubscription(ctx context.Context, in *subscribeCompanyInput) (*web.Resource[subscription], error) {
	ctx, err := c.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	p, err := c.subscriber.plan(ctx, planChoice{in.Body.Plan, in.Body.Code})
	if err != nil {
		return nil, err
	}
	row, err := c.subscriber.subscribe(ctx, order{plan: p, skipTrial: in.Body.SkipTrial})

	return c.subscriber.subscriptions.Answer(ctx, row, err)
}

type updateCompanyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body updateBody
}

func (c *counter) postUpdate(ctx context.Context, in *updateCompanyInput) (*web.Resource[subscription], error) {
	ctx, err := c.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	sub, err := c.subscriber.life.current(ctx)
	if err != nil {
		return nil, err
	}
	w, err := c.subscriber.wish(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	row, err := c.subscriber.update(ctx, sub.ID, web.IfMatch{}, w)

	return c.subscriber.subscriptions.Answer(ctx, row, err)
}

type companyInvoicesInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (c *counter) listInvoices(ctx context.Context, in *companyInvoicesInput) (*list.Output[invoice], error) {
	ctx, err := c.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return c.subscriber.charges.bills.invoices.Listed(ctx, &in.Input, false)
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

func (c *counter) postCredit(ctx context.Context, in *creditInput) (*web.Resource[creditNote], error) {
	ctx, err := c.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.subscriber.creditInvoice(ctx, in.Invoice, credit{amount: in.Body.Amount, reason: in.Body.Reason, reference: in.Body.Reference})

	return c.subscriber.charges.bills.credits.Answer(ctx, row, err)
}

type recordRefundInput struct {
	UUID       uuid.UUID `path:"uuid" format:"uuid"`
	CreditNote uuid.UUID `path:"credit_note" format:"uuid"`
	Body       struct {
		Reference string `json:"refund_reference" minLength:"1" maxLength:"200" doc:"Reference of the bank transfer."`
	}
}

func (c *counter) postRefund(ctx context.Context, in *recordRefundInput) (*web.Resource[creditNote], error) {
	ctx, err := c.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.subscriber.recordRefund(ctx, in.CreditNote, in.Body.Reference)

	return c.subscriber.charges.bills.credits.Answer(ctx, row, err)
}

type recordPaymentInput struct {
	UUID    uuid.UUID `path:"uuid" format:"uuid"`
	Invoice uuid.UUID `path:"invoice" format:"uuid"`
	Body    struct {
		Reference string `json:"reference" minLength:"1" maxLength:"200" doc:"Reference of the bank transfer."`
	}
}

func (c *counter) postPayment(ctx context.Context, in *recordPaymentInput) (*web.Resource[payment], error) {
	ctx, err := c.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.subscriber.recordPayment(ctx, in.Invoice, in.Body.Reference)

	return c.subscriber.charges.payments.Answer(ctx, row, err)
}

type runOutput struct {
	Body struct {
		Done   int `json:"done" doc:"Number of subscriptions that were worked on."`
		Failed int `json:"failed" doc:"Number of subscriptions that failed, and are worked on an hour later. The log says why."`
	}
}

func (c *counter) postRun(ctx context.Context, _ *struct{}) (*runOutput, error) {
	if _, err := c.subscriber.charges.bills.house.sellers.required(ctx); err != nil {
		return nil, err
	}
	n, err := c.runner.run(ctx, runAtOnce)
	out := &runOutput{}
	out.Body.Done, out.Body.Failed = n.done, n.failed

	return out, err
}
