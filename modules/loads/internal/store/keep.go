package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// errCovered is for an earlier version of a load that a carrier has, or has had.
var errCovered = errs.New(errs.Conflict, "loads.covered",
	"A carrier has the load: an earlier version would take back what was agreed. Change the fields that are wrong with PATCH instead.")

// revertible refuses to revert a load once a carrier has it. Where vehicles are, when a truck came to the stops, and a payment plan that people wrote since stay.
func revertible(now Load, was *Load) error {
	if !slices.Contains(Unsold, now.State) && !slices.Contains(States(loadsapi.Booked, loadsapi.Ready), now.State) {
		return errCovered.WithDetail("state", now.State)
	}
	if now.PlanWritten() && !was.PlanWritten() {
		was.Plan = now.Plan
	}
	cargo.Follow(now.Vehicles.V, was.Vehicles.V)
	route.Follow(now.Stops.V, was.Stops.V)

	return nil
}

// checkDone refuses a change of the stops at which vehicles were picked up or delivered, and of which stops these are.
func checkDone(before, l *Load) error {
	var done []uuid.UUID
	for _, one := range before.Stops.V {
		if one.DepartedAt != nil {
			done = append(done, one.UUID)
		}
	}
	for _, v := range before.Vehicles.V {
		now, err := l.FindVehicle(v.UUID)
		if err != nil || v.Custody != OnBoard && v.Custody != Dropped {
			continue
		}
		from, to := before.Ends(v)
		newFrom, newTo := l.Ends(*now)
		if from != newFrom || v.Custody == Dropped && to != newTo {
			return route.ErrDone.WithMessage("The %s was %s: where that was stays unchanged.", v.Name(), strings.ReplaceAll(string(v.Custody), "_", " ")).
				WithDetail("vehicle_uuid", v.UUID)
		}
		if done = append(done, from); v.Custody == Dropped {
			done = append(done, to)
		}
	}

	return route.CheckDone(before.Stops.V, l.Stops.V, done)
}

// Ends are the stops between which a vehicle is carried.
func (l *Load) Ends(v Vehicle) (from, to uuid.UUID) {
	from, to = v.Pickup, v.Delivery
	if n := len(l.Stops.V); n > 0 { // by default the first and the last stop
		from, to = cmp.Or(from, l.Stops.V[0].UUID), cmp.Or(to, l.Stops.V[n-1].UUID)
	}

	return from, to
}

// errFixed is for what of a load can no longer be changed.
var errFixed = errs.New(errs.Conflict, "loads.fixed", "This can no longer be changed. See details.field.")

// Unsold are the states in which a load need not have what booking takes.
var Unsold = []loadsapi.State{loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted, loadsapi.Lost, loadsapi.Cancelled}

// unbooked are those things that booking takes and a load does not have.
func (l *Load) unbooked() []string {
	var missing []string
	tariff, _ := l.Units(l.Tariff) // checked before
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
func bookable(ctx context.Context, l Load) error {
	if err := notHeld(ctx, l); err != nil {
		return err
	}
	if missing := l.unbooked(); len(missing) > 0 {
		return ErrNotBookable.WithDetail("missing", missing)
	}

	return nil
}

// CheckKept refuses a change that takes away what booking took of a load that is booked, and one of what money or a signature depends on.
func CheckKept(c *resource.Change[Load]) error {
	if c.Before == nil {
		return nil
	}
	before, l := c.Before, c.After
	sold := !slices.Contains(Unsold, l.State)
	if sold {
		had := before.unbooked()
		gone := slices.DeleteFunc(l.unbooked(), func(name string) bool { return slices.Contains(had, name) })
		if len(gone) > 0 {
			return ErrNotBookable.WithMessage("A load that is %s keeps what booking takes. See details.missing.", l.State).WithDetail("missing", gone)
		}
	}
	if c.Verb != resource.Update {
		return nil
	}
	if err := checkDone(before, l); err != nil {
		return err
	}
	switch {
	case l.Role != before.Role && before.Carrier != nil:
		return errFixed.WithMessage("A carrier has the load. Take it back before `company_role` is changed.").WithDetail("field", "company_role")
	case l.Currency != before.Currency && len(before.Payments.V) > 0:
		return errFixed.WithMessage("Payments of the load are in %s: its currency cannot be changed.", before.Currency).WithDetail("field", "currency")
	case l.Currency != before.Currency && (sold || before.SignedAt != nil):
		return errFixed.WithMessage("The load is booked or signed in %s: its currency cannot be changed.", before.Currency).WithDetail("field", "currency")
	case before.Balance().Paid != 0 && before.Customer != nil && (l.Customer == nil || *l.Customer != *before.Customer):
		return errFixed.WithMessage("The customer has paid: take the payments back before the customer is changed.").WithDetail("field", "customer_uuid")
	}

	return nil
}
