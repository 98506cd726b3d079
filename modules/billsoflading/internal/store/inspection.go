package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Inspection is a row of bills_of_lading_inspections: how a vehicle was found at a stage. There is one at most of each.
type Inspection struct {
	resource.Row

	BOL         uuid.UUID      `json:"bol_uuid" gorm:"column:bol_id" field:"required,fixed,item=bills_of_lading.bol"`
	Load        uuid.UUID      `json:"load_uuid" gorm:"column:load_id" field:"readonly"`
	Vehicle     uuid.UUID      `json:"vehicle_uuid" gorm:"column:vehicle_id" field:"required,fixed"`
	Stage       Stage          `json:"stage" field:"required,fixed,sort" enum:"pickup,delivery"`
	State       string         `json:"state" field:"readonly,default=open,sort" enum:"open,submitted"`
	InspectedAt *time.Time     `json:"inspected_at" field:"readonly,sort" doc:"By the clock of the phone."`
	SubmittedAt *time.Time     `json:"submitted_at" field:"readonly,sort" doc:"By the clock of the service."`
	ClockAhead  bool           `json:"clock_ahead" field:"readonly" doc:"Whether the phone named a time that cannot be, such as in the future or more than a day before the bill of lading was made; inspected_at is then when the service received it."`
	Inspector   string         `json:"inspector" field:"readonly,personal" doc:"The name of the inspector."`
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
	Warnings    []EntryWarning `json:"warnings,omitempty" field:"-" gorm:"-" doc:"What may be wrong; only in responses to what is recorded."`
}

// TableName implements GORM's naming.
func (Inspection) TableName() string { return "bills_of_lading_inspections" }

// EntryWarning is something that may be wrong, and is kept all the same.
type EntryWarning struct {
	Code    string `json:"code" enum:"odometer_back"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (EntryWarning) SchemaName() string { return "BOLEntryWarning" }

// The states of an inspection.
const (
	Open      = "open"
	Submitted = "submitted"
)

// The results of comparing the VIN found on a vehicle with that of the load.
const (
	VINNone     = "none"
	VINMatches  = "matches"
	VINDiffers  = "differs"
	VINAccepted = "accepted"
)

// What is done to an inspection.
const (
	VerbRecord resource.Verb = "record"
	VerbSubmit resource.Verb = "submit"
	VerbAccept resource.Verb = "accept_vin"
)

// Damaged is a row of bills_of_lading_damages: a damage that an inspection found. Its schema in the OpenAPI document has the name of the type.
type Damaged struct {
	resource.Row

	Inspection uuid.UUID  `json:"inspection_uuid" gorm:"column:inspection_id" field:"required,fixed,item=bills_of_lading.inspection"`
	BOL        uuid.UUID  `json:"bol_uuid" gorm:"column:bol_id" field:"readonly"`
	Load       *uuid.UUID `json:"load_uuid" gorm:"column:load_id" field:"readonly"`
	Vehicle    uuid.UUID  `json:"vehicle_uuid" gorm:"column:vehicle_id" field:"readonly"`
	Stage      Stage      `json:"stage" field:"readonly,sort" enum:"pickup,delivery"`
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
func (Damaged) TableName() string { return "bills_of_lading_damages" }

// Key is equal for two records of one damage: by AIAG, of the same area and type; else of the same side, code and note.
func (d Damaged) Key() string {
	if d.System == "aiag" && len(d.Code) > 4 {
		return d.Vehicle.String() + d.Code[:4]
	}

	return d.Vehicle.String() + d.Side + d.Code + d.Note
}

// Photo is a row of bills_of_lading_photos: an attachment of an inspection, and what it shows.
type Photo struct {
	resource.Row

	Inspection   uuid.UUID      `json:"inspection_uuid" gorm:"column:inspection_id" field:"required,fixed,item=bills_of_lading.inspection"`
	BOL          uuid.UUID      `json:"bol_uuid" gorm:"column:bol_id" field:"readonly"`
	Load         *uuid.UUID     `json:"load_uuid" gorm:"column:load_id" field:"readonly"`
	Vehicle      uuid.UUID      `json:"vehicle_uuid" gorm:"column:vehicle_id" field:"readonly"`
	Stage        Stage          `json:"stage" field:"readonly,sort" enum:"pickup,delivery"`
	Attachment   uuid.UUID      `json:"attachment_uuid" gorm:"column:attachment_id" field:"readonly,item=attachments.attachment"`
	Subject      string         `json:"subject" field:"readonly,sort,title"`
	Damage       *uuid.UUID     `json:"damage_uuid" gorm:"column:damage_id" field:"readonly" doc:"The damage that it shows."`
	DamageClient *uuid.UUID     `json:"damage_client_id" gorm:"column:damage_client_id" field:"readonly" doc:"The client_id of the damage that it shows, where the phone named that."`
	TakenAt      *time.Time     `json:"taken_at" field:"readonly,sort" doc:"By the clock of the phone."`
	ClockAhead   bool           `json:"clock_ahead" field:"readonly"`
	Position     field.GeoPoint `json:"position" field:"readonly"`
	SHA256       string         `json:"sha256" gorm:"column:sha256" field:"readonly"`
	Size         int64          `json:"size_bytes" gorm:"column:size_bytes" field:"readonly" doc:"0 for a photo whose size is not known."`
}

// TableName implements GORM's naming.
func (Photo) TableName() string { return "bills_of_lading_photos" }

// Shows reports whether a photo shows a damage.
func (p Photo) Shows(d Damaged) bool {
	return p.Damage != nil && *p.Damage == d.ID || p.DamageClient != nil && d.Client != nil && *p.DamageClient == *d.Client
}

// fixed are the rules that the resources of an inspection share: the area's own operations alone write them.
func fixed() []resource.Verb {
	return []resource.Verb{resource.Create, resource.Update, resource.Delete, resource.Restore}
}

// InspectionRules are the rules of inspections.
func InspectionRules() resource.Rules[Inspection] {
	return resource.Rules[Inspection]{
		Item: billsofladingapi.Inspection, Sort: []string{"-created_at"}, KeepDeleted: true, Own: fixed(),
		About:    "How a vehicle was found when it changed hands. `filter[bol_uuid]` lists those of a bill of lading.",
		Failures: resource.Failures{Invalid: ErrInvalidEntry},
	}
}

// DamageRules are the rules of damages.
func DamageRules() resource.Rules[Damaged] {
	return resource.Rules[Damaged]{
		Item: billsofladingapi.Damage, Sort: []string{"created_at"}, KeepDeleted: true, Own: []resource.Verb{resource.Create, resource.Delete, resource.Restore},
		About:    "A damage that an inspection found. Only its status changes. `filter[bol_uuid]` lists those of a bill of lading, `filter[load_uuid]` those of a load.",
		Failures: resource.Failures{Invalid: ErrInvalidEntry},
	}
}

// PhotoRules are the rules of photos.
func PhotoRules() resource.Rules[Photo] {
	return resource.Rules[Photo]{
		Item: billsofladingapi.Photo, Sort: []string{"created_at"}, KeepDeleted: true, Own: fixed(),
		About:    "A photo of an inspection: an attachment, and what it shows. `filter[bol_uuid]` lists those of a bill of lading, `filter[load_uuid]` those of a load.",
		Failures: resource.Failures{Invalid: ErrInvalidEntry},
	}
}
