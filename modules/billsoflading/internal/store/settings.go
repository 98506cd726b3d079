package store

import (
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Preferences are how a company keeps bills of lading.
type Preferences struct {
	Issue        bool   `json:"auto_issue" doc:"Whether a bill of lading that has what 49 CFR 373.101 requires is issued as soon as a carrier has the load."`
	Photos       int64  `json:"photos_per_vehicle" minimum:"0" maximum:"40" doc:"How many photos of each vehicle an inspection of the type advanced needs."`
	DamagePhotos int64  `json:"photos_per_damage" minimum:"0" maximum:"10" doc:"How many photos of each damage an inspection of the type aiag needs."`
	NoteHours    int64  `json:"hours_to_note" minimum:"1" maximum:"720" doc:"How long the receiver can note damage of a vehicle that was delivered subject to inspection."`
	SendLinks    bool   `json:"send_driver_links" doc:"Whether a driver whose phone number the dispatch has is sent the link by SMS."`
	SharePhotos  bool   `json:"share_photos" doc:"Whether anyone with a link to read a bill of lading sees the photos, in small."`
	Sandbox      bool   `json:"sandbox_drivers" doc:"Whether a robot inspects, signs and delivers for carriers with the e-mail address drive@sandbox.test."`
	Terms        string `json:"terms" maxLength:"20000" doc:"The terms at the end of bills of lading. A bill keeps those with which it was made."`
	Version      int64  `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Preferences) SchemaName() string { return "BOLSettings" }

// WithVersion implements settings.Document.
func (p Preferences) WithVersion(n int64) Preferences {
	p.Version = n

	return p
}

func defaults() Preferences {
	return Preferences{Issue: true, SharePhotos: true, Photos: 6, DamagePhotos: 2, NoteHours: 24} //nolint:mnd // as carriers' apps have it
}

// NewSettings returns the settings of companies.
func NewSettings(kept *settings.Store) *settings.Settings[Preferences] {
	return settings.Of(kept, billsofladingapi.Area, defaults)
}

// SettingsRoutes are the operations on the settings.
func SettingsRoutes(r *web.Router, kept *settings.Settings[Preferences]) {
	settings.Routes(r, kept, settings.Operations[Preferences]{About: "how the company keeps bills of lading"})
}
