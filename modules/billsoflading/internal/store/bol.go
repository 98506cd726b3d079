// Package store has the rows of the bills_of_lading_* tables with what they decide by themselves, the lives of bills of lading, the settings, and the
// failures of the area.
package store

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Bol is a row of bills_of_lading_bols: the vehicles that a carrier takes from one stop of a load to another, and what was signed for them. Its
// schema in the OpenAPI document has the name of the type.
type Bol struct {
	resource.Row

	Number       string                     `json:"number" field:"number=BOL-{yyyy}-{seq:6},search,title,sort"`
	Load         uuid.UUID                  `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load"`
	Dispatch     *uuid.UUID                 `json:"dispatch_uuid" gorm:"column:dispatch_id" field:"readonly" doc:"The dispatch of the load, null if it is not known."`
	State        State                      `json:"state" field:"sort"`
	Inspection   string                     `json:"inspection_type" gorm:"column:inspection_type" field:"readonly,sort" enum:"standard,advanced,aiag"`
	PickupStop   uuid.UUID                  `json:"pickup_stop_uuid" gorm:"column:pickup_stop" field:"readonly"`
	DeliveryStop uuid.UUID                  `json:"delivery_stop_uuid" gorm:"column:delivery_stop" field:"readonly"`
	CarrierID    uuid.UUID                  `json:"carrier_uuid" gorm:"column:carrier_id" field:"readonly"`
	Carrier      resource.JSON[Carrier]     `json:"carrier" field:"readonly" doc:"The carrier as it was when the bill was issued."`
	Consignor    resource.JSON[Party]       `json:"consignor" field:"readonly" doc:"Who releases the vehicles."`
	Consignee    resource.JSON[Party]       `json:"consignee" field:"readonly" doc:"Who receives them."`
	Vehicles     resource.JSON[[]Vehicle]   `json:"vehicles" field:"readonly"`
	Terms        string                     `json:"terms" field:"readonly,nofilter" doc:"The terms of the settings when it was issued."`
	Amendments   resource.JSON[[]Amendment] `json:"amendments" field:"readonly" doc:"What was added after it was signed. Nothing is taken off it."`
	Replaces     *uuid.UUID                 `json:"replaces_uuid" gorm:"column:replaces" field:"readonly" doc:"The bill that was voided for this one."`
	VoidReason   string                     `json:"void_reason" field:"readonly,nofilter"`
	IssuedAt     *time.Time                 `json:"issued_at" field:"readonly,sort"`
	PickupAt     *time.Time                 `json:"pickup_signed_at" gorm:"column:pickup_signed_at" field:"readonly,sort"`
	DeliveryAt   *time.Time                 `json:"delivery_signed_at" gorm:"column:delivery_signed_at" field:"readonly,sort"`
	PickupFile   *uuid.UUID                 `json:"pickup_document_uuid" gorm:"column:pickup_document" field:"readonly" doc:"The attachment with the PDF as it was signed at the pickup; null until it is printed."`
	DeliveryFile *uuid.UUID                 `json:"delivery_document_uuid" gorm:"column:delivery_document" field:"readonly"`
}

// TableName implements GORM's naming.
func (Bol) TableName() string { return "bills_of_lading_bols" }

// Carrier is a carrier on a bill of lading.
type Carrier struct {
	Name   string `json:"name"`
	USDOT  string `json:"usdot"`
	Docket string `json:"docket"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Carrier) SchemaName() string { return "BOLCarrier" }

// Party is a consignor or a consignee, with the place.
type Party struct {
	Name    string   `json:"name"`
	Address []string `json:"address" nullable:"false" doc:"Lines."`
	City    string   `json:"city"`
	State   string   `json:"state"`
	Postal  string   `json:"postal_code"`
	Contact string   `json:"contact"`
	Phones  []string `json:"phones" nullable:"false"`
	// Zone is empty on bills of lading that are older than it.
	Zone string `json:"time_zone" doc:"The IANA name of the place's time zone; empty if it is not known."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Party) SchemaName() string { return "BOLParty" }

// Place is where a party is, as people read it.
func (p Party) Place() string {
	return strings.TrimSpace(strings.Trim(p.City+", "+p.State, ", ") + " " + p.Postal)
}

// Text is a party as people read it.
func (p Party) Text() string {
	lines := append(append([]string{p.Name}, p.Address...), p.Place())
	if p.Contact != "" && p.Contact != p.Name {
		lines = append(lines, p.Contact)
	}

	return strings.TrimSpace(strings.Join(append(lines, p.Phones...), "\n"))
}

// Vehicle is a vehicle on a bill of lading.
type Vehicle struct {
	UUID     uuid.UUID `json:"uuid"`
	VIN      string    `json:"vin"`
	Year     *int64    `json:"year"`
	Make     string    `json:"make"`
	Model    string    `json:"model"`
	Color    string    `json:"color"`
	Plate    string    `json:"plate"`
	Lot      string    `json:"lot_number"`
	Operable bool      `json:"operable"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Vehicle) SchemaName() string { return "BOLVehicle" }

// Amendment is something that is said of a bill of lading after it was signed.
type Amendment struct {
	At     time.Time  `json:"at"`
	User   *uuid.UUID `json:"user_uuid"`
	Text   string     `json:"text"`
	Reason string     `json:"reason"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Amendment) SchemaName() string { return "BOLAmendment" }

// State is a state of a bill of lading.
type State string

// The states of a bill of lading.
const (
	Draft          State = "draft"
	Issued         State = "issued"
	PickupSigned   State = "pickup_signed"
	DeliverySigned State = "delivery_signed"
	Closed         State = "closed"
	Voided         State = "void"
	Transferred    State = "transferred" // another carrier carries its vehicles on, with a bill of lading of its own
)

// What is done to a bill of lading, beside what is done to every resource.
const (
	VerbIssue    resource.Verb = "issue"
	VerbPickup   resource.Verb = "sign_pickup"
	VerbDelivery resource.Verb = "sign_delivery"
	VerbClose    resource.Verb = "close"
	VerbVoid     resource.Verb = "void"
	VerbTransfer resource.Verb = "transfer"
	VerbAmend    resource.Verb = "amend"
	VerbPrint    resource.Verb = "print"
	VerbName     resource.Verb = "name_dispatch"
)

// life is the life of bills of lading.
var life = state.Machine[State]{
	Item: billsofladingapi.BOL, Initial: Draft, Final: []State{Closed, Voided, Transferred},
	Steps: []state.Step[State]{
		{From: []State{Draft}, Verb: string(VerbIssue), To: Issued},
		{From: []State{Issued}, Verb: string(VerbPickup), To: PickupSigned, Automatic: true},
		{From: []State{PickupSigned}, Verb: string(VerbDelivery), To: DeliverySigned, Automatic: true},
		{From: []State{DeliverySigned}, Verb: string(VerbClose), To: Closed, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []State{Draft, Issued, PickupSigned}, Verb: string(VerbVoid), To: Voided},
		{From: []State{PickupSigned}, Verb: string(VerbTransfer), To: Transferred, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
	},
}

// The types of inspections.
const (
	Standard = "standard"
	Advanced = "advanced"
	AIAG     = "aiag"
)

// Stage is when vehicles change hands.
type Stage string

// The stages.
const (
	AtPickup   Stage = "pickup"
	AtDelivery Stage = "delivery"
)

// Due is the stage at which a bill of lading is signed next, "" for none.
func (b Bol) Due() Stage {
	switch b.State {
	case Draft, Issued:
		return AtPickup
	case PickupSigned:
		return AtDelivery
	case DeliverySigned, Closed, Voided, Transferred:
	}

	return ""
}

// Vehicle finds a vehicle on a bill of lading.
func (b Bol) Vehicle(id uuid.UUID) (Vehicle, error) {
	for _, v := range b.Vehicles.V {
		if v.UUID == id {
			return v, nil
		}
	}

	return Vehicle{}, ErrInvalidEntry.WithField("vehicle_uuid", "The vehicle is not on the bill of lading.")
}

// IsOf reports whether a bill of lading belongs to the dispatch that has the load now: to its carrier, and not from an earlier turn of the same one.
func (b Bol) IsOf(s loadsapi.Standing) bool {
	return s.Carrier == b.CarrierID.String() && !b.CreatedAt.Before(s.Since)
}

// Signed reports whether both sides have signed at the pickup, after which the bill of lading no longer follows the load.
func (b Bol) Signed() bool { return b.State != Draft && b.State != Issued }

// SaysSame reports whether two bills of lading say the same about a load.
func (b Bol) SaysSame(other Bol) bool {
	return b.Inspection == other.Inspection && b.Carrier.V == other.Carrier.V && reflect.DeepEqual(b.Consignor.V, other.Consignor.V) &&
		reflect.DeepEqual(b.Consignee.V, other.Consignee.V) && reflect.DeepEqual(b.Vehicles.V, other.Vehicles.V)
}

// Missing returns bills_of_lading.missing_fields with what 49 CFR 373.101 requires and the bill of lading lacks, nil if it lacks nothing.
func (b Bol) Missing() *errs.Error {
	wrong := ErrMissingFields
	for name, p := range map[string]Party{"consignor": b.Consignor.V, "consignee": b.Consignee.V} {
		if p.Name == "" {
			wrong = wrong.WithField(name+".name", "Name the venue of the stop, or a contact there.")
		}
		if p.City == "" && p.Postal == "" {
			wrong = wrong.WithField(name+".city", "The stop has no city.")
		}
	}
	if len(b.Vehicles.V) == 0 {
		wrong = wrong.WithField("vehicles", "There are no vehicles.")
	}
	for _, v := range b.Vehicles.V {
		if v.Make+v.Model+v.VIN == "" {
			wrong = wrong.WithField("vehicles", "A vehicle has neither a VIN nor a make and a model.")
		}
	}
	if len(wrong.Fields) == 0 {
		return nil
	}

	return wrong
}

// About names the bill of lading in events.
func (b Bol) About() billsofladingapi.About {
	return billsofladingapi.About{BOL: b.ID.String(), Load: b.Load.String()}
}

// Zone is the name of the time zone of the place where vehicles change hands at a stage, "" if it is not known.
func (b Bol) Zone(at Stage) string {
	if at == AtDelivery {
		return b.Consignee.V.Zone
	}

	return b.Consignor.V.Zone
}

// Name is a vehicle by its year, make and model.
func (v Vehicle) Name() string {
	name := v.Make + " " + v.Model
	if v.Year != nil {
		name = strconv.FormatInt(*v.Year, 10) + " " + name
	}

	return strings.TrimSpace(name)
}

// Text is a vehicle as people read it.
func (v Vehicle) Text() string {
	parts := []string{v.Name()}
	for _, one := range []struct{ label, value string }{{"", v.Color}, {"VIN ", v.VIN}, {"plate ", v.Plate}, {"lot ", v.Lot}} {
		if one.value != "" {
			parts = append(parts, one.label+one.value)
		}
	}
	if !v.Operable {
		parts = append(parts, "does not run")
	}

	return strings.Trim(strings.Join(parts, ", "), ", ")
}

// BillRules are the rules of bills of lading.
func BillRules() resource.Rules[Bol] {
	of := func(make func(a billsofladingapi.About) events.Event) func(b Bol) events.Event {
		return func(b Bol) events.Event { return make(b.About()) }
	}

	return resource.Rules[Bol]{
		Item: billsofladingapi.BOL, Title: "Bill of lading", Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "The vehicles that a carrier takes from one stop of a load to another, how they were found, and who signed for them.",
		Life:  resource.LifeOf(life, func(b *Bol) *State { return &b.State }),
		Own: []resource.Verb{
			resource.Create, resource.Update, resource.Delete, resource.Restore, VerbIssue, VerbPickup, VerbDelivery, VerbVoid,
		},
		Events: resource.Events[Bol]{
			VerbIssue:    of(func(a billsofladingapi.About) events.Event { return billsofladingapi.Issued{About: a} }),
			VerbPickup:   of(func(a billsofladingapi.About) events.Event { return billsofladingapi.PickupSigned{About: a} }),
			VerbDelivery: of(func(a billsofladingapi.About) events.Event { return billsofladingapi.DeliverySigned{About: a} }),
			VerbClose:    of(func(a billsofladingapi.About) events.Event { return billsofladingapi.Closed{About: a} }),
			VerbVoid:     of(func(a billsofladingapi.About) events.Event { return billsofladingapi.Voided{About: a} }),
		},
	}
}

// EventTime is when something happened at a bill of lading by the clock of a phone, and whether that clock is wrong: then it is now. A clock that is
// more than ten minutes ahead is wrong, and so is one that is more than a day behind the bill of lading, which may have replaced another, or that is
// before the pickup once that is signed.
func (b Bol) EventTime(said, now time.Time) (at time.Time, wrong bool) {
	earliest := b.CreatedAt.Add(-mostBehind)
	if b.State == PickupSigned && b.PickupAt != nil {
		earliest = *b.PickupAt
	}
	switch {
	case said.IsZero():
		return now, false
	case said.After(now.Add(mostAhead)) || said.Before(earliest):
		return now, true
	}

	return clock.Stamp(said), false
}

const (
	mostAhead  = 10 * time.Minute
	mostBehind = 24 * time.Hour
)
