// Package routeengineapi is what other areas may know of the route_engine area: its id, places by ZIP code with their time zones, and
// miles between places.
package routeengineapi

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Area is the id of the area, Correction the type of its items.
const (
	Area       = "route_engine"
	Correction = "route_engine.correction"
)

// The failures of Places and Routes.
var (
	// ErrUnknownPlace is the failure of a place that is not known, or that has no position; its fields say why. The detail "nearest"
	// has up to three places that may be meant.
	ErrUnknownPlace = errs.New(errs.Invalid, "route_engine.unknown_place", "The given data was invalid.")
	// ErrNoRoad is the failure of places that neither a road nor a ferry for cars connects; the detail "between" has the ids of both.
	ErrNoRoad = errs.New(errs.Invalid, "route_engine.no_road", "There is no road between these places.")
)

// Place is where a ZIP code is.
type Place struct {
	// ID is a stable place id, such as "zip-75201".
	ID, ZIP, City, State, County string
	// Lat and Lng are in degrees, and 0 for a military post office.
	Lat, Lng float64
	// TimeZone is a name of the IANA database, "" for a military post office.
	TimeZone string
	Military bool
	// Country is US or CA.
	Country string
}

// Places finds places in memory, without a database or network.
type Places interface {
	// Place returns the place of a ZIP code of five or nine digits, or of a Canadian postal code. Error: ErrUnknownPlace.
	Place(ctx context.Context, zip string) (Place, error)
	// City returns the place of a city of a state or a Canadian province, by its two letters or its name. Error: ErrUnknownPlace.
	City(ctx context.Context, city, state string) (Place, error)
	// Near returns the place whose middle is nearest to a point in degrees, and how many miles away it is.
	Near(ctx context.Context, lat, lng float64) (Place, float64)
	// Miles returns the estimated miles by road between two places, without corrections and providers: for comparing many ways. Routes knows better.
	Miles(from, to Place) float64
}

// Stop is a place on a route: a ZIP code, a place id, a city with its state, or coordinates.
type Stop struct {
	ZIP     string   `json:"zip,omitempty"`
	PlaceID string   `json:"place_id,omitempty"`
	City    string   `json:"city,omitempty"`
	State   string   `json:"state,omitempty"`
	Lat     *float64 `json:"lat,omitempty"`
	Lng     *float64 `json:"lng,omitempty"`
}

// Route is a way over two or more stops.
type Route struct {
	// Miles have one digit after the point, those of the legs too.
	Miles   float64
	Minutes int
	// Measured is false for an estimate, which is typically within 8 % and may be 20 % off.
	Measured bool
	// Refreshing says that a provider was asked for the real miles, which are there in a while.
	Refreshing bool
	// FromDays and ToDays are in how many days a load is usually delivered.
	FromDays, ToDays int
	Legs             []Leg
	// Warnings are codes: "ferry", "border" …
	Warnings []string
}

// Leg is the way from one stop to the next.
type Leg struct {
	Miles    float64
	Minutes  int
	Measured bool
}

// Routes knows the miles between places. It never waits for a vendor.
type Routes interface {
	// Route returns the way over stops, at least two. Errors: ErrUnknownPlace, ErrNoRoad.
	Route(ctx context.Context, stops ...Stop) (Route, error)
}
