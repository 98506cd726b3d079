package subscriptions

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/catalogue"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Handlers answer the operations on subscriptions.
type Handlers struct {
	tables      *store.Tables
	plans       *catalogue.Plans
	subscribing *Subscriber
	changing    *Changer
}

// NewHandlers returns Handlers.
func NewHandlers(t *store.Tables, p *catalogue.Plans, s *Subscriber, c *Changer) *Handlers {
	return &Handlers{tables: t, plans: p, subscribing: s, changing: c}
}

// Routes are the operations on subscriptions.
func Routes(r *web.Router, s *Handlers) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions", ID: "subscribe", Access: web.Write, Summary: "Subscribe to a plan",
		Description: "A plan with a trial begins with it, once for a company. Otherwise the first invoice is charged: until it is paid, the subscription is incomplete.",
		Errors: s.tables.MoveErrors(
			store.ErrPlanNotFound, store.ErrInvalidPlanChoice, store.ErrPlanNotOffered, store.ErrSubscribed, store.ErrSellerBuys,
			store.ErrCardNotFound,
		),
	}, s.postSubscription)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/update", ID: "update_subscription", Access: web.Write, Summary: "Change the plan of a subscription",
		Description: "A cheaper plan takes effect at the end of the period, another one at once, unless `when` says otherwise. A plan with another interval begins a new period, and is billed at once.",
		Errors: s.tables.MoveErrors(
			store.ErrPlanNotFound, store.ErrInvalidPlanChoice, store.ErrPlanNotOffered, store.ErrSamePlan, store.ErrCurrency, store.ErrNotActive,
			store.ErrInvoiceOpen,
		),
	}, s.postUpdate)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/cancel", ID: "cancel_subscription", Access: web.Write, Summary: "Cancel a subscription",
		Description: "At the end of the period, or at once. Nothing is given back for the rest of the period.",
		Errors:      s.tables.MoveErrors(store.ErrPaymentPending),
	}, s.postCancel)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/resume", ID: "resume_subscription", Access: web.Write, Summary: "Resume a subscription",
		Description: "Continues one that is paused, with the days that were left, or takes back that it is to be canceled.",
		Errors:      s.tables.MoveErrors(store.ErrNotEnding),
	}, func(ctx context.Context, in *subscriptionInput) (*web.Resource[store.Subscription], error) {
		row, err := s.changing.resume(ctx, in.UUID, in.IfMatch)

		return s.tables.Subscriptions.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/pause", ID: "pause_subscription", Access: web.Write, Summary: "Pause a subscription",
		Description: "Nothing is charged while it is paused, and the company uses only what every company has. The days of the period that are left are kept.",
		Errors:      s.tables.MoveErrors(store.ErrInvoiceOpen),
	}, s.postPause)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/payment_method", ID: "change_payment_method", Access: web.Write,
		Summary: "Change the payment method of a subscription", Description: "The card is charged at once for invoices that are open.",
		Errors: s.tables.MoveErrors(store.ErrCardNotFound, store.ErrNoSubscription),
	}, s.postMethod)
}

type subscribeInput struct {
	Body struct {
		Plan      uuid.UUID `json:"plan_uuid,omitzero" doc:"A version of a plan that is offered."`
		Code      string    `json:"plan_code,omitempty" maxLength:"40" doc:"Instead of plan_uuid: the newest version of a code." example:"pro"`
		Card      string    `json:"card_uuid,omitempty" maxLength:"36" doc:"A card of /cards."`
		SkipTrial bool      `json:"skip_trial,omitempty" doc:"Whether to begin with the first period."`
	}
}

func (s *Handlers) postSubscription(ctx context.Context, in *subscribeInput) (*web.Resource[store.Subscription], error) {
	p, err := s.plans.Chosen(ctx, catalogue.PlanChoice{Plan: in.Body.Plan, Code: in.Body.Code})
	if err != nil {
		return nil, err
	}
	row, err := s.subscribing.Subscribe(ctx, Order{Plan: p, Card: in.Body.Card, SkipTrial: in.Body.SkipTrial})

	return s.tables.Subscriptions.Answer(ctx, row, err)
}

type updateInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body UpdateBody
}

func (s *Handlers) postUpdate(ctx context.Context, in *updateInput) (*web.Resource[store.Subscription], error) {
	if _, err := s.tables.Subscriptions.Find(ctx, in.UUID); err != nil { // before the plan is looked up
		return nil, err
	}
	w, err := in.Body.Wish(ctx, s.plans)
	if err != nil {
		return nil, err
	}
	row, err := s.changing.Update(ctx, in.UUID, in.IfMatch, w)

	return s.tables.Subscriptions.Answer(ctx, row, err)
}

type subscriptionInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type cancelInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		When   string `json:"when,omitempty" enum:"now,period_end" default:"period_end"`
		Reason string `json:"reason,omitempty" maxLength:"1000"`
	}
}

func (s *Handlers) postCancel(ctx context.Context, in *cancelInput) (*web.Resource[store.Subscription], error) {
	row, err := s.changing.cancel(ctx, in.UUID, in.IfMatch, in.Body.When != atOnce, in.Body.Reason)

	return s.tables.Subscriptions.Answer(ctx, row, err)
}

type pauseInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason,omitempty" maxLength:"1000"`
	}
}

func (s *Handlers) postPause(ctx context.Context, in *pauseInput) (*web.Resource[store.Subscription], error) {
	row, err := s.changing.pause(ctx, in.UUID, in.IfMatch, in.Body.Reason)

	return s.tables.Subscriptions.Answer(ctx, row, err)
}

type methodInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Card string `json:"card_uuid" maxLength:"36" doc:"A card of /cards."`
	}
}

func (s *Handlers) postMethod(ctx context.Context, in *methodInput) (*web.Resource[store.Subscription], error) {
	row, err := s.changing.changeMethod(ctx, in.UUID, in.IfMatch, in.Body.Card)

	return s.tables.Subscriptions.Answer(ctx, row, err)
}
