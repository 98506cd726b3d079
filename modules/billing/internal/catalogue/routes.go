package catalogue

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// PlanRoutes are the operations on plans.
func PlanRoutes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/plans", ID: "get_plans", Access: web.Read, Callers: web.OfBoth, Summary: "Get Plans",
		Description: "The newest version of each plan that companies can subscribe to by themselves, by price. The operator gets all versions of all plans.",
		Errors:      []*errs.Error{store.ErrNoSeller},
	}, d.list)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/public/plans", ID: "get_public_plans", Access: web.Public, Summary: "Get plans without a token",
		Description: "For sign-up pages. It is off unless `modules.billing.public_plans` is set.", Errors: []*errs.Error{store.ErrPlansPrivate},
	}, d.listPublic)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/plans", ID: "create_plan", Access: web.Write, Callers: web.OfOperator, Summary: "Create a plan, or a version of it",
		Description: "A plan never changes. A plan with the code of another one is its next version: subscribers keep the version that they have.",
		Errors:      []*errs.Error{store.ErrNoSeller, store.ErrInvalidPlan, store.ErrPlanTaken},
	}, d.create)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/plans/{uuid}", ID: "read_plan", Access: web.Read, Callers: web.OfBoth, Summary: "Read a version of a plan",
		Description: "Companies can read plans that are offered, and that of their subscription.", Errors: []*errs.Error{store.ErrPlanNotFound},
	}, d.read)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/plans/{uuid}", ID: "update_plan", Access: web.Write, Callers: web.OfOperator, Summary: "Offer a plan, or end the offer",
		Errors: []*errs.Error{store.ErrPlanNotFound},
	}, d.update)
}

// Desk serves what the operator sets up.
type Desk struct {
	settings store.Settings
	plans    *Plans
	sellers  *Sellers
	taxes    *Taxes
	tables   *store.Tables
}

// NewDesk returns a Desk.
func NewDesk(s store.Settings, p *Plans, sellers *Sellers, t *Taxes, all *store.Tables) *Desk {
	return &Desk{s, p, sellers, t, all}
}

type plansOutput struct {
	Body struct {
		Data []store.Plan `json:"data" nullable:"false"`
	}
}

func (d *Desk) list(ctx context.Context, _ *struct{}) (*plansOutput, error) {
	all, err := d.plans.all(ctx)
	out := &plansOutput{}
	if out.Body.Data = all; !isOperator(ctx) {
		out.Body.Data = newest(all, store.Plan.Offered)
	}

	return out, err
}

func (d *Desk) listPublic(ctx context.Context, _ *struct{}) (*plansOutput, error) {
	if !d.settings.PublicPlans {
		return nil, store.ErrPlansPrivate
	}
	all, err := d.plans.all(ctx)
	out := &plansOutput{}
	out.Body.Data = newest(all, store.Plan.Offered)

	return out, err
}

type createPlanInput struct {
	Body struct {
		Code        string           `json:"code" maxLength:"40" doc:"The same for all versions of a plan." example:"pro"`
		Name        string           `json:"name" maxLength:"100" example:"Pro"`
		Description string           `json:"description,omitempty" maxLength:"2000"`
		Interval    terms.Interval   `json:"interval" enum:"month,year"`
		Price       money.Amount     `json:"price" doc:"For an interval, without tax."`
		Currency    money.Currency   `json:"currency"`
		TrialDays   int64            `json:"trial_days,omitempty" minimum:"0" maximum:"365"`
		Features    store.Grants     `json:"features,omitzero"`
		Limits      map[string]int64 `json:"limits,omitempty" maxProperties:"50" doc:"By name: users. What is absent is not limited." example:"{\"users\":5}"`
		Public      bool             `json:"public,omitempty" doc:"Whether companies can subscribe to it by themselves."`
	}
}

type planOutput struct{ Body store.Plan }

func (d *Desk) create(ctx context.Context, in *createPlanInput) (*planOutput, error) {
	b := in.Body
	p, err := d.plans.create(ctx, store.Plan{
		Code: b.Code, Name: b.Name, Description: b.Description, Interval: b.Interval, Price: b.Price, Currency: b.Currency, TrialDays: b.TrialDays,
		Features: resource.JSON[store.Grants]{V: b.Features}, Limits: resource.JSON[store.Limits]{V: b.Limits}, Public: b.Public,
	})
	if err != nil {
		return nil, err
	}

	return &planOutput{p}, nil
}

type planInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (d *Desk) read(ctx context.Context, in *planInput) (*planOutput, error) {
	p, err := d.plans.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	if !isOperator(ctx) && !p.Offered() {
		sub, err := d.tables.Current(ctx)
		if errs.KindOf(err) == errs.NotFound || err == nil && sub.Plan != p.ID && (sub.NextPlan == nil || *sub.NextPlan != p.ID) {
			return nil, store.ErrPlanNotFound
		}
		if err != nil {
			return nil, err
		}
	}

	return &planOutput{p}, nil
}

type updatePlanInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Public   web.Sent[bool] `json:"public,omitzero"`
		Archived web.Sent[bool] `json:"archived,omitzero" doc:"Whether new subscriptions are closed. Subscribers keep it."`
	}
}

func (d *Desk) update(ctx context.Context, in *updatePlanInput) (*planOutput, error) {
	p, err := d.plans.change(ctx, in.UUID, func(p *store.Plan, now time.Time) {
		p.Public = in.Body.Public.ValueOr(p.Public)
		switch archived := in.Body.Archived.ValueOr(p.ArchivedAt != nil); {
		case !archived:
			p.ArchivedAt = nil
		case p.ArchivedAt == nil:
			p.ArchivedAt = &now
		}
	})
	if err != nil {
		return nil, err
	}

	return &planOutput{p}, nil
}

// SellerRoutes are the operator's operations on the seller and the tax rates.
func SellerRoutes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/seller", ID: "read_seller", Access: web.Read, Callers: web.OfOperator, Summary: "Read who sells subscriptions",
		Errors: []*errs.Error{store.ErrNoSeller},
	}, func(ctx context.Context, _ *struct{}) (*sellerOutput, error) {
		s, err := d.sellers.Required(ctx)
		if err != nil {
			return nil, err
		}

		return &sellerOutput{s}, nil
	})
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/seller", ID: "save_seller", Access: web.Write, Callers: web.OfOperator, Summary: "Set who sells subscriptions",
		Description: "The company is the operator's own: the ledger, the numbers of invoices and the card account are its own. It cannot change once invoices were issued.",
		Errors:      []*errs.Error{store.ErrInvalidSeller},
	}, func(ctx context.Context, in *sellerInput) (*sellerOutput, error) {
		b := in.Body
		s, err := d.sellers.save(ctx, store.Seller{House: b.Company, Name: b.Name, Address: b.Address, TaxID: b.TaxID, Email: string(b.Email)})
		if err != nil {
			return nil, err
		}

		return &sellerOutput{s}, nil
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/tax_rates", ID: "list_tax_rates", Access: web.Read, Callers: web.OfOperator, Summary: "List tax rates",
		Errors: []*errs.Error{store.ErrNoSeller},
	}, func(ctx context.Context, _ *struct{}) (*taxRatesOutput, error) {
		all, err := d.taxes.All(ctx)
		out := &taxRatesOutput{}
		out.Body.Data = all

		return out, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/tax_rates", ID: "create_tax_rate", Access: web.Write, Callers: web.OfOperator, Summary: "Create a tax rate",
		Description: "It applies to invoices of customers with an address in the country, and in the state if there is one.",
		Errors:      []*errs.Error{store.ErrInvalidTaxRate, store.ErrTaxTaken},
	}, func(ctx context.Context, in *taxRateInput) (*taxRateOutput, error) {
		b := in.Body
		rate, err := d.taxes.create(ctx, store.TaxRate{
			Code: b.Code, Name: b.Name, Percent: b.Percent, Country: b.Country, State: b.State, From: b.From, Until: b.Until,
		})
		if err != nil {
			return nil, err
		}

		return &taxRateOutput{rate}, nil
	})
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/tax_rates/{uuid}", ID: "update_tax_rate", Access: web.Write, Callers: web.OfOperator, Summary: "End a tax rate",
		Errors: []*errs.Error{store.ErrInvalidTaxRate, store.ErrTaxNotFound, store.ErrTaxTaken},
	}, func(ctx context.Context, in *endTaxInput) (*taxRateOutput, error) {
		rate, err := d.taxes.end(ctx, in.UUID, in.Body.Until)
		if err != nil {
			return nil, err
		}

		return &taxRateOutput{rate}, nil
	})
}

type sellerInput struct {
	Body struct {
		Company uuid.UUID   `json:"company_uuid" format:"uuid"`
		Name    string      `json:"name" minLength:"1" maxLength:"200" example:"Sample Dispatch Software Inc."`
		Address string      `json:"address,omitempty" maxLength:"1000" doc:"Lines as invoices show them."`
		TaxID   string      `json:"tax_id,omitempty" maxLength:"50"`
		Email   field.Email `json:"email,omitempty"`
	}
}

type sellerOutput struct{ Body store.Seller }

type taxRateInput struct {
	Body struct {
		Code    string       `json:"code" maxLength:"40" example:"gst"`
		Name    string       `json:"name" maxLength:"100" example:"GST"`
		Percent money.Amount `json:"percent" doc:"Up to 4 decimal places." example:"9.975"`
		Country string       `json:"country" maxLength:"2" example:"CA"`
		State   string       `json:"state,omitempty" maxLength:"50" example:"QC"`
		From    field.Date   `json:"from,omitempty"`
		Until   field.Date   `json:"until,omitempty"`
	}
}

type endTaxInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Until field.Date `json:"until" doc:"The day after the last one; null for none."`
	}
}

type taxRateOutput struct{ Body store.TaxRate }

type taxRatesOutput struct {
	Body struct {
		Data []store.TaxRate `json:"data" nullable:"false"`
	}
}
