// Package pricing changes the prices, charges and payment plans of loads, and records payments.
package pricing

import (
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Prices changes what is paid for loads, and notes what was.
type Prices struct {
	loads *resource.Resource[store.Load]
	clock clock.Clock
}

// New returns Prices.
func New(loads *resource.Resource[store.Load], c clock.Clock) *Prices { return &Prices{loads, c} }

// Routes are the operations on what is paid.
func Routes(r *web.Router, s *Prices) {
	failures := []*errs.Error{s.loads.NotFound(), store.ErrInvalid, plan.ErrUnbalanced, plan.ErrLinePaid, loadsapi.ErrPlanFixed, store.ErrNotBookable}
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/loads/{uuid}/price", ID: "price_load", Access: web.Write, Summary: "Price a load as a whole",
		Description: "What the customer pays and the carrier gets in all. Less the charges of the load, the amounts are shared among the vehicles that are on it, to the cent.", Errors: failures,
	}, s.price)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/loads/{uuid}/charges", ID: "replace_load_charges", Access: web.Write, Summary: "Replace what is charged beside the transport",
		Description: "All charges of the load; those with the uuid of one that it has are that one. The totals follow, and so does the payment plan if it is by a template.", Errors: failures,
	}, s.putCharges)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/charges", ID: "add_load_charge", Access: web.Write, Summary: "Add a charge to a load",
		Description: "The charges that it has stay. The totals follow, and so does the payment plan: what the customer pays more is a payment of its own in a plan that people wrote.", Errors: failures,
	}, s.addCharge)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/loads/{uuid}/payment_plan", ID: "replace_payment_plan", Access: web.Write, Summary: "Write the payment plan of a load by hand",
		Description: "It must add up to the totals of the load. From then on it no longer follows a template.", Errors: failures,
	}, s.putPlan)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/payment_plan/propose", ID: "propose_payment_plan", Access: web.Write, Summary: "Make the payment plan of a load by a template",
		Description: "deposit_cod: the customer pays the fee as a deposit and the carrier the rest. full_pay: the customer pays the broker, who pays the carrier. carrier_pays_broker: the customer pays the carrier, who remits the fee. account: the customer is invoiced. The plan then follows the totals.",
		Errors:      failures,
	}, s.propose)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/payments", ID: "record_load_payment", Access: web.Write, Summary: "Record what was paid of a load",
		Description: "A payment of a line of the payment plan: by default all that is left of it, now, by its method. What was recorded is not changed: a negative amount takes it back, such as a check that bounced.",
		Errors:      append(failures, plan.ErrNoLine, plan.ErrPaid),
	}, s.pay)
}

type priceInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Tariff     money.Amount `json:"tariff,omitempty" example:"1100.00"`
		CarrierPay money.Amount `json:"carrier_pay,omitempty" example:"900.00"`
	}
}

func (s *Prices) price(ctx context.Context, in *priceInput) (*web.Resource[store.Load], error) {
	if in.Body.Tariff != "" || in.Body.CarrierPay != "" {
		if err := s.loads.MaySet(ctx, "tariff"); err != nil { // a refusal names the charges
			return nil, err
		}
	}

	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error { return l.PriceWhole(in.Body.Tariff, in.Body.CarrierPay) })
}

type putChargesInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Charges []store.Charge `json:"charges" maxItems:"100" nullable:"false"`
	}
}

func (s *Prices) putCharges(ctx context.Context, in *putChargesInput) (*web.Resource[store.Load], error) {
	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error {
		l.Charges.V = slices.Clone(in.Body.Charges)

		return nil
	})
}

type addChargeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body store.Charge
}

// mostCharges is how many charges a load has at most.
const mostCharges = 100

func (s *Prices) addCharge(ctx context.Context, in *addChargeInput) (*web.Resource[store.Load], error) {
	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error {
		if len(l.Charges.V) >= mostCharges {
			return store.ErrInvalid.WithField("charges", "A load has at most 100 charges.")
		}
		l.Charges.V = append(slices.Clone(l.Charges.V), in.Body)

		return nil
	})
}

type putPlanInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Lines []plan.Line `json:"payment_plan" maxItems:"12" nullable:"false"`
	}
}

func (s *Prices) putPlan(ctx context.Context, in *putPlanInput) (*web.Resource[store.Load], error) {
	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error {
		l.Plan.V, l.PlanTemplate = in.Body.Lines, ""

		return nil
	})
}

type proposeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Template string `json:"template" enum:"deposit_cod,full_pay,carrier_pays_broker,account"`
	}
}

func (s *Prices) propose(ctx context.Context, in *proposeInput) (*web.Resource[store.Load], error) {
	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error {
		l.PlanTemplate = in.Body.Template

		return nil
	})
}
