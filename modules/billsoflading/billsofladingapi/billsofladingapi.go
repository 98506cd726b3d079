// Package billsofladingapi is the contract of the bills_of_lading area: its id, the types of its items, and its events.
package billsofladingapi

// Area is the id of the area; the others are the types of its items.
const (
	Area       = "bills_of_lading"
	BOL        = "bills_of_lading.bol"
	Inspection = "bills_of_lading.inspection"
	Damage     = "bills_of_lading.damage"
	Photo      = "bills_of_lading.photo"
	Signature  = "bills_of_lading.signature"
)

// About names the bill of lading that an event is about.
type About struct {
	BOL  string `json:"bol_uuid"`
	Load string `json:"load_uuid"`
}

// EventItem implements events.Named.
func (a About) EventItem() (itemType, id string) { return BOL, a.BOL }

// Issued is published once a bill of lading can be signed.
type Issued struct{ About }

// EventName implements events.Event.
func (Issued) EventName() string { return "bills_of_lading.bol.issued" }

// Signed is published for each signature.
type Signed struct {
	About

	// Stage is pickup or delivery; Role is driver, releasing or receiving.
	Stage string `json:"stage"`
	Role  string `json:"role"`
}

// EventName implements events.Event.
func (Signed) EventName() string { return "bills_of_lading.bol.signed" }

// PickupSigned is published once both sides have signed at the pickup.
type PickupSigned struct{ About }

// EventName implements events.Event.
func (PickupSigned) EventName() string { return "bills_of_lading.bol.pickup_signed" }

// DeliverySigned is published once both sides have signed at the delivery.
type DeliverySigned struct{ About }

// EventName implements events.Event.
func (DeliverySigned) EventName() string { return "bills_of_lading.bol.delivery_signed" }

// Closed is published once the PDF of the delivery is filed, after which a bill of lading no longer changes.
type Closed struct{ About }

// EventName implements events.Event.
func (Closed) EventName() string { return "bills_of_lading.bol.closed" }

// Voided is published once a bill of lading is no longer valid.
type Voided struct{ About }

// EventName implements events.Event.
func (Voided) EventName() string { return "bills_of_lading.bol.voided" }

// DocumentReady is published once the PDF of a stage is filed.
type DocumentReady struct {
	About

	// Stage is pickup or delivery, Stop the uuid of its stop, and Attachment that of the PDF.
	Stage      string `json:"stage"`
	Stop       string `json:"stop_uuid"`
	Attachment string `json:"attachment_uuid"`
	// Signer is who released or received the vehicles, "" if no one did.
	Signer string `json:"signer"`
}

// EventName implements events.Event.
func (DocumentReady) EventName() string { return "bills_of_lading.bol.document_ready" }

// Submitted is published once an inspection is complete.
type Submitted struct {
	About

	Inspection string `json:"inspection_uuid"`
	Stage      string `json:"stage"`
}

// EventName implements events.Event.
func (Submitted) EventName() string { return "bills_of_lading.inspection.submitted" }

// VINDiffers is published for an inspection that found another vehicle than the load has.
type VINDiffers struct {
	About

	Inspection string `json:"inspection_uuid"`
	Scanned    string `json:"vin_scanned"`
}

// EventName implements events.Event.
func (VINDiffers) EventName() string { return "bills_of_lading.inspection.vin_differs" }

// DamageRecorded is published for each damage that an inspection finds.
type DamageRecorded struct {
	About

	Damage string `json:"damage_uuid"`
	Stage  string `json:"stage"`
	// New says that it was found at the delivery, and not at the pickup.
	New bool `json:"new"`
}

// EventName implements events.Event.
func (DamageRecorded) EventName() string { return "bills_of_lading.damage.recorded" }

// Position is where a driver's phone was. Lat and Lng are millionths of a degree; At is RFC 3339 in UTC.
type Position struct {
	At       string `json:"at"`
	Lat      int64  `json:"lat"`
	Lng      int64  `json:"lng"`
	Accuracy int64  `json:"accuracy_m"`
}

// Located is published for the positions of a driver's phone.
type Located struct {
	Load      string     `json:"load_uuid"`
	Positions []Position `json:"positions"`
}

// EventName implements events.Event.
func (Located) EventName() string { return "bills_of_lading.driver.located" }

// ReadingTrip is the hook bills_of_lading.trip.reading: a driver's link of a trip is made or opened. The area that has the trip sets the number and the loads of
// one that is driven, or is to be.
type ReadingTrip struct {
	Trip, Number string
	Loads        []string
}
