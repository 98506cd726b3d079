package loading

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/capacity"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
)

// looked is what a trip needs of a load: what its carrier sees.
type looked loadsapi.CarrierView

// ended reports whether the load is no longer carried.
func (l looked) ended() bool {
	return l.State == loadsapi.Cancelled || l.State == loadsapi.Lost || l.State == loadsapi.Archived
}

// cargo are the vehicles of a load with what a trip keeps of them.
func (l looked) cargo(load uuid.UUID) (all []store.Cargo) {
	for _, v := range l.Vehicles {
		c := store.Cargo{
			Vehicle: item.ID(v.UUID), Load: load, Pickup: item.ID(v.Pickup), Delivery: item.ID(v.Delivery), Name: v.Name(), Type: v.Type,
			WeightLb: cmp.Or(v.WeightLb, capacity.BulkOf(v.Type).Pounds), Operable: (v.Operable == nil || *v.Operable) && len(v.Conditions) == 0,
			Enclosed: l.Transport == "enclosed", Pay: money.Amount(v.CarrierPay),
		}
		if n := len(l.Stops); n > 1 { // by default the first stop and the last
			c.Pickup, c.Delivery = cmp.Or(c.Pickup, item.ID(l.Stops[0].UUID)), cmp.Or(c.Delivery, item.ID(l.Stops[n-1].UUID))
		}
		all = append(all, c)
	}

	return all
}

// renew has a trip have some vehicles of a load as they are now, and none that the load has not. Stops that are new come last.
func renew(t *store.Trip, load uuid.UUID, l looked, wanted func(vehicle uuid.UUID) bool) {
	t.Cargo.V = slices.DeleteFunc(slices.Clone(t.Cargo.V), func(c store.Cargo) bool { return c.Load == load })
	used := map[uuid.UUID]bool{}
	for _, c := range l.cargo(load) {
		if wanted(c.Vehicle) {
			t.Cargo.V = append(t.Cargo.V, c)
			used[c.Pickup], used[c.Delivery] = true, true
		}
	}
	legs := slices.DeleteFunc(slices.Clone(t.Legs.V), func(g store.Leg) bool {
		return g.Load == load && !used[g.Stop] && g.ArrivedAt == nil && g.DepartedAt == nil
	})
	for _, s := range l.Stops {
		stop := item.ID(s.UUID)
		if !used[stop] {
			continue
		}
		place := strings.Trim(s.Venue.City+", "+s.Venue.State, ", ")
		i := slices.IndexFunc(legs, func(g store.Leg) bool { return g.Load == load && g.Stop == stop })
		if i < 0 {
			legs, i = append(legs, store.Leg{UUID: database.NewID(), Load: load, Stop: stop}), len(legs)
		}
		legs[i].Kind, legs[i].Place, legs[i].PostalCode = store.Delivery, place, s.Venue.PostalCode
		legs[i].Due = ""
		if s.Window != nil {
			legs[i].Due, _, _ = strings.Cut(s.Window.To, "T")
		}
		if slices.ContainsFunc(t.Cargo.V, func(c store.Cargo) bool { return c.Load == load && c.Pickup == stop }) {
			legs[i].Kind = store.Pickup
		}
	}
	t.Legs.V = legs
}
