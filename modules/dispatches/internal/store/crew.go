package store

import (
	"cmp"

	"github.com/dispatchd/dispatchd/platform/field"
)

// Crew is who comes for a load.
type Crew struct {
	DriverName  string      `json:"driver_name,omitempty" maxLength:"200"`
	DriverPhone field.Phone `json:"driver_phone,omitempty"`
	Truck       string      `json:"truck,omitempty" maxLength:"100" doc:"Its number, and what helps to find it."`
	TruckPlate  string      `json:"truck_plate,omitempty" maxLength:"20"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Crew) SchemaName() string { return "DispatchCrew" }

// ApplyTo puts a crew on a dispatch; what is empty stays.
func (c Crew) ApplyTo(d *Dispatch) {
	d.DriverName, d.DriverPhone = cmp.Or(c.DriverName, d.DriverName), cmp.Or(c.DriverPhone, d.DriverPhone)
	d.Truck, d.TruckPlate = cmp.Or(c.Truck, d.Truck), cmp.Or(c.TruckPlate, d.TruckPlate)
}
