package billsoflading

import (
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// preferences are how a company keeps bills of lading.
type preferences struct {
	Issue        bool   `json:"auto_issue" doc:"Whether a bill of lading that has what 49 CFR 373.101 asks for is issued as soon as a carrier has the load."`
	Photos       int64  `json:"photos_per_vehicle" minimum:"0" maximum:"40" doc:"How many photos of each vehicle an inspection of the type advanced has at least."`
	DamagePhotos int64  `json:"photos_per_damage" minimum:"0" maximum:"10" doc:"How many photos of each damage an inspection of the type aiag has at least."`
	NoteHours    int64  `json:"hours_to_note" minimum:"1" maximum:"720" doc:"For how long the receiver can note damage of a vehicle that was delivered subject to inspection."`
	SendLinks    bool   `json:"send_driver_links" doc:"Whether a driver whose phone number the dispatch has is sent the link by SMS."`
	SharePhotos  bool   `json:"share_photos" doc:"Whether whoever has a link to read a bill of lading sees the photos, in small."`
	Sandbox      bool   `json:"sandbox_drivers" doc:"Whether a robot inspects, signs and delivers for carriers with the e-mail address drive@sandbox.test."`
	Terms        string `json:"terms" maxLength:"20000" doc:"What bills of lading say below. They keep the terms with which they were made."`
	Version      int64  `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (preferences) SchemaName() string { return "BOLSettings" }

// WithVersion implements settings.Document.
func (p preferences) WithVersion(n int64) preferences {
	p.Version = n

	return p
}

func defaults() preferences {
	return preferences{Issue: true, SharePhotos: true, Photos: 6, DamagePhotos: 2, NoteHours: 24} //nolint:mnd // as carriers' apps have it
}

var errSettings = errs.New(errs.Invalid, "bills_of_lading.invalid_settings", "The given data was invalid.")

func settingsRoutes(r *web.Router, k *book) {
	settings.Routes(r, k.settings, settings.Operations[preferences]{About: "how the company keeps bills of lading", Failure: errSettings})
}
