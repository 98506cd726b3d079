package subscriptions

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/billing/internal/catalogue"
	"github.com/dispatchd/dispatchd/modules/billing/internal/invoicing"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Previews say what subscriptions and changes of them would cost.
type Previews struct {
	tables  *store.Tables
	plans   *catalogue.Plans
	life    *Life
	bills   *invoicing.Bills
	drafter *invoicing.Drafter
}

// NewPreviews returns Previews.
func NewPreviews(t *store.Tables, p *catalogue.Plans, l *Life, b *invoicing.Bills, d *invoicing.Drafter) *Previews {
	return &Previews{tables: t, plans: p, life: l, bills: b, drafter: d}
}

// PreviewRoutes are the operations that say what a subscription would cost.
func PreviewRoutes(r *web.Router, p *Previews) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/preview", ID: "preview_subscription", Access: web.Write, Summary: "Preview a subscription",
		Description: "What subscribing would cost. Nothing is changed.",
		Errors:      []*errs.Error{store.ErrPlanNotFound, store.ErrInvalidPlanChoice, store.ErrPlanNotOffered, store.ErrNoSeller},
	}, p.postPreview)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/subscriptions/{uuid}/preview", ID: "preview_update", Access: web.Write, Summary: "Preview a change of plan",
		Description: "What the change would cost. Nothing is changed.",
		Errors: p.tables.MoveErrors(
			store.ErrPlanNotFound, store.ErrInvalidPlanChoice, store.ErrPlanNotOffered, store.ErrSamePlan, store.ErrCurrency, store.ErrNotActive,
			store.ErrInvoiceOpen,
		),
	}, p.postUpdatePreview)
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
func (s *Previews) preview(ctx context.Context, sub *store.Subscription, o outcome) (*previewOutput, error) {
	lines := o.lines
	if o.bill {
		lines = append(append([]terms.Line{}, sub.Pending.V...), lines...)
	}
	d, err := s.drafter.Draft(ctx, sub.Currency, lines, o.on)
	if err != nil {
		return nil, err
	}

	return &previewOutput{previewBody{
		When: o.when, EffectiveOn: o.on, BilledNow: o.bill, Lines: orNone(d.Billed), Taxes: orNone(d.Totals.Taxes), Net: d.Totals.Net.Amount,
		Tax: d.Totals.Tax.Amount, Total: d.Totals.Total.Amount, Currency: sub.Currency, CreditsLeft: orNone(d.Left), PeriodStart: sub.PeriodStart,
		PeriodEnd: sub.PeriodEnd, TrialEndsOn: sub.TrialEndsOn,
	}}, nil
}

func orNone[T any](all []T) []T {
	if all == nil {
		return []T{}
	}

	return all
}

type previewInput struct{ Body catalogue.PlanChoice }

func (s *Previews) postPreview(ctx context.Context, in *previewInput) (*previewOutput, error) {
	p, err := s.plans.Chosen(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	today, err := s.life.Today(ctx)
	if err != nil {
		return nil, err
	}
	trials, err := s.tables.Subscriptions.Count(ctx, "trial_ends_on IS NOT NULL")
	if err != nil {
		return nil, err
	}
	trial := p.TrialDays > 0 && trials == 0
	sub := begun(Order{Plan: p}, trial, today)
	o := outcome{when: atOnce, on: today}
	if !trial {
		o.bill, o.lines = true, planLine(&sub, p.Name)
	}

	return s.preview(ctx, &sub, o)
}

func (s *Previews) postUpdatePreview(ctx context.Context, in *updateInput) (*previewOutput, error) {
	sub, err := s.tables.Subscriptions.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	w, err := in.Body.Wish(ctx, s.plans)
	if err != nil {
		return nil, err
	}
	today, err := s.life.Today(ctx)
	if err != nil {
		return nil, err
	}
	if w.paid, err = s.bills.PaidFor(ctx, &sub); err != nil {
		return nil, err
	}
	o, err := w.decide(&sub, today)
	if err != nil {
		return nil, err
	}

	return s.preview(ctx, &sub, o)
}
