package loadsapi

// About names the load that an event is about.
type About struct {
	Load string `json:"load_uuid"`
	// State is the state of the load.
	State State `json:"state"`
}

// EventItem implements events.Named.
func (a About) EventItem() (itemType, id string) { return Load, a.Load }

// Created tells of a new load.
type Created struct{ About }

// EventName implements events.Event.
func (Created) EventName() string { return "loads.load.created" }

// Updated tells of a load that was changed.
type Updated struct{ About }

// EventName implements events.Event.
func (Updated) EventName() string { return "loads.load.updated" }

// Held tells of a load that is held.
type Held struct{ About }

// EventName implements events.Event.
func (Held) EventName() string { return "loads.load.held" }

// Released tells of a load that goes on.
type Released struct{ About }

// EventName implements events.Event.
func (Released) EventName() string { return "loads.load.released" }

// Reassigned tells of a load that others work on.
type Reassigned struct{ About }

// EventName implements events.Event.
func (Reassigned) EventName() string { return "loads.load.reassigned" }

// Signed tells of a load that its customer has signed as it is.
type Signed struct{ About }

// EventName implements events.Event.
func (Signed) EventName() string { return "loads.load.signed" }

// ChangeOrderNeeded tells of a signed load that was changed, so that its customer has to sign again.
type ChangeOrderNeeded struct {
	About

	// Fields are those that have changed.
	Fields []string `json:"fields"`
}

// EventName implements events.Event.
func (ChangeOrderNeeded) EventName() string { return "loads.change_order.needed" }

// LateEvent tells of a load whose pickup or delivery should have been by now.
type LateEvent struct {
	About

	// What is pickup or delivery.
	What string `json:"late"`
}

// EventName implements events.Event.
func (LateEvent) EventName() string { return "loads.load.late" }

// PaymentRecorded tells of a payment for a load, or of one that was taken back.
type PaymentRecorded struct {
	About

	Payment string `json:"payment_uuid"`
	// Billing is how the payments of the customer stand: unbilled, part, paid or overdue.
	Billing string `json:"billing"`
}

// EventName implements events.Event.
func (PaymentRecorded) EventName() string { return "loads.payment.recorded" }

// RecordRequested tells of a party to a transaction that asks for its record (49 CFR 371.3).
type RecordRequested struct {
	Load    string `json:"load_uuid"`
	Request string `json:"request_uuid"`
}

// EventName implements events.Event.
func (RecordRequested) EventName() string { return "loads.transparency_request.created" }

// EventItem implements events.Named.
func (e RecordRequested) EventItem() (itemType, id string) { return Load, e.Load }

// QuotedEvent tells of a load for which a price was named.
type QuotedEvent struct{ About }

// EventName implements events.Event.
func (QuotedEvent) EventName() string { return "loads.load.quoted" }

// BookedEvent tells of a load that was sold.
type BookedEvent struct{ About }

// EventName implements events.Event.
func (BookedEvent) EventName() string { return "loads.load.booked" }

// ReadyEvent tells of a load that can be given to a carrier.
type ReadyEvent struct{ About }

// EventName implements events.Event.
func (ReadyEvent) EventName() string { return "loads.load.ready" }

// Covered tells of a load that a carrier has.
type Covered struct{ About }

// EventName implements events.Event.
func (Covered) EventName() string { return "loads.load.covered" }

// Uncovered tells of a load that its carrier no longer has.
type Uncovered struct{ About }

// EventName implements events.Event.
func (Uncovered) EventName() string { return "loads.load.uncovered" }

// HandedOver tells of a load whose vehicles wait on the way for another carrier.
type HandedOver struct {
	About

	// Stop is the uuid of the stop at which they wait, Vehicles are theirs.
	Stop     string   `json:"stop_uuid"`
	Vehicles []string `json:"vehicle_uuids"`
}

// EventName implements events.Event.
func (HandedOver) EventName() string { return "loads.load.handed_over" }

// PickedUpEvent tells of a load of which the first vehicle was picked up.
type PickedUpEvent struct{ About }

// EventName implements events.Event.
func (PickedUpEvent) EventName() string { return "loads.load.picked_up" }

// DeliveredEvent tells of a load whose vehicles were all delivered.
type DeliveredEvent struct{ About }

// EventName implements events.Event.
func (DeliveredEvent) EventName() string { return "loads.load.delivered" }

// CompletedEvent tells of a load with nothing left to do.
type CompletedEvent struct{ About }

// EventName implements events.Event.
func (CompletedEvent) EventName() string { return "loads.load.completed" }

// CancelledEvent tells of a load that was canceled.
type CancelledEvent struct{ About }

// EventName implements events.Event.
func (CancelledEvent) EventName() string { return "loads.load.cancelled" }

// LostEvent tells of a load that was not sold.
type LostEvent struct{ About }

// EventName implements events.Event.
func (LostEvent) EventName() string { return "loads.load.lost" }

// Reopened tells of a load that is not over after all.
type Reopened struct{ About }

// EventName implements events.Event.
func (Reopened) EventName() string { return "loads.load.reopened" }

// AboutVehicle names the vehicle that an event is about.
type AboutVehicle struct {
	Load    string `json:"load_uuid"`
	Vehicle string `json:"vehicle_uuid"`
}

// EventItem implements events.Named.
func (a AboutVehicle) EventItem() (itemType, id string) { return Load, a.Load }

// VehiclePickedUp tells of a vehicle that is on the way.
type VehiclePickedUp struct{ AboutVehicle }

// EventName implements events.Event.
func (VehiclePickedUp) EventName() string { return "loads.vehicle.picked_up" }

// VehicleDelivered tells of a vehicle that has arrived.
type VehicleDelivered struct{ AboutVehicle }

// EventName implements events.Event.
func (VehicleDelivered) EventName() string { return "loads.vehicle.delivered" }

// VehicleRemoved tells of a vehicle that is not on the load any more.
type VehicleRemoved struct{ AboutVehicle }

// EventName implements events.Event.
func (VehicleRemoved) EventName() string { return "loads.vehicle.removed" }

// StatusUpdated tells of something that was said of a load on its way.
type StatusUpdated struct {
	Load   string `json:"load_uuid"`
	Update string `json:"status_update_uuid"`
	// Kind is note, location, eta, delay, arrived or departed.
	Kind string `json:"kind"`
}

// EventName implements events.Event.
func (StatusUpdated) EventName() string { return "loads.load.status_updated" }

// EventItem implements events.Named.
func (s StatusUpdated) EventItem() (itemType, id string) { return Load, s.Load }
