// Package capacity says what trucks hold.
package capacity

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/modules/trucks/trucksapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Trucks says what the trucks of trips hold.
type Trucks struct{ items *item.Registry }

// NewTrucks returns Trucks.
func NewTrucks(items *item.Registry) *Trucks { return &Trucks{items} }

// Hauler is what the truck of a trip holds, nil without a truck.
func (k *Trucks) Hauler(ctx context.Context, t store.Trip) (*Hauler, error) {
	if t.Truck == nil {
		return nil, nil //nolint:nilnil // none is no failure
	}
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	found, err := k.items.Values(ctx, []item.Ref{{Type: trucksapi.Item, UUID: *t.Truck}}, "slots", "max_payload_lb", "winch", "enclosed")
	if err != nil || found[0] == nil {
		return nil, err
	}
	text, err := json.Marshal(found[0])
	if err != nil {
		return nil, err
	}
	h := &Hauler{}

	return h, json.Unmarshal(text, h)
}

// Warnings are what the truck of a trip may not hold, each once.
func (k *Trucks) Warnings(ctx context.Context, t store.Trip) ([]store.Warning, error) {
	h, err := k.Hauler(ctx, t)
	if err != nil || h == nil {
		return nil, err
	}

	return warns(*h, t.Legs.V, t.Cargo.V), nil
}

// Hauler is what a truck holds.
type Hauler struct {
	Slots      int64 `json:"slots"`
	MaxPayload int64 `json:"max_payload_lb"`
	Winch      bool  `json:"winch"`
	Enclosed   bool  `json:"enclosed"`
}

// Bulk is how much room a vehicle takes, in tenths of a slot, and what it usually weighs in pounds.
type Bulk struct{ tenths, Pounds int64 }

// BulkOf is that of a type of vehicle. The room is by the classes of the trade: small 0.9, medium 1, large 1.2, extra large 1.5, oversize 2.
func BulkOf(kind string) Bulk {
	switch kind {
	case "atv", "motorcycle":
		return Bulk{5, 700}
	case "coupe", "convertible", "hatchback":
		return Bulk{9, 3200}
	case "suv", "minivan", "pickup":
		return Bulk{12, 4800}
	case "van", "dually", "truck":
		return Bulk{15, 6500}
	case "rv", "heavy_equipment", "large_yacht", "travel_trailer", "trailer":
		return Bulk{20, 9000}
	case "boat", "small_yacht":
		return Bulk{15, 4000}
	}

	return Bulk{10, 3500} // car, sedan, wagon, exotic, other
}

// warns reports what a truck may not hold, each once, at the first leg from which it does not.
func warns(h Hauler, legs []store.Leg, all []store.Cargo) (found []store.Warning) {
	said := map[string]bool{}
	say := func(code string, at store.Leg, format string, values ...any) {
		if !said[code] {
			said[code] = true
			found = append(found, store.Warning{Code: code, Leg: at.UUID, Message: fmt.Sprintf(format, values...)})
		}
	}
	for i, at := range legs {
		on := Aboard(legs[:i+1], all)
		tenths, pounds := Room(on)
		if h.Slots > 0 && tenths > 10*h.Slots {
			say("slots", at, "From %s on, %d vehicles take %d.%d of %d slots.", at.Place, len(on), tenths/10, tenths%10, h.Slots)
		}
		if h.MaxPayload > 0 && pounds > h.MaxPayload {
			say("weight", at, "From %s on, the vehicles weigh about %d of %d lb.", at.Place, pounds, h.MaxPayload)
		}
		for _, c := range on {
			if !c.Operable && !h.Winch {
				say("winch", at, "The %s does not run, and the truck has no winch.", c.Name)
			}
			if c.Enclosed && !h.Enclosed {
				say("enclosed", at, "The %s is to be carried in an enclosed trailer.", c.Name)
			}
		}
	}

	return found
}

// Aboard are the vehicles that are on the truck after some legs.
func Aboard(done []store.Leg, all []store.Cargo) (on []store.Cargo) {
	visited := func(load, stop uuid.UUID) bool {
		return slices.ContainsFunc(done, func(l store.Leg) bool { return l.Load == load && l.Stop == stop })
	}
	for _, c := range all {
		if visited(c.Load, c.Pickup) && !visited(c.Load, c.Delivery) {
			on = append(on, c)
		}
	}

	return on
}

// Room is how much some vehicles take, in tenths of a slot, and weigh.
func Room(on []store.Cargo) (tenths, pounds int64) {
	for _, c := range on {
		tenths += BulkOf(c.Type).tenths
		pounds += c.WeightLb
	}

	return tenths, pounds
}
