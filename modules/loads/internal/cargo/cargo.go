// Package cargo has what is on a load: vehicles, goods that are none, and the numbers by which others know them.
package cargo

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Vehicle is a vehicle on a load.
type Vehicle struct {
	UUID       uuid.UUID        `json:"uuid,omitzero" doc:"Made up for a new one." seen:"customer carrier offer"`
	ExternalID string           `json:"external_id,omitempty" maxLength:"50" doc:"Your own id of the vehicle." seen:"-"`
	VIN        string           `json:"vin,omitempty" maxLength:"20" doc:"It fills in the year, the make, the model and the type where they are left out." example:"1HGCM82633A004352" seen:"customer carrier"`
	Year       *int64           `json:"year,omitempty" minimum:"1900" maximum:"2100" example:"2003" seen:"customer carrier offer"`
	Make       string           `json:"make,omitempty" maxLength:"50" example:"Honda" seen:"customer carrier offer"`
	Model      string           `json:"model,omitempty" maxLength:"100" example:"Accord" seen:"customer carrier offer"`
	Trim       string           `json:"trim,omitempty" maxLength:"100" seen:"customer carrier offer"`
	Color      string           `json:"color,omitempty" maxLength:"30" seen:"customer carrier"`
	Plate      string           `json:"plate,omitempty" maxLength:"12" seen:"customer carrier"`
	PlateState string           `json:"plate_state,omitempty" maxLength:"3" seen:"customer carrier"`
	Type       vehiclesapi.Type `json:"type,omitempty" doc:"As GET /vehicles/api/v1/types lists them; by default that of the VIN, or other." example:"coupe" seen:"customer carrier offer"`
	Size       string           `json:"size,omitempty" enum:"small,medium,large,xlarge,wide,oversize" doc:"By default that of the type, by the settings." seen:"customer carrier offer"`
	Operable   *bool            `json:"operable,omitempty" default:"true" doc:"Whether it runs; false if it has conditions." seen:"customer carrier offer"`
	Conditions []string         `json:"conditions,omitempty" maxItems:"8" nullable:"false" enum:"no_start,no_roll,no_steer,no_brakes,no_keys,flat_tires,no_tires,frame_damage" seen:"customer carrier offer"`
	Modified   []string         `json:"modified,omitempty" maxItems:"5" nullable:"false" enum:"lifted,lowered,oversize_tires,rack,other" seen:"customer carrier offer"`
	LengthIn   int64            `json:"length_in,omitempty" minimum:"0" maximum:"2000" doc:"In inches." seen:"customer carrier offer"`
	WidthIn    int64            `json:"width_in,omitempty" minimum:"0" maximum:"500" seen:"customer carrier offer"`
	HeightIn   int64            `json:"height_in,omitempty" minimum:"0" maximum:"500" seen:"customer carrier offer"`
	WeightLb   int64            `json:"weight_lb,omitempty" minimum:"0" maximum:"200000" doc:"In pounds." seen:"customer carrier offer"`
	Keys       *int64           `json:"keys_count,omitempty" minimum:"0" maximum:"20" seen:"customer carrier"`
	Lot        string           `json:"lot_number,omitempty" maxLength:"50" seen:"customer carrier"`
	Buyer      string           `json:"buyer_number,omitempty" maxLength:"50" seen:"customer carrier"`
	GatePass   string           `json:"gate_pass,omitempty" maxLength:"80" seen:"carrier"`
	Declared   money.Amount     `json:"declared_value,omitempty" seen:"customer"`
	Pickup     uuid.UUID        `json:"pickup_stop_uuid,omitzero" doc:"By default the first stop." seen:"customer carrier offer"`
	Delivery   uuid.UUID        `json:"delivery_stop_uuid,omitzero" doc:"By default the last stop." seen:"customer carrier offer"`
	Tariff     money.Amount     `json:"tariff,omitempty" field:"scope=margins" doc:"What the customer pays for its transport." example:"1100.00" seen:"customer"`
	CarrierPay money.Amount     `json:"carrier_pay,omitempty" field:"scope=margins" doc:"What the carrier gets for it." example:"900.00" seen:"carrier offer"`
	BrokerFee  money.Amount     `json:"broker_fee,omitempty" field:"scope=margins" doc:"tariff less carrier_pay. Of the three, two are enough." example:"200.00" seen:"-"`
	Custody    Custody          `json:"custody,omitempty" field:"readonly" enum:"waiting,picked_up,delivered,removed" doc:"Where it is; set by the service." seen:"customer carrier"`
	PickedUpAt *time.Time       `json:"picked_up_at,omitempty" seen:"customer carrier"`
	DroppedAt  *time.Time       `json:"delivered_at,omitempty" seen:"customer carrier"`
	RemovedFor string           `json:"removed_reason,omitempty" field:"readonly" maxLength:"500" seen:"-"`
	Photos     []uuid.UUID      `json:"photo_uuids,omitempty" maxItems:"20" nullable:"false" doc:"Files of the area attachments that show it as it stands." seen:"carrier"`
	Notes      string           `json:"notes,omitempty" maxLength:"2000" seen:"carrier"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Vehicle) SchemaName() string { return "Vehicle" }

// Custody is where a vehicle is.
type Custody = loadsapi.Custody

// Where a vehicle is: not picked up yet, on the way, at its destination, or taken off the load.
const (
	Waiting = loadsapi.VehicleWaiting
	OnBoard = loadsapi.VehicleOnBoard
	Dropped = loadsapi.VehicleDropped
	Removed = loadsapi.VehicleTakenOff
)

// Most is how many vehicles a load has at most, those among them that were removed.
const Most = 50

// Runs reports whether a vehicle runs.
func (v Vehicle) Runs() bool { return v.Operable == nil || *v.Operable }

// Open reports whether a vehicle is on the load still.
func (v Vehicle) Open() bool { return v.Custody != Removed }

// Name is what people call a vehicle.
func (v Vehicle) Name() string {
	year := ""
	if v.Year != nil {
		year = strconv.FormatInt(*v.Year, 10)
	}

	return cmp.Or(strings.Join(strings.Fields(year+" "+v.Make+" "+v.Model), " "), v.VIN)
}

// Commodity is goods that are no vehicle.
type Commodity struct {
	UUID        uuid.UUID    `json:"uuid,omitzero" doc:"Made up for a new one." seen:"customer carrier offer"`
	Description string       `json:"description" minLength:"1" maxLength:"200" seen:"customer carrier offer"`
	Kind        string       `json:"kind,omitempty" enum:"household_in_vehicle,parts,machinery,general" default:"general" seen:"customer carrier offer"`
	Pieces      int64        `json:"pieces,omitempty" minimum:"0" maximum:"100000" seen:"customer carrier offer"`
	WeightLb    int64        `json:"weight_lb,omitempty" minimum:"0" maximum:"200000" doc:"Of all pieces together, in pounds." seen:"customer carrier offer"`
	LengthIn    int64        `json:"length_in,omitempty" minimum:"0" maximum:"2000" doc:"Of one piece, in inches." seen:"customer carrier offer"`
	WidthIn     int64        `json:"width_in,omitempty" minimum:"0" maximum:"500" seen:"customer carrier offer"`
	HeightIn    int64        `json:"height_in,omitempty" minimum:"0" maximum:"500" seen:"customer carrier offer"`
	Stackable   bool         `json:"stackable,omitempty" doc:"Whether something can stand on it." seen:"customer carrier offer"`
	Hazmat      *Hazmat      `json:"hazmat,omitempty" doc:"For hazardous material, which is refused unless the settings let it in." seen:"customer carrier offer"`
	Declared    money.Amount `json:"declared_value,omitempty" seen:"customer"`
	Pickup      uuid.UUID    `json:"pickup_stop_uuid,omitzero" doc:"By default the first stop." seen:"customer carrier offer"`
	Delivery    uuid.UUID    `json:"delivery_stop_uuid,omitzero" doc:"By default the last stop." seen:"customer carrier offer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Commodity) SchemaName() string { return "Commodity" }

// Hazmat is what goods are by the hazardous materials table of 49 CFR 172.101.
type Hazmat struct {
	Number string `json:"un_number" pattern:"^(UN|NA)[0-9]{4}$" patternDescription:"UN or NA and four digits, such as UN3480" example:"UN3480" seen:"customer carrier offer"`
	Class  string `json:"class" enum:"1.1,1.2,1.3,1.4,1.5,1.6,2.1,2.2,2.3,3,4.1,4.2,4.3,5.1,5.2,6.1,6.2,7,8,9" doc:"By 49 CFR 173.2." example:"9" seen:"customer carrier offer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Hazmat) SchemaName() string { return "LoadHazmat" }

// Reference is a number of somebody else's.
type Reference struct {
	Kind  string `json:"kind" enum:"po,buyer,gate_pass,release,lot,customer,other" seen:"carrier"`
	Value string `json:"value" minLength:"1" maxLength:"80" seen:"carrier"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Reference) SchemaName() string { return "LoadReference" }
