package inspecting

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
)

// Entry is how a vehicle was found when it changed hands. What it leaves out stays as it was recorded before.
type Entry struct {
	ClientID   uuid.UUID      `json:"client_id,omitzero" doc:"A uuid made up by the phone: repeating the entry changes nothing."`
	OccurredAt time.Time      `json:"occurred_at,omitzero" doc:"By the clock of the phone; by default now."`
	Vehicle    uuid.UUID      `json:"vehicle_uuid"`
	Stage      store.Stage    `json:"stage" enum:"pickup,delivery"`
	Inspector  string         `json:"inspector,omitempty" maxLength:"200"`
	VIN        string         `json:"vin_scanned,omitempty" maxLength:"20" example:"1HGCM82633A004352"`
	Odometer   *int64         `json:"odometer,omitempty" minimum:"0" maximum:"9999999"`
	Unit       string         `json:"odometer_unit,omitempty" enum:"mi,km"`
	Keys       *int64         `json:"keys_count,omitempty" minimum:"0" maximum:"20"`
	Fuel       *int64         `json:"fuel_eighths,omitempty" minimum:"0" maximum:"8"`
	Drivable   string         `json:"drivable,omitempty" enum:"yes,no,unknown"`
	Loose      string         `json:"loose_items,omitempty" maxLength:"2000"`
	Weather    string         `json:"weather,omitempty" enum:"dry,wet,snow,dark"`
	Notes      string         `json:"notes,omitempty" maxLength:"5000"`
	Position   field.GeoPoint `json:"position,omitzero"`
	Skipped    string         `json:"skipped_reason,omitempty" maxLength:"500" doc:"For a clean vehicle that is not inspected, which the inspection type aiag alone allows."`
	Subject    bool           `json:"subject_to_inspection,omitempty" doc:"Whether the receiver inspects later, such as after a night drop."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Entry) SchemaName() string { return "InspectionEntry" }

// DamageEntry is a damage that was found.
type DamageEntry struct {
	ClientID   uuid.UUID   `json:"client_id,omitzero" doc:"A uuid made up by the phone: repeating the entry changes nothing. Photos name the damage by it."`
	OccurredAt time.Time   `json:"occurred_at,omitzero"`
	Vehicle    uuid.UUID   `json:"vehicle_uuid"`
	Stage      store.Stage `json:"stage" enum:"pickup,delivery"`
	System     string      `json:"code_system,omitempty" enum:"aiag,letters,custom" default:"letters"`
	Code       string      `json:"code,omitempty" maxLength:"20" doc:"Of GET /damage_codes; custom has none." example:"SC"`
	Side       string      `json:"side,omitempty" enum:"left,right,front,rear,top,interior,unknown" default:"unknown"`
	X          *int64      `json:"x,omitempty" minimum:"0" maximum:"1000"`
	Y          *int64      `json:"y,omitempty" minimum:"0" maximum:"1000"`
	Size       *int64      `json:"size_mm,omitempty" minimum:"0" maximum:"10000"`
	Note       string      `json:"note,omitempty" maxLength:"1000" doc:"Required for custom."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (DamageEntry) SchemaName() string { return "DamageEntry" }

// SubmitEntry completes the inspection of a vehicle.
type SubmitEntry struct {
	ClientID   uuid.UUID   `json:"client_id,omitzero" doc:"A uuid made up by the phone: repeating the entry changes nothing."`
	OccurredAt time.Time   `json:"occurred_at,omitzero"`
	Vehicle    uuid.UUID   `json:"vehicle_uuid"`
	Stage      store.Stage `json:"stage" enum:"pickup,delivery"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (SubmitEntry) SchemaName() string { return "SubmitEntry" }

// PhotoEntry is what a photo shows.
type PhotoEntry struct {
	ClientID   uuid.UUID
	OccurredAt time.Time
	Vehicle    uuid.UUID
	Stage      store.Stage
	Subject    string
	Damage     *uuid.UUID
	// DamageClient is the client_id of a damage.
	DamageClient *uuid.UUID
	Position     field.GeoPoint
	FileName     string
}

// Subjects are what photos show.
var Subjects = []string{"front", "rear", "left", "right", "roof", "windshield", "odometer", "keys", "vin_plate", "interior", "damage", "document", "other"}
