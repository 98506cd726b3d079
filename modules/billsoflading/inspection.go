package billsoflading

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// inspection is a row of bills_of_lading_inspections: how a vehicle was found at a stage. There is one at most of each.
type inspection struct {
	resource.Row

	BOL         uuid.UUID      `json:"bol_uuid" gorm:"column:bol_id" field:"required,fixed,item=bills_of_lading.bol"`
	Load        uuid.UUID      `json:"load_uuid" gorm:"column:load_id" field:"readonly"`
	Vehicle     uuid.UUID      `json:"vehicle_uuid" gorm:"column:vehicle_id" field:"required,fixed"`
	Stage       stage          `json:"stage" field:"required,fixed,sort" enum:"pickup,delivery"`
	State       string         `json:"state" field:"readonly,default=open,sort" enum:"open,submitted"`
	InspectedAt *time.Time     `json:"inspected_at" field:"readonly,sort" doc:"By the clock of the phone."`
	SubmittedAt *time.Time     `json:"submitted_at" field:"readonly,sort" doc:"By the clock of the service."`
	ClockAhead  bool           `json:"clock_ahead" field:"readonly" doc:"Whether the phone named a time that cannot be, such as in the future or more than a day before the bill of lading was made; inspected_at is then when the service heard of it."`
	Inspector   string         `json:"inspector" field:"readonly,personal" doc:"The name of whoever inspected."`
	VIN         string         `json:"vin_scanned" gorm:"column:vin_scanned" field:"readonly,search"`
	VINCheck    string         `json:"vin_check" gorm:"column:vin_check" field:"readonly,default=none,sort" enum:"none,matches,differs,accepted" doc:"accepted: it differs, and a user has taken that."`
	VINNote     string         `json:"vin_note" gorm:"column:vin_note" field:"readonly,nofilter" doc:"What the VIN says of a vehicle whose VIN the load does not have, or why it was accepted."`
	Odometer    *int64         `json:"odometer" field:"readonly"`
	Unit        string         `json:"odometer_unit" gorm:"column:odometer_unit" field:"readonly,default=mi" enum:"mi,km"`
	Keys        *int64         `json:"keys_count" gorm:"column:keys_count" field:"readonly"`
	Fuel        *int64         `json:"fuel_eighths" gorm:"column:fuel_eighths" field:"readonly"`
	Drivable    string         `json:"drivable" field:"readonly,default=unknown" enum:"yes,no,unknown"`
	Loose       string         `json:"loose_items" gorm:"column:loose_items" field:"readonly,nofilter" doc:"What was left in the vehicle."`
	Weather     string         `json:"weather" field:"readonly,default=dry" enum:"dry,wet,snow,dark" doc:"What limits what can be seen."`
	Notes       string         `json:"notes" field:"readonly,nofilter"`
	Position    field.GeoPoint `json:"position" field:"readonly"`
	Skipped     string         `json:"skipped_reason" gorm:"column:skipped_reason" field:"readonly,nofilter" doc:"Why a clean vehicle was not inspected, of the type aiag."`
	Subject     bool           `json:"subject_to_inspection" gorm:"column:subject_to_inspection" field:"readonly" doc:"Whether the receiver inspects later (STI)."`
	NoteBy      *time.Time     `json:"note_by" field:"readonly" doc:"Until when damage found later is to be noted."`
	Invited     int64          `json:"-" gorm:"column:photos_invited" field:"hidden"`
	Warnings    []entryWarning `json:"warnings,omitempty" field:"-" gorm:"-" doc:"What may be wrong; only in responses to what is recorded."`
}

// TableName implements GORM's naming.
func (inspection) TableName() string { return "bills_of_lading_inspections" }

// entryWarning is something that may be wrong, and is kept all the same.
type entryWarning struct {
	Code    string `json:"code" enum:"odometer_back"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (entryWarning) SchemaName() string { return "BOLEntryWarning" }

// submitted is the state of an inspection that is complete.
const submitted = "submitted"

// damaged is a row of bills_of_lading_damages: a damage that an inspection found.
type damaged struct {
	resource.Row

	Inspection uuid.UUID  `json:"inspection_uuid" gorm:"column:inspection_id" field:"required,fixed,item=bills_of_lading.inspection"`
	BOL        uuid.UUID  `json:"bol_uuid" gorm:"column:bol_id" field:"readonly"`
	Load       *uuid.UUID `json:"load_uuid" gorm:"column:load_id" field:"readonly"`
	Vehicle    uuid.UUID  `json:"vehicle_uuid" gorm:"column:vehicle_id" field:"readonly"`
	Stage      stage      `json:"stage" field:"readonly,sort" enum:"pickup,delivery"`
	System     string     `json:"code_system" gorm:"column:code_system" field:"readonly,default=letters" enum:"aiag,letters,custom"`
	Code       string     `json:"code" field:"readonly,search,sort" doc:"Of GET /damage_codes: five digits of AIAG M-22, or letters."`
	Title      string     `json:"title" gorm:"column:words" field:"readonly,title" doc:"What the code says." example:"Scratched"`
	Side       string     `json:"side" field:"readonly,default=unknown" enum:"left,right,front,rear,top,interior,unknown"`
	X          *int64     `json:"x" gorm:"column:x" field:"readonly" doc:"Where on the outline of the side, 0 to 1000 from the left."`
	Y          *int64     `json:"y" gorm:"column:y" field:"readonly" doc:"0 to 1000 from the top."`
	Size       *int64     `json:"size_mm" gorm:"column:size_mm" field:"readonly"`
	Note       string     `json:"note" field:"readonly,nofilter"`
	Existing   bool       `json:"pre_existing" gorm:"column:pre_existing" field:"readonly" doc:"Whether the same was found at the pickup."`
	Claim      string     `json:"status" gorm:"column:claim_status" field:"default=open,sort" enum:"open,claimed,waived" doc:"What becomes of it."`
	Client     *uuid.UUID `json:"client_id" gorm:"column:client_id" field:"readonly" doc:"The id that the phone gave it."`
}

// TableName implements GORM's naming.
func (damaged) TableName() string { return "bills_of_lading_damages" }

// same is what two notes of one damage have in common.
func (d damaged) same() string {
	if d.System == "aiag" && len(d.Code) > 4 {
		return d.Vehicle.String() + d.Code[:4]
	}

	return d.Vehicle.String() + d.Side + d.Code + d.Note
}

// photo is a row of bills_of_lading_photos: an attachment of an inspection, and what it shows.
type photo struct {
	resource.Row

	Inspection   uuid.UUID      `json:"inspection_uuid" gorm:"column:inspection_id" field:"required,fixed,item=bills_of_lading.inspection"`
	BOL          uuid.UUID      `json:"bol_uuid" gorm:"column:bol_id" field:"readonly"`
	Load         *uuid.UUID     `json:"load_uuid" gorm:"column:load_id" field:"readonly"`
	Vehicle      uuid.UUID      `json:"vehicle_uuid" gorm:"column:vehicle_id" field:"readonly"`
	Stage        stage          `json:"stage" field:"readonly,sort" enum:"pickup,delivery"`
	Attachment   uuid.UUID      `json:"attachment_uuid" gorm:"column:attachment_id" field:"readonly,item=attachments.attachment"`
	Subject      string         `json:"subject" field:"readonly,sort,title"`
	Damage       *uuid.UUID     `json:"damage_uuid" gorm:"column:damage_id" field:"readonly" doc:"The damage that it shows."`
	DamageClient *uuid.UUID     `json:"damage_client_id" gorm:"column:damage_client_id" field:"readonly" doc:"The client_id of the damage that it shows, where the phone named that."`
	TakenAt      *time.Time     `json:"taken_at" field:"readonly,sort" doc:"By the clock of the phone."`
	ClockAhead   bool           `json:"clock_ahead" field:"readonly"`
	Position     field.GeoPoint `json:"position" field:"readonly"`
	SHA256       string         `json:"sha256" gorm:"column:sha256" field:"readonly"`
	Size         int64          `json:"size_bytes" gorm:"column:size_bytes" field:"readonly" doc:"0 for a photo of which it is not known."`
}

// TableName implements GORM's naming.
func (photo) TableName() string { return "bills_of_lading_photos" }

// shows reports whether a photo is of a damage.
func (p photo) shows(d damaged) bool {
	return p.Damage != nil && *p.Damage == d.ID || p.DamageClient != nil && d.Client != nil && *p.DamageClient == *d.Client
}

var (
	errClient   = errs.New(errs.Invalid, "bills_of_lading.client_id_used", "The given data was invalid.")
	errEntry    = errs.New(errs.Invalid, "bills_of_lading.invalid_entry", "The given data was invalid.")
	errCode     = errs.New(errs.Invalid, "bills_of_lading.code_unknown", "The given data was invalid.")
	errPhotos   = errs.New(errs.Invalid, "bills_of_lading.photos_missing", "There are not enough photos.")
	errPosition = errs.New(errs.Invalid, "bills_of_lading.position_needed", "The inspection needs the position of the phone.")
	errUncoded  = errs.New(errs.Invalid, "bills_of_lading.code_needed", "Each damage needs a code of AIAG M-22.")
	errUnsent   = errs.New(errs.Invalid, "bills_of_lading.inspections_missing", "Not all vehicles are inspected.")
	errVIN      = errs.New(errs.Conflict, "bills_of_lading.vin_differs", "The VIN of a vehicle is another one than that of the load. Correct the load, or accept the VIN.")
	errSameVIN  = errs.New(errs.Conflict, "bills_of_lading.vin_not_different", "No VIN was scanned that differs from the load's: there is nothing to accept.")
	errTooMany  = errs.New(errs.Conflict, "bills_of_lading.too_many", "A vehicle has at most 200 damages and 200 photos at a stage. Leave the others out.")
	errFull     = errs.New(errs.Conflict, "bills_of_lading.photos_full", "The photos of a bill of lading have at most 2 GiB together. Send smaller ones.")
	// errUnconfirmed is raised by dispatches, which are asked before vehicles are picked up.
	errUnconfirmed = errs.New(errs.Conflict, "dispatches.terms_unconfirmed", "The carrier has not confirmed the lower pay yet. It does so by its link; the office can go on with a note.")

	errStage = errs.New(errs.Conflict, "bills_of_lading.not_now", "The vehicles were not picked up yet. Have the pickup signed first.")
)

// fixed are the rules that the resources of an inspection share: the area's own operations alone write them.
func fixed() []resource.Verb {
	return []resource.Verb{resource.Create, resource.Update, resource.Delete, resource.Restore}
}

func inspectionRules() resource.Rules[inspection] {
	return resource.Rules[inspection]{
		Item: billsofladingapi.Inspection, Sort: []string{"-created_at"}, KeepDeleted: true, Own: fixed(),
		About:    "How a vehicle was found when it changed hands. `filter[bol_uuid]` lists those of a bill of lading.",
		Failures: resource.Failures{Invalid: errEntry},
	}
}

func damageRules() resource.Rules[damaged] {
	return resource.Rules[damaged]{
		Item: billsofladingapi.Damage, Sort: []string{"created_at"}, KeepDeleted: true, Own: []resource.Verb{resource.Create, resource.Delete, resource.Restore},
		About:    "A damage that an inspection found. Only its status changes. `filter[bol_uuid]` lists those of a bill of lading, `filter[load_uuid]` those of a load.",
		Failures: resource.Failures{Invalid: errEntry},
	}
}

func photoRules() resource.Rules[photo] {
	return resource.Rules[photo]{
		Item: billsofladingapi.Photo, Sort: []string{"created_at"}, KeepDeleted: true, Own: fixed(),
		About:    "A photo of an inspection: an attachment, and what it shows. `filter[bol_uuid]` lists those of a bill of lading, `filter[load_uuid]` those of a load.",
		Failures: resource.Failures{Invalid: errEntry},
	}
}

func signatureRules() resource.Rules[signature] {
	return resource.Rules[signature]{
		Item: billsofladingapi.Signature, Sort: []string{"created_at"}, KeepDeleted: true, Own: fixed(),
		About:    "Who signed a bill of lading at which stage. `filter[bol_uuid]` lists those of one.",
		Failures: resource.Failures{Invalid: errEntry, Taken: errSigned},
		Events:   resource.Events[signature]{resource.Create: func(s signature) events.Event { return s.event() }},
	}
}
