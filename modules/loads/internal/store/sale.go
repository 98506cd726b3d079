package store

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// ForSale reports whether a customer can book a load.
func (l *Load) ForSale() bool {
	tariff, _ := l.Units(l.Tariff) // checked before

	return slices.Contains([]loadsapi.State{loadsapi.Lead, loadsapi.Quoted}, l.State) && tariff > 0 && l.HeldAt == nil
}

// Held returns a load by its id, and holds it until the transaction ends.
func Held(ctx context.Context, rows *resource.Resource[Load], id string) (Load, error) {
	if err := rows.Hold(ctx, item.ID(id)); err != nil {
		return Load{}, err
	}

	return rows.Find(ctx, item.ID(id))
}

// CheckForSale refuses a load that was booked, or is over. Error: loads.not_for_sale.
func CheckForSale(l *Load) error {
	if !slices.Contains([]loadsapi.State{loadsapi.Lead, loadsapi.Quoted}, l.State) {
		return loadsapi.ErrNotForSale.WithDetail("state", l.State)
	}

	return nil
}

// PriceBy gives a load the prices that its customer was told.
func (l *Load) PriceBy(p loadsapi.Prices) {
	l.Vehicles.V = slices.Clone(l.Vehicles.V)
	for i := range l.Vehicles.V {
		v := &l.Vehicles.V[i]
		price, priced := p.Vehicles[v.UUID.String()]
		if !priced {
			continue
		}
		v.Tariff, v.BrokerFee = money.Amount(price.Tariff), ""
		if price.CarrierPay != "" {
			v.CarrierPay = money.Amount(price.CarrierPay)
		}
	}
	charges := slices.DeleteFunc(slices.Clone(l.Charges.V), func(c Charge) bool { return c.Payer == Customer })
	for _, c := range p.Charges {
		charges = append(charges, Charge{
			UUID: item.ID(c.UUID), Kind: c.Kind, Description: c.Description, Vehicle: item.ID(c.Vehicle), Amount: money.Amount(c.Amount), Payer: Customer, Payee: c.Payee, Taxable: c.Taxable,
		})
	}
	l.Charges.V = charges
	if p.PlanTemplate != "" && !l.PlanWritten() {
		l.PlanTemplate = p.PlanTemplate
	}
}
