package loading

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/trips/internal/routing"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Guard decides what may be stored of trips.
type Guard struct {
	items *item.Registry
	meter *routing.Meter
	rows  *store.Repository
}

// NewGuard returns a Guard.
func NewGuard(items *item.Registry, m *routing.Meter, rows *store.Repository) *Guard {
	return &Guard{items, m, rows}
}

// Decide computes the miles and the pay of trips, and keeps which vehicles are on which trip: none is on two.
func (k *Guard) Decide(ctx context.Context, all []*resource.Change[store.Trip]) error {
	for _, c := range all {
		if err := settled(c); err != nil {
			c.Refuse(err)

			continue
		}
		if err := k.receipts(ctx, c); err != nil {
			return err
		}
		if c.Verb != resource.Delete && (c.Before == nil || !sameWay(*c.After, *c.Before)) {
			if err := k.meter.Measure(ctx, c.After); err != nil {
				return err
			}
		}
		c.After.Pay = c.After.DriverPay()
		before, after := vehiclesOf(c.Before), vehiclesOf(c.After)
		if c.Verb == resource.Delete {
			after = nil
		}
		taken, err := k.rows.KeepVehicles(ctx, c.After.ID, before, after)
		if err != nil {
			return err
		}
		if taken {
			c.Refuse(store.ErrVehicleTaken)
		}
	}

	return nil
}

// settled refuses to change the truck, the drivers, the start or the pay of a trip that was dispatched, and to delete one that was not canceled. Loads
// and expenses can still be added.
func settled(c *resource.Change[store.Trip]) error {
	if c.Before == nil {
		return nil
	}
	was, now := *c.Before, *c.After
	crew := !store.SameID(was.Driver, now.Driver) || !store.SameID(was.CoDriver, now.CoDriver)
	pay := was.Currency != now.Currency || was.Rate != now.Rate || !reflect.DeepEqual(was.Basis, now.Basis)
	changed := c.Verb == resource.Delete || !store.SameID(was.Truck, now.Truck) || crew || was.From != now.From || pay
	switch {
	case changed && was.UnderWay():
		return store.ErrUnderWay
	case changed && (was.State == store.Completed || was.State == store.Cancelled && c.Verb != resource.Delete):
		return store.ErrOver
	}

	return nil
}

// receipts refuses expenses with receipts that are not there.
func (k *Guard) receipts(ctx context.Context, c *resource.Change[store.Trip]) error {
	wrong := store.ErrInvalid
	for i, e := range c.After.Expenses.V {
		known := c.Before != nil && slices.ContainsFunc(c.Before.Expenses.V, func(was store.Expense) bool { return was.Attachment == e.Attachment })
		if e.Attachment == uuid.Nil || known || c.Verb == resource.Delete {
			continue
		}
		missing, err := k.items.Exists(ctx, item.Ref{Type: "attachments.attachment", UUID: e.Attachment})
		if err != nil && !errors.Is(err, item.ErrUnknownType) {
			return err
		}
		if err != nil || len(missing) > 0 {
			wrong = wrong.WithField("expenses."+strconv.Itoa(i)+".attachment_uuid", "There is no such attachment.")
		}
	}
	if len(wrong.Fields) > 0 {
		c.Refuse(wrong)
	}

	return nil
}

// sameWay reports whether a trip has the stops, in their order, and the vehicles of another one.
func sameWay(t, as store.Trip) bool {
	return t.From == as.From && slices.Equal(t.Cargo.V, as.Cargo.V) && slices.EqualFunc(t.Legs.V, as.Legs.V, func(a, b store.Leg) bool {
		return a.UUID == b.UUID && a.Place == b.Place && a.PostalCode == b.PostalCode
	})
}

// vehiclesOf are the vehicles that a trip keeps from other trips, with their loads.
func vehiclesOf(t *store.Trip) map[uuid.UUID]uuid.UUID {
	all := map[uuid.UUID]uuid.UUID{}
	if t == nil || t.Over() || t.DeletedAt != nil {
		return all
	}
	for _, c := range t.Cargo.V {
		all[c.Vehicle] = c.Load
	}

	return all
}
