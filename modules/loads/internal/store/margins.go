package store

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

// CheckMargins refuses a caller without the scope for prices who sets some, by whatever operation. What follows from other changes, such as the
// totals without a vehicle that was taken off, is not set.
func CheckMargins(ctx context.Context, c *resource.Change[Load]) error {
	if c.Before == nil || c.Verb != resource.Update && c.Verb != VerbPay || margins.Seen(ctx) {
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
		{"vehicles.tariff", slices.ContainsFunc(after.Vehicles.V, func(v Vehicle) bool { return v.Tariff != before.VehicleByID(v.UUID).Tariff })},
		{"vehicles.carrier_pay", slices.ContainsFunc(after.Vehicles.V, func(v Vehicle) bool { return v.CarrierPay != before.VehicleByID(v.UUID).CarrierPay })},
		{"vehicles.broker_fee", slices.ContainsFunc(after.Vehicles.V, func(v Vehicle) bool { return v.BrokerFee != before.VehicleByID(v.UUID).BrokerFee })},
	} {
		if set.changed {
			return margins.Require(ctx, "Setting "+set.key)
		}
	}

	return nil
}

// VehicleByID is a vehicle of the load, the zero value for none.
func (l *Load) VehicleByID(id uuid.UUID) Vehicle {
	if i := slices.IndexFunc(l.Vehicles.V, func(v Vehicle) bool { return v.UUID == id }); i >= 0 && id != uuid.Nil {
		return l.Vehicles.V[i]
	}

	return Vehicle{}
}

// Concealed is a refusal without the amounts in it, for a caller who may not see them.
func Concealed(ctx context.Context, err error) error {
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
	case errors.Is(err, ErrUnpaid):
		return ErrUnpaid.WithMessage("Something is left to pay.")
	default:
		return err
	}
}
