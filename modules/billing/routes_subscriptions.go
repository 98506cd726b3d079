package billing

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// subscriptionHandlers answer the operations on subscriptions.
type subscriptionHandlers struct {
	tables      *tables
	plans       *plans
	subscribing *subscribing
	changing    *changing
}

func newSubscriptionHandlers(t *tables, p *plans, s *subscribing, c *changing) *subscriptionHandlers {
	return &subscriptionHandlers{tables: t, plans: p, subscribing: s, changing: c}
}

// previews say what subscriptions and changes of them would cost.
type previews struct {
	tables  *tables
	plans   *plans
	life    *life
	bills   *bills
	drafter *drafter
}

func newPreviews(t *tables, p *plans, l *life, b *bills, d *drafter) *previews {
	return &previews{tables: t, plans: p, life: l, bills: b, drafter: d}
}

func previewRoutes(r *web.Router, p *previews) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/preview", ID: "preview_subscription", Access: web.Write, Summary: "Preview a subscription",
		Description: "What subscribing would cost. Nothing is changed.", Errors: []*errs.Error{errPlanNotFound, errPlanChoice, errPlanOff, errNoSeller},
	}, p.postPreview)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/preview", ID: "preview_update", Access: web.Write, Summary: "Preview a change of plan",
		Description: "What the change would cost. Nothing is changed.",
		Errors:      p.tables.moveErrors(errPlanNotFound, errPlanChoice, errPlanOff, errSamePlan, errCurrency, errNotActive, errOpenInvoice),
	}, p.postUpdatePreview)
}

func subscriptionRoutes(r *web.Router, s *subscriptionHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions", ID: "subscribe", Access: web.Write, Summary: "Subscribe to a plan",
		Description: "A plan with a trial begins with it, once for a company. Otherwise the first invoice is charged: until it is paid, the subscription is incomplete.",
		Errors:      s.tables.moveErrors(errPlanNotFound, errPlanChoice, errPlanOff, errSubscribed, errSellerBuys, errCard),
	}, s.postSubscription)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/update", ID: "update_subscription", Access: web.Write, Summary: "Change the plan of a subscription",
		Description: "A cheaper plan takes effect at the end of the period, another one at once, unless `when` says otherwise. A plan with another interval begins a new period, and is billed at once.",
		Errors:      s.tables.moveErrors(errPlanNotFound, errPlanChoice, errPlanOff, errSamePlan, errCurrency, errNotActive, errOpenInvoice),
	}, s.postUpdate)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/cancel", ID: "cancel_subscription", Access: web.Write, Summary: "Cancel a subscription",
		Description: "At the end of the period, or at once. Nothing is given back for the rest of the period.",
		Errors:      s.tables.moveErrors(errPaymentOpen),
	}, s.postCancel)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/resume", ID: "resume_subscription", Access: web.Write, Summary: "Resume a subscription",
		Description: "Continues one that is paused, with the days that were left, or takes back that it is to be canceled.",
		Errors:      s.tables.moveErrors(errNotEnding),
	}, func(ctx context.Context, in *subscriptionInput) (*web.Resource[subscription], error) {
		row, err := s.changing.resume(ctx, in.UUID, in.IfMatch)

		return s.tables.Subscriptions.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/pause", ID: "pause_subscription", Access: web.Write, Summary: "Pause a subscription",
		Description: "Nothing is charged while it is paused, and the company uses only what every company has. The days of the period that are left are kept.",
		Errors:      s.tables.moveErrors(errOpenInvoice),
	}, s.postPause)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/payment_method", ID: "change_payment_method", Access: web.Write,
		Summary: "Change the payment method of a subscription", Description: "The card is charged at once for invoices that are open.",
		Errors: s.tables.moveErrors(errCard, errNone),
	}, s.postMethod)
}

// planChoice is a plan in the body of a request.
type planChoice struct {
	Plan uuid.UUID `json:"plan_uuid,omitzero" doc:"A version of a plan that is offered."`
	Code string    `json:"plan_code,omitempty" maxLength:"40" doc:"Instead of plan_uuid: the newest version of a code." example:"pro"`
}

// chosen returns the plan that was chosen, if companies can subscribe to it by themselves; the operator can choose any that is not archived.
func (s *plans) chosen(ctx context.Context, c planChoice) (plan, error) {
	may := plan.offered
	if isOperator(ctx) {
		may = plan.current
	}
	if c.Code != "" {
		return s.named(ctx, c.Code, may)
	}
	if c.Plan == uuid.Nil {
		const text = "`plan_uuid` or the `plan_code` is required."

		return plan{}, errPlanChoice.WithField("plan_uuid", text).WithField("plan_code", text)
	}
	p, err := s.find(ctx, c.Plan)
	if err == nil && !may(p) {
		err = errPlanOff
	}

	return p, err
}

type subscribeInput struct {
	Body struct {
		Plan      uuid.UUID `json:"plan_uuid,omitzero" doc:"A version of a plan that is offered."`
		Code      string    `json:"plan_code,omitempty" maxLength:"40" doc:"Instead of plan_uuid: the newest version of a code." example:"pro"`
		Card      string    `json:"card_uuid,omitempty" maxLength:"36" doc:"A card of /cards."`
		SkipTrial bool      `json:"skip_trial,omitempty" doc:"Whether to begin with the first period."`
	}
}

func (s *subscriptionHandlers) postSubscription(ctx context.Context, in *subscribeInput) (*web.Resource[subscription], error) {
	p, err := s.plans.chosen(ctx, planChoice{in.Body.Plan, in.Body.Code})
	if err != nil {
		return nil, err
	}
	row, err := s.subscribing.subscribe(ctx, order{plan: p, card: in.Body.Card, skipTrial: in.Body.SkipTrial})

	return s.tables.Subscriptions.Answer(ctx, row, err)
}

// previewBody is what a change of a subscription would cost.
type previewBody struct {
	When        string         `json:"when" enum:"now,period_end" doc:"When the plan takes effect."`
	EffectiveOn field.Date     `json:"effective_on"`
	BilledNow   bool           `json:"billed_now" doc:"Whether an invoice would be issued at once; otherwise the lines would be part of the next one."`
	Lines       []terms.Line   `json:"lines" nullable:"false"`
	Taxes       []terms.Tax    `json:"taxes" nullable:"false"`
	Net         money.Amount   `json:"net"`
	Tax         money.Amount   `json:"tax"`
	Total       money.Amount   `json:"total"`
	Currency    money.Currency `json:"currency"`
	CreditsLeft []terms.Line   `json:"credits_left" nullable:"false" doc:"Credits that would be left for later invoices."`
	PeriodStart field.Date     `json:"period_start"`
	PeriodEnd   field.Date     `json:"period_end"`
	TrialEndsOn field.Date     `json:"trial_ends_on"`
}

// SchemaName implements web.SchemaNamer.
func (previewBody) SchemaName() string { return "SubscriptionPreview" }

type previewOutput struct{ Body previewBody }

// preview adds up what a change would cost.
func (s *previews) preview(ctx context.Context, sub *subscription, o outcome) (*previewOutput, error) {
	lines := o.lines
	if o.bill {
		lines = append(append([]terms.Line{}, sub.Pending.V...), lines...)
	}
	d, err := s.drafter.draft(ctx, sub.Currency, lines, o.on)
	if err != nil {
		return nil, err
	}

	return &previewOutput{previewBody{
		When: o.when, EffectiveOn: o.on, BilledNow: o.bill, Lines: orNone(d.billed), Taxes: orNone(d.totals.Taxes), Net: d.totals.Net.Amount,
		Tax: d.totals.Tax.Amount, Total: d.totals.Total.Amount, Currency: sub.Currency, CreditsLeft: orNone(d.left), PeriodStart: sub.PeriodStart,
		PeriodEnd: sub.PeriodEnd, TrialEndsOn: sub.TrialEndsOn,
	}}, nil
}

func orNone[T any](all []T) []T {
	if all == nil {
		return []T{}
	}

	return all
}

type previewInput struct{ Body planChoice }

func (s *previews) postPreview(ctx context.Context, in *previewInput) (*previewOutput, error) {
	p, err := s.plans.chosen(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	today, err := s.life.today(ctx)
	if err != nil {
		return nil, err
	}
	trials, err := s.tables.Subscriptions.Count(ctx, "trial_ends_on IS NOT NULL")
	if err != nil {
		return nil, err
	}
	trial := p.TrialDays > 0 && trials == 0
	sub := begun(order{plan: p}, trial, today)
	o := outcome{when: atOnce, on: today}
	if !trial {
		o.bill, o.lines = true, planLine(&sub, p.Name)
	}

	return s.preview(ctx, &sub, o)
}

type updateBody struct {
	Plan      uuid.UUID       `json:"plan_uuid,omitzero" doc:"A version of a plan that is offered."`
	Code      string          `json:"plan_code,omitempty" maxLength:"40" doc:"Instead of plan_uuid: the newest version of a code." example:"pro"`
	Proration terms.Proration `json:"proration,omitempty" enum:"next,now,none" default:"next" doc:"Whether what is left of the period is charged and credited on the next invoice, at once, or not."`
	When      string          `json:"when,omitempty" enum:"now,period_end" doc:"When the plan takes effect; by default a cheaper one at the end of the period, another one at once."`
}

// SchemaName implements web.SchemaNamer.
func (updateBody) SchemaName() string { return "SubscriptionUpdate" }

type updateInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body updateBody
}

func (s *plans) wish(ctx context.Context, b updateBody) (wish, error) {
	p, err := s.chosen(ctx, planChoice{b.Plan, b.Code})
	if b.Proration == "" {
		b.Proration = terms.ProrateNext
	}

	return wish{plan: p, proration: b.Proration, when: b.When}, err
}

func (s *previews) postUpdatePreview(ctx context.Context, in *updateInput) (*previewOutput, error) {
	sub, err := s.tables.Subscriptions.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	w, err := s.plans.wish(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	today, err := s.life.today(ctx)
	if err != nil {
		return nil, err
	}
	if w.paid, err = s.bills.paidFor(ctx, &sub); err != nil {
		return nil, err
	}
	o, err := w.decide(&sub, today)
	if err != nil {
		return nil, err
	}

	return s.preview(ctx, &sub, o)
}

func (s *subscriptionHandlers) postUpdate(ctx context.Context, in *updateInput) (*web.Resource[subscription], error) {
	if _, err := s.tables.Subscriptions.Find(ctx, in.UUID); err != nil { // before the plan is looked up
		return nil, err
	}
	w, err := s.plans.wish(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	row, err := s.changing.update(ctx, in.UUID, in.IfMatch, w)

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

func (s *subscriptionHandlers) postCancel(ctx context.Context, in *cancelInput) (*web.Resource[subscription], error) {
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

func (s *subscriptionHandlers) postPause(ctx context.Context, in *pauseInput) (*web.Resource[subscription], error) {
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

func (s *subscriptionHandlers) postMethod(ctx context.Context, in *methodInput) (*web.Resource[subscription], error) {
	row, err := s.changing.changeMethod(ctx, in.UUID, in.IfMatch, in.Body.Card)

	return s.tables.Subscriptions.Answer(ctx, row, err)
}
