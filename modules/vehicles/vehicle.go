package vehicles

import (
	"context"
	"strings"

	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// vehicle is a row of vehicles_vehicles. The schema Vehicle is that of a vehicle on a load.
type vehicle struct {
	resource.Row

	VIN        field.VIN `json:"vin" gorm:"column:vin" field:"required,unique,fixed,sort,search,title"`
	Year       *int64    `json:"year" field:"min=1900,max=2100,sort" doc:"Decoded from the VIN if you omit it, as are make, model, trim and type."`
	Make       string    `json:"make" field:"max=50,sort,search" example:"Honda"`
	Model      string    `json:"model" field:"max=100,sort,search" example:"Accord"`
	Trim       string    `json:"trim" gorm:"column:trim_level" field:"max=100,search" example:"EX-V6"`
	Type       string    `json:"type" field:"max=20,sort" doc:"One of GET /types." example:"sedan"`
	Color      string    `json:"color" field:"max=30,search" example:"Silver"`
	Plate      string    `json:"plate" field:"max=12,search" example:"R12 3456"`
	PlateState string    `json:"plate_state" field:"max=3" doc:"State or province that issued it." example:"TX"`
	Notes      string    `json:"notes" field:"max=2000,search,nofilter"`
}

// TableName implements GORM's naming.
func (vehicle) TableName() string { return "vehicles_vehicles" }

// SchemaName implements web.SchemaNamer.
func (vehicle) SchemaName() string { return "BookVehicle" }

func bookRules() resource.Rules[vehicle] {
	return resource.Rules[vehicle]{
		Item:  vehiclesapi.Item,
		About: "A vehicle that the company has seen, by its VIN. Details that you omit are decoded from the VIN; those that you set are never overwritten.",
		Sort:  []string{"-created_at"},
		Check: checkVehicle,
		Events: resource.Events[vehicle]{
			decode: func(v vehicle) events.Event {
				return vehiclesapi.VehicleDecoded{Vehicle: v.ID.String(), VIN: string(v.VIN), Source: string(vpicProvider)}
			},
		},
	}
}

// checkVehicle normalizes a vehicle, and refuses unknown types.
func checkVehicle(_ context.Context, v *vehicle) error {
	v.PlateState = strings.ToUpper(v.PlateState)
	v.Type = strings.ToLower(v.Type)
	if v.Type != "" && !vehiclesapi.Type(v.Type).Known() {
		return errInvalidType.WithField("type", "The type must be one of "+typeNames()+".")
	}

	return nil
}

func typeNames() string {
	var names []string
	for _, t := range vehiclesapi.Types() {
		names = append(names, string(t.Type))
	}

	return strings.Join(names, ", ")
}
