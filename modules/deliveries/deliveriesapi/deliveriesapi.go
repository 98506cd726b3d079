// Package deliveriesapi is the contract of the deliveries area: its id, the type of its items, and its events.
package deliveriesapi

// Area is the id of the area, Delivery the type of its items.
const (
	Area     = "deliveries"
	Delivery = "deliveries.delivery"
)

// About names the delivery that an event is about.
type About struct {
	Delivery string `json:"delivery_uuid"`
	Load     string `json:"load_uuid"`
}

// EventItem implements events.Named.
func (a About) EventItem() (itemType, id string) { return Delivery, a.Delivery }

// Scheduled tells of a delivery with an appointment.
type Scheduled struct{ About }

// EventName implements events.Event.
func (Scheduled) EventName() string { return "deliveries.delivery.scheduled" }

// OutForDelivery tells of vehicles that are on the last leg.
type OutForDelivery struct{ About }

// EventName implements events.Event.
func (OutForDelivery) EventName() string { return "deliveries.delivery.out_for_delivery" }

// Delivered tells of vehicles that were delivered.
type Delivered struct{ About }

// EventName implements events.Event.
func (Delivered) EventName() string { return "deliveries.delivery.delivered" }

// Failed tells of vehicles that could not be delivered.
type Failed struct {
	About

	// Reason is nobody_there, refused, access, damage or other.
	Reason string `json:"reason"`
}

// EventName implements events.Event.
func (Failed) EventName() string { return "deliveries.delivery.failed" }

// Returned tells of vehicles that go back.
type Returned struct{ About }

// EventName implements events.Event.
func (Returned) EventName() string { return "deliveries.delivery.returned" }
