// Package vehiclesapi is the contract of the vehicles area: its id, decoding VINs, reading listings, and the types of vehicles.
package vehiclesapi

import "context"

// Area is the id of the area.
const Area = "vehicles"

// Item is the type of the vehicles in the book of a company.
const Item = "vehicles.vehicle"

// Decoder decodes VINs. It never waits for a vendor.
type Decoder interface {
	// DecodeAsked decodes VINs of up to 17 characters, in their order, with what is known of their model years. A text that is no VIN has Problems
	// and nothing else. The error is of the data or of the database, never of a VIN.
	DecodeAsked(ctx context.Context, asked ...Asked) ([]Decoded, error)
}

// Parser reads vehicles in free text, such as the listing of an auction.
type Parser interface {
	Parse(ctx context.Context, text string) ([]Listed, error)
	// Identify finds the type of a vehicle whose make and model came apart. The make stays, spelled as the catalog does; the model stays as
	// it is written, or is the one that it is another name of.
	Identify(ctx context.Context, v Named) (Listed, error)
}

// VehicleDecoded says that a vehicle in the book of the company gained details that the offline data lacks.
type VehicleDecoded struct {
	Vehicle string `json:"vehicle_uuid"`
	VIN     string `json:"vin"`
	// Source is where the details are from: vpic.
	Source string `json:"source"`
}

// EventName implements events.Event.
func (VehicleDecoded) EventName() string { return "vehicles.vehicle.decoded" }
