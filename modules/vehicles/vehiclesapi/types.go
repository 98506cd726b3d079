package vehiclesapi

import "slices"

// Type is a type of vehicles, as load boards know them.
type Type string

// The types.
const (
	Other          Type = "other"
	ATV            Type = "atv"
	Boat           Type = "boat"
	Car            Type = "car"
	Coupe          Type = "coupe"
	Convertible    Type = "convertible"
	Dually         Type = "dually"
	Exotic         Type = "exotic"
	Hatchback      Type = "hatchback"
	HeavyEquipment Type = "heavy_equipment"
	LargeYacht     Type = "large_yacht"
	Minivan        Type = "minivan"
	Motorcycle     Type = "motorcycle"
	Pickup         Type = "pickup"
	RV             Type = "rv"
	Sedan          Type = "sedan"
	SmallYacht     Type = "small_yacht"
	SUV            Type = "suv"
	Trailer        Type = "trailer"
	TravelTrailer  Type = "travel_trailer"
	Truck          Type = "truck"
	Van            Type = "van"
	Wagon          Type = "wagon"
)

// TypeName is a type with its name for users.
type TypeName struct {
	Type Type   `json:"type" example:"suv"`
	Name string `json:"name" example:"SUV"`
	// Decoded types have models in the catalogue; the others are chosen by users.
	Decoded bool `json:"decoded" doc:"Whether VINs and models have this type. The others are for users to choose."`
}

// SchemaName implements web.SchemaNamer.
func (TypeName) SchemaName() string { return "VehicleTypeName" }

var types = []TypeName{
	{ATV, "ATV", true},
	{Boat, "Boat", false},
	{Car, "Car", true},
	{Convertible, "Convertible", true},
	{Coupe, "Coupe", true},
	{Dually, "Dually", false},
	{Exotic, "Exotic", false},
	{Hatchback, "Hatchback", true},
	{HeavyEquipment, "Heavy equipment", true},
	{LargeYacht, "Yacht, large", false},
	{Minivan, "Minivan", true},
	{Motorcycle, "Motorcycle", true},
	{Pickup, "Pickup", true},
	{RV, "RV", true},
	{Sedan, "Sedan", true},
	{SmallYacht, "Yacht, small", false},
	{SUV, "SUV", true},
	{Trailer, "Trailer", true},
	{TravelTrailer, "Travel trailer", false},
	{Truck, "Truck", true},
	{Van, "Van", true},
	{Wagon, "Wagon", true},
	{Other, "Other", true},
}

// Types are all types, by name; Other is the last.
func Types() []TypeName { return slices.Clone(types) }

// Known reports whether it is a type.
func (t Type) Known() bool {
	return slices.ContainsFunc(types, func(n TypeName) bool { return n.Type == t })
}
