package store

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/trips/tripsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/settings"
)

// Preferences are how a company works with trips.
type Preferences struct {
	Carrier    *uuid.UUID `json:"own_carrier_uuid" doc:"The company's own record among the carriers: with it, loads on trips have a dispatch and a bill of lading as those that others carry."`
	RefuseOver bool       `json:"refuse_over_capacity" doc:"Whether a trip that the truck may not hold cannot be dispatched, acknowledged or not."`
	Version    int64      `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Preferences) SchemaName() string { return "TripSettings" }

// WithVersion implements settings.Document.
func (p Preferences) WithVersion(n int64) Preferences {
	p.Version = n

	return p
}

func defaults() Preferences { return Preferences{} }

// ErrInvalidSettings is for settings that make no sense.
var ErrInvalidSettings = errs.New(errs.Invalid, "trips.invalid_settings", "The given data was invalid.")

// NewSettings returns the settings of companies.
func NewSettings(kept *settings.Store) *settings.Settings[Preferences] {
	return settings.Of(kept, tripsapi.Area, defaults)
}
