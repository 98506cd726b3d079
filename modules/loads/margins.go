package loads

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/margins"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// checkMargins refuses a caller without the scope for prices who sets some, by whatever operation. What follows from other changes, such as the
// totals without a vehicle that was taken off, is not set.
func checkMargins(ctx context.Context, c *resource.Change[load]) error {
	if c.Before == nil || c.Verb != resource.Update && c.Verb != verbPay || margins.Seen(ctx) {
		return nil
	}
	before, after := c.Before, c.After
	for _, set := range []struct {
		key     string
		changed bool
	}{
		{"charges", !slices.Equal(before.Charges.V, after.Charges.V)},
		{"payment_plan", !slices.Equal(before.Plan.V, after.Plan.V) || before.PlanTemplate != after.PlanTemplate},
		{"payments", !reflect.DeepEqual(before.Payments.V, after.Payments.V)},
		{"instructions_private", before.Private != after.Private},
		{"vehicles.tariff", slices.ContainsFunc(after.Vehicles.V, func(v vehicle) bool { return v.Tariff != before.vehicle(v.UUID).Tariff })},
		{"vehicles.carrier_pay", slices.ContainsFunc(after.Vehicles.V, func(v vehicle) bool { return v.CarrierPay != before.vehicle(v.UUID).CarrierPay })},
		{"vehicles.broker_fee", slices.ContainsFunc(after.Vehicles.V, func(v vehicle) bool { return v.BrokerFee != before.vehicle(v.UUID).BrokerFee })},
	} {
		if set.changed {
			return margins.Require(ctx, "Setting "+set.key)
		}
	}

	return nil
}

// vehicle is a vehicle of the load, the zero value for none.
func (l *load) vehicle(id uuid.UUID) vehicle {
	if i := slices.IndexFunc(l.Vehicles.V, func(v vehicle) bool { return v.UUID == id }); i >= 0 && id != uuid.Nil {
		return l.Vehicles.V[i]
	}

	return vehicle{}
}

// concealed is a refusal without the amounts in it, for a caller who may not see them.
func concealed(ctx context.Context, err error) error {
	if err == nil || margins.Seen(ctx) {
		return err
	}
	switch {
	case errors.Is(err, plan.ErrUnbalanced):
		return plan.ErrUnbalanced.WithMessage("The payment plan would no longer add up to the prices. Changing it requires the scope %s.", margins.Scope)
	case errors.Is(err, loadsapi.ErrPlanFixed):
		return loadsapi.ErrPlanFixed.WithMessage("The payment plan cannot follow the new amounts without changing what was agreed. Changing it requires the scope %s.", margins.Scope)
	case errors.Is(err, plan.ErrLinePaid):
		return plan.ErrLinePaid
	case errors.Is(err, errUnpaid):
		return errUnpaid.WithMessage("Something is left to pay.")
	default:
		return err
	}
}
