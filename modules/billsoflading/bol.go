package billsoflading

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// bol is a row of bills_of_lading_bols: the vehicles that a carrier takes from one stop of a load to another, and what was signed for them.
type bol struct {
	resource.Row

	Number       string                     `json:"number" field:"number=BOL-{yyyy}-{seq:6},search,title,sort"`
	Load         uuid.UUID                  `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load"`
	Dispatch     *uuid.UUID                 `json:"dispatch_uuid" gorm:"column:dispatch_id" field:"readonly" doc:"The dispatch of the load, null if it is not known."`
	State        standing                   `json:"state" field:"sort"`
	Inspection   string                     `json:"inspection_type" gorm:"column:inspection_type" field:"readonly,sort" enum:"standard,advanced,aiag"`
	PickupStop   uuid.UUID                  `json:"pickup_stop_uuid" gorm:"column:pickup_stop" field:"readonly"`
	DeliveryStop uuid.UUID                  `json:"delivery_stop_uuid" gorm:"column:delivery_stop" field:"readonly"`
	CarrierID    uuid.UUID                  `json:"carrier_uuid" gorm:"column:carrier_id" field:"readonly"`
	Carrier      resource.JSON[hauler]      `json:"carrier" field:"readonly" doc:"The carrier as it was when the bill was issued."`
	Consignor    resource.JSON[party]       `json:"consignor" field:"readonly" doc:"Who releases the vehicles."`
	Consignee    resource.JSON[party]       `json:"consignee" field:"readonly" doc:"Who receives them."`
	Vehicles     resource.JSON[[]cargo]     `json:"vehicles" field:"readonly"`
	Terms        string                     `json:"terms" field:"readonly,nofilter" doc:"The terms of the settings when it was issued."`
	Amendments   resource.JSON[[]amendment] `json:"amendments" field:"readonly" doc:"What is said of it after it was signed. Nothing is taken off it."`
	Replaces     *uuid.UUID                 `json:"replaces_uuid" gorm:"column:replaces" field:"readonly" doc:"The bill that was voided for this one."`
	VoidReason   string                     `json:"void_reason" field:"readonly,nofilter"`
	IssuedAt     *time.Time                 `json:"issued_at" field:"readonly,sort"`
	PickupAt     *time.Time                 `json:"pickup_signed_at" gorm:"column:pickup_signed_at" field:"readonly,sort"`
	DeliveryAt   *time.Time                 `json:"delivery_signed_at" gorm:"column:delivery_signed_at" field:"readonly,sort"`
	PickupFile   *uuid.UUID                 `json:"pickup_document_uuid" gorm:"column:pickup_document" field:"readonly" doc:"The attachment with the PDF as it was signed at the pickup; null until it is printed."`
	DeliveryFile *uuid.UUID                 `json:"delivery_document_uuid" gorm:"column:delivery_document" field:"readonly"`
}

// TableName implements GORM's naming.
func (bol) TableName() string { return "bills_of_lading_bols" }

// hauler is a carrier on a bill of lading.
type hauler struct {
	Name   string `json:"name"`
	USDOT  string `json:"usdot"`
	Docket string `json:"docket"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (hauler) SchemaName() string { return "BOLCarrier" }

// party is a consignor or a consignee, with the place.
type party struct {
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
func (party) SchemaName() string { return "BOLParty" }

// place is where a party is, as people read it.
func (p party) place() string {
	return strings.TrimSpace(strings.Trim(p.City+", "+p.State, ", ") + " " + p.Postal)
}

// cargo is a vehicle on a bill of lading.
type cargo struct {
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
func (cargo) SchemaName() string { return "BOLVehicle" }

// amendment is something that is said of a bill of lading after it was signed.
type amendment struct {
	At     time.Time  `json:"at"`
	User   *uuid.UUID `json:"user_uuid"`
	Text   string     `json:"text"`
	Reason string     `json:"reason"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (amendment) SchemaName() string { return "BOLAmendment" }

// standing is a state of a bill of lading.
type standing string

const (
	draft          standing = "draft"
	issued         standing = "issued"
	pickupSigned   standing = "pickup_signed"
	deliverySigned standing = "delivery_signed"
	closed         standing = "closed"
	voided         standing = "void"
	transferred    standing = "transferred" // another carrier carries its vehicles on, with a bill of lading of its own
)

// What is done to a bill of lading, beside what is done to every resource.
const (
	verbIssue    resource.Verb = "issue"
	verbPickup   resource.Verb = "sign_pickup"
	verbDelivery resource.Verb = "sign_delivery"
	verbClose    resource.Verb = "close"
	verbVoid     resource.Verb = "void"
	verbTransfer resource.Verb = "transfer"
	verbAmend    resource.Verb = "amend"
	verbPrint    resource.Verb = "print"
	verbName     resource.Verb = "name_dispatch"
)

// life is the life of bills of lading.
var life = state.Machine[standing]{
	Item: billsofladingapi.BOL, Initial: draft, Final: []standing{closed, voided, transferred},
	Steps: []state.Step[standing]{
		{From: []standing{draft}, Verb: string(verbIssue), To: issued},
		{From: []standing{issued}, Verb: string(verbPickup), To: pickupSigned, Automatic: true},
		{From: []standing{pickupSigned}, Verb: string(verbDelivery), To: deliverySigned, Automatic: true},
		{From: []standing{deliverySigned}, Verb: string(verbClose), To: closed, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []standing{draft, issued, pickupSigned}, Verb: string(verbVoid), To: voided},
		{From: []standing{pickupSigned}, Verb: string(verbTransfer), To: transferred, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
	},
}

// stage is when vehicles change hands.
type stage string

const (
	atPickup   stage = "pickup"
	atDelivery stage = "delivery"
)

// due is the stage at which a bill of lading is signed next, "" for none.
func (b bol) due() stage {
	switch b.State {
	case draft, issued:
		return atPickup
	case pickupSigned:
		return atDelivery
	case deliverySigned, closed, voided, transferred:
	}

	return ""
}

// vehicle finds a vehicle on a bill of lading.
func (b bol) vehicle(id uuid.UUID) (cargo, error) {
	for _, v := range b.Vehicles.V {
		if v.UUID == id {
			return v, nil
		}
	}

	return cargo{}, errEntry.WithField("vehicle_uuid", "The vehicle is not on the bill of lading.")
}

// lacks are what 49 CFR 373.101 asks for on a bill of lading, and this one has not.
func (b bol) lacks() *errs.Error {
	wrong := errFields
	for name, p := range map[string]party{"consignor": b.Consignor.V, "consignee": b.Consignee.V} {
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

func (b bol) about() billsofladingapi.About {
	return billsofladingapi.About{BOL: b.ID.String(), Load: b.Load.String()}
}

var (
	errBOL       = errs.New(errs.Invalid, "bills_of_lading.invalid_bol", "The given data was invalid.")
	errFields    = errs.New(errs.Invalid, "bills_of_lading.missing_fields", "The bill of lading lacks what 49 CFR 373.101 asks for.")
	errThere     = errs.New(errs.Conflict, "bills_of_lading.bol_taken", "There is a bill of lading for these vehicles. Void that one first.")
	errSigned    = errs.New(errs.Conflict, "bills_of_lading.signed_already", "It was signed already, and stays unchanged. Amend it.")
	errTakenBack = errs.New(errs.Conflict, "bills_of_lading.taken_back", "The carrier no longer has the load. Open its current dispatch.")
	errNobody    = errs.New(errs.Conflict, "bills_of_lading.no_carrier", "No carrier has the load. Dispatch it first.")
)

func bolRules() resource.Rules[bol] {
	of := func(make func(a billsofladingapi.About) events.Event) func(b bol) events.Event {
		return func(b bol) events.Event { return make(b.about()) }
	}

	return resource.Rules[bol]{
		Item: billsofladingapi.BOL, Title: "Bill of lading", Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "The vehicles that a carrier takes from one stop of a load to another, how they were found, and who signed for them.",
		Life:  resource.LifeOf(life, func(b *bol) *standing { return &b.State }),
		Own: []resource.Verb{
			resource.Create, resource.Update, resource.Delete, resource.Restore, verbIssue, verbPickup, verbDelivery, verbVoid,
		},
		Failures: resource.Failures{Invalid: errBOL, Taken: errThere},
		Events: resource.Events[bol]{
			verbIssue:    of(func(a billsofladingapi.About) events.Event { return billsofladingapi.Issued{About: a} }),
			verbPickup:   of(func(a billsofladingapi.About) events.Event { return billsofladingapi.PickupSigned{About: a} }),
			verbDelivery: of(func(a billsofladingapi.About) events.Event { return billsofladingapi.DeliverySigned{About: a} }),
			verbClose:    of(func(a billsofladingapi.About) events.Event { return billsofladingapi.Closed{About: a} }),
			verbVoid:     of(func(a billsofladingapi.About) events.Event { return billsofladingapi.Voided{About: a} }),
		},
	}
}
