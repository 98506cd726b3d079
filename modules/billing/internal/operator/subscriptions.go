package operator

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/catalogue"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/subscriptions"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Subscriptions answer the operator's operations on subscriptions of companies.
type Subscriptions struct {
	acting      *Acting
	tables      *store.Tables
	plans       *catalogue.Plans
	subscribing *subscriptions.Subscriber
	changing    *subscriptions.Changer
}

// NewSubscriptions returns Subscriptions.
func NewSubscriptions(a *Acting, t *store.Tables, p *catalogue.Plans, s *subscriptions.Subscriber, c *subscriptions.Changer) *Subscriptions {
	return &Subscriptions{acting: a, tables: t, plans: p, subscribing: s, changing: c}
}

// SubscriptionRoutes are the operator's operations on subscriptions of companies.
func SubscriptionRoutes(r *web.Router, c *Subscriptions) {
	unknown := identity.ErrCompanyNotFound
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/companies/{uuid}/subscription", ID: "read_company_subscription", Access: web.Read, Callers: web.OfOperator,
		Summary: "Read the subscription of a company", Errors: []*errs.Error{unknown, store.ErrNoSubscription},
	}, c.getSubscription)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/subscription", ID: "subscribe_company", Access: web.Write, Callers: web.OfOperator,
		Summary: "Subscribe a company to a plan", Description: "To any plan that is not archived.",
		Errors: c.tables.MoveErrors(
			unknown, store.ErrPlanNotFound, store.ErrInvalidPlanChoice, store.ErrPlanNotOffered, store.ErrSubscribed, store.ErrSellerBuys,
		),
	}, c.postSubscription)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/subscription/update", ID: "update_company_subscription", Access: web.Write, Callers: web.OfOperator,
		Summary: "Change the plan of a company", Description: "To any plan that is not archived.",
		Errors: c.tables.MoveErrors(
			unknown, store.ErrNoSubscription, store.ErrPlanNotFound, store.ErrInvalidPlanChoice, store.ErrPlanNotOffered, store.ErrSamePlan,
			store.ErrCurrency, store.ErrNotActive, store.ErrInvoiceOpen,
		),
	}, c.postUpdate)
}

func (c *Subscriptions) getSubscription(ctx context.Context, in *companyInput) (*web.Resource[store.Subscription], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	row, err := c.tables.Current(ctx)

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

func (c *Subscriptions) postSubscription(ctx context.Context, in *subscribeCompanyInput) (*web.Resource[store.Subscription], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	p, err := c.plans.Chosen(ctx, catalogue.PlanChoice{Plan: in.Body.Plan, Code: in.Body.Code})
	if err != nil {
		return nil, err
	}
	row, err := c.subscribing.Subscribe(ctx, subscriptions.Order{Plan: p, SkipTrial: in.Body.SkipTrial})

	return c.tables.Subscriptions.Answer(ctx, row, err)
}

type updateCompanyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body subscriptions.UpdateBody
}

func (c *Subscriptions) postUpdate(ctx context.Context, in *updateCompanyInput) (*web.Resource[store.Subscription], error) {
	ctx, err := c.acting.actFor(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	sub, err := c.tables.Current(ctx)
	if err != nil {
		return nil, err
	}
	w, err := in.Body.Wish(ctx, c.plans)
	if err != nil {
		return nil, err
	}
	row, err := c.changing.Update(ctx, sub.ID, web.IfMatch{}, w)

	return c.tables.Subscriptions.Answer(ctx, row, err)
}
