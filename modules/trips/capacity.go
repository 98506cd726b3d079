package trips

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// warning is something that a truck may not hold, that a truck or a driver is on another trip, too, that a document expires on
// the way, or an odometer that runs back.
type warning struct {
	Code    string    `json:"code" enum:"slots,weight,winch,enclosed,truck_busy,driver_busy,document_expires,odometer_back"`
	Leg     uuid.UUID `json:"leg_uuid,omitzero" doc:"From which stop on; absent for all of the trip."`
	Message string    `json:"message"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (warning) SchemaName() string { return "TripWarning" }

// hauler is a truck as far as what it holds.
type hauler struct {
	Slots      int64 `json:"slots"`
	MaxPayload int64 `json:"max_payload_lb"`
	Winch      bool  `json:"winch"`
	Enclosed   bool  `json:"enclosed"`
}

// bulk is how much room a vehicle takes, in tenths of a slot, and what it usually weighs in pounds.
type bulk struct{ tenths, pounds int64 }

// bulkOf is that of a type of vehicle. The room is by the classes of the trade: small 0.9, medium 1, large 1.2, extra large 1.5, oversize 2.
func bulkOf(kind string) bulk {
	switch kind {
	case "atv", "motorcycle":
		return bulk{5, 700}
	case "coupe", "convertible", "hatchback":
		return bulk{9, 3200}
	case "suv", "minivan", "pickup":
		return bulk{12, 4800}
	case "van", "dually", "truck":
		return bulk{15, 6500}
	case "rv", "heavy_equipment", "large_yacht", "travel_trailer", "trailer":
		return bulk{20, 9000}
	case "boat", "small_yacht":
		return bulk{15, 4000}
	}

	return bulk{10, 3500} // car, sedan, wagon, exotic, other
}

// warns reports what a truck may not hold, each once, at the first leg from which it does not.
func warns(h hauler, legs []leg, all []cargo) (found []warning) {
	said := map[string]bool{}
	say := func(code string, at leg, format string, values ...any) {
		if !said[code] {
			said[code] = true
			found = append(found, warning{code, at.UUID, fmt.Sprintf(format, values...)})
		}
	}
	for i, at := range legs {
		on := aboard(legs[:i+1], all)
		tenths, pounds := room(on)
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

// aboard are the vehicles that are on the truck after some legs.
func aboard(done []leg, all []cargo) (on []cargo) {
	visited := func(load, stop uuid.UUID) bool {
		return slices.ContainsFunc(done, func(l leg) bool { return l.Load == load && l.Stop == stop })
	}
	for _, c := range all {
		if visited(c.Load, c.Pickup) && !visited(c.Load, c.Delivery) {
			on = append(on, c)
		}
	}

	return on
}

// room is how much some vehicles take, in tenths of a slot, and weigh.
func room(on []cargo) (tenths, pounds int64) {
	for _, c := range on {
		tenths += bulkOf(c.Type).tenths
		pounds += c.WeightLb
	}

	return tenths, pounds
}
