package loads

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// errFixed is for what of a load cannot be changed any more.
var errFixed = errs.New(errs.Conflict, "loads.fixed", "This cannot be changed any more. See details.field.")

// unsold are the states in which a load need not have what booking takes.
var unsold = []loadsapi.State{loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted, loadsapi.Lost, loadsapi.Cancelled}

// unbooked are those things that booking takes and a load does not have.
func (l *load) unbooked() []string {
	var missing []string
	tariff, _ := l.units(l.Tariff) // checked before
	for name, there := range map[string]bool{
		"customer": l.Customer != nil, "available_from": l.AvailableFrom != "", "vehicles": l.VehicleCount > 0 || len(l.Commodities.V) > 0,
		"stops": len(l.Stops.V) > 1, "tariff": tariff > 0,
	} {
		if !there {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)

	return missing
}

// bookable reports what a load lacks to be booked.
func bookable(ctx context.Context, l load) error {
	if err := notHeld(ctx, l); err != nil {
		return err
	}
	if missing := l.unbooked(); len(missing) > 0 {
		return errNotBookable.WithDetail("missing", missing)
	}

	return nil
}

// keeps refuses a change that takes away what booking took of a load that is booked, and one of what money or a signature depends on.
func keeps(c *resource.Change[load]) error {
	if c.Before == nil {
		return nil
	}
	before, l := c.Before, c.After
	sold := !slices.Contains(unsold, l.State)
	if sold {
		had := before.unbooked()
		gone := slices.DeleteFunc(l.unbooked(), func(name string) bool { return slices.Contains(had, name) })
		if len(gone) > 0 {
			return errNotBookable.WithMessage("A load that is %s keeps what booking takes. See details.missing.", l.State).WithDetail("missing", gone)
		}
	}
	if c.Verb != resource.Update {
		return nil
	}
	switch {
	case l.Currency != before.Currency && len(before.Payments.V) > 0:
		return errFixed.WithMessage("Payments of the load are in %s: its currency cannot be changed.", before.Currency).WithDetail("field", "currency")
	case l.Currency != before.Currency && (sold || before.SignedAt != nil):
		return errFixed.WithMessage("The load is booked or signed in %s: its currency cannot be changed.", before.Currency).WithDetail("field", "currency")
	case before.balance().Paid != 0 && before.Customer != nil && (l.Customer == nil || *l.Customer != *before.Customer):
		return errFixed.WithMessage("The customer has paid: take the payments back before the customer is changed.").WithDetail("field", "customer_uuid")
	}

	return nil
}
