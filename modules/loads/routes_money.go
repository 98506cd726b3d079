package loads

import (
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

func moneyRoutes(r *web.Router, s *service) {
	failures := []*errs.Error{s.loads.NotFound(), errInvalid, plan.ErrUnbalanced, plan.ErrLinePaid, loadsapi.ErrPlanFixed, errNotBookable}
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

func (s *service) price(ctx context.Context, in *priceInput) (*web.Resource[load], error) {
	if in.Body.Tariff != "" || in.Body.CarrierPay != "" {
		if err := s.loads.MaySet(ctx, "tariff"); err != nil { // a refusal names the charges
			return nil, err
		}
	}

	return s.change(ctx, in.UUID, in.IfMatch, func(l *load) error { return l.priceWhole(in.Body.Tariff, in.Body.CarrierPay) })
}

// priceWhole sets the totals of a load; "" leaves one. The vehicles share what the charges leave of it.
func (l *load) priceWhole(tariff, pay money.Amount) error {
	wrong := errInvalid
	charged, chargedPay := l.charged()
	for _, one := range []struct {
		name  string
		whole *money.Amount
		less  int64
	}{{"tariff", &tariff, charged}, {"carrier_pay", &pay, chargedPay}} {
		n, ok := l.units(*one.whole)
		switch {
		case *one.whole == "" || !ok: // share refuses it
		case n < one.less:
			wrong = wrong.WithField(one.name, "The charges of the load are "+string(l.amountOf(one.less))+" of it already. Give at least that, or change the charges.")
		default:
			*one.whole = l.amountOf(n - one.less)
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return l.share(tariff, pay)
}

// charged is what the charges add to what the customer pays, and to what the carrier gets, in units.
func (l *load) charged() (tariff, pay int64) {
	for _, c := range l.Charges.V {
		t, p := c.Shares(l.Currency)
		tariff, pay = tariff+t, pay+p
	}

	return tariff, pay
}

// share shares amounts among the vehicles that are on the load; "" leaves what they have.
func (l *load) share(tariff, pay money.Amount) error {
	wrong := cargo.Share(l.Vehicles.V, tariff, pay, l.Currency, errInvalid)
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

type putChargesInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Charges []charge `json:"charges" maxItems:"100" nullable:"false"`
	}
}

func (s *service) putCharges(ctx context.Context, in *putChargesInput) (*web.Resource[load], error) {
	return s.change(ctx, in.UUID, in.IfMatch, func(l *load) error {
		l.Charges.V = slices.Clone(in.Body.Charges)

		return nil
	})
}

type addChargeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body charge
}

// mostCharges is how many charges a load has at most.
const mostCharges = 100

func (s *service) addCharge(ctx context.Context, in *addChargeInput) (*web.Resource[load], error) {
	return s.change(ctx, in.UUID, in.IfMatch, func(l *load) error {
		if len(l.Charges.V) >= mostCharges {
			return errInvalid.WithField("charges", "A load has at most 100 charges.")
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

func (s *service) putPlan(ctx context.Context, in *putPlanInput) (*web.Resource[load], error) {
	return s.change(ctx, in.UUID, in.IfMatch, func(l *load) error {
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

func (s *service) propose(ctx context.Context, in *proposeInput) (*web.Resource[load], error) {
	return s.change(ctx, in.UUID, in.IfMatch, func(l *load) error {
		l.PlanTemplate = in.Body.Template

		return nil
	})
}
