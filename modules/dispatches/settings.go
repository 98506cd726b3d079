package dispatches

import (
	"context"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/boards"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// preferences are how a company works with carriers.
type preferences struct {
	OfferMinutes int64    `json:"offer_minutes" minimum:"5" maximum:"20160" doc:"How long carriers can answer an offer, unless it says so itself."`
	NextMinutes  int64    `json:"sequential_minutes" minimum:"5" maximum:"1440" doc:"How long each carrier of a sequence can answer."`
	Rounds       int64    `json:"max_rounds" minimum:"0" maximum:"10" doc:"How often each side may counter."`
	Proof        string   `json:"identity_code" enum:"off,new,always" doc:"Which carriers prove by a code that they are the carrier before they accept by a link: those that never have, or all, each time. The code goes to the phone or e-mail of the regulator's record alone."`
	Terms        string   `json:"terms" maxLength:"20000" doc:"What carriers accept with a load. Dispatches keep the terms with which they were accepted."`
	USDOT        string   `json:"usdot" maxLength:"12" pattern:"^[0-9]*$" patternDescription:"digits alone" doc:"The company's own USDOT number, as carriers see it."`
	Docket       string   `json:"docket" maxLength:"20" doc:"The company's own docket number." example:"MC-654321"`
	Phone        string   `json:"phone" maxLength:"20" doc:"Whom carriers call."`
	Sandbox      bool     `json:"sandbox_carriers" doc:"Whether robots answer for carriers whose e-mail address ends in @sandbox.test: accept, decline, counter, silent, late, cancel, double and drive. A load board that makes prices up is there, too."`
	EndReasons   []reason `json:"cancel_reasons" maxItems:"50" nullable:"false"`
	Version      int64    `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (preferences) SchemaName() string { return "DispatchSettings" }

// reason is why a dispatch is canceled.
type reason struct {
	ID          string `json:"id" minLength:"1" maxLength:"40" pattern:"^[a-z][a-z0-9_]*$" patternDescription:"lower-case letters, digits and underscores after a letter"`
	Label       string `json:"label" minLength:"1" maxLength:"100"`
	Responsible string `json:"responsible,omitempty" enum:"customer,carrier,broker"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (reason) SchemaName() string { return "DispatchReason" }

func defaults() preferences {
	return preferences{
		OfferMinutes: 240, NextMinutes: 30, Rounds: 10, Proof: proofNew, //nolint:mnd // four hours, half an hour
		EndReasons: []reason{
			{ID: "breakdown", Label: "The truck broke down", Responsible: carrier},
			{ID: "no_capacity", Label: "There is no room on the truck", Responsible: carrier},
			{ID: "better_load", Label: "The carrier took another load", Responsible: carrier},
			{ID: "no_show", Label: "The carrier did not come", Responsible: carrier},
			{ID: "not_ready", Label: "The vehicles were not ready", Responsible: "customer"},
			{ID: "customer", Label: "The customer canceled", Responsible: "customer"},
			{ID: "broker", Label: "The company needs the load back", Responsible: broker},
			{ID: "other", Label: "Another reason"},
		},
	}
}

// Which carriers prove who they are.
const (
	proofNew    = "new"
	proofAlways = "always"
)

// reason returns one of the cancel_reasons.
func (p preferences) reason(id string) (reason, bool) {
	i := slices.IndexFunc(p.EndReasons, func(r reason) bool { return r.ID == id })
	if i < 0 {
		return reason{}, false
	}

	return p.EndReasons[i], true
}

// newSandboxSwitch says whether the caller's company works with what is made up.
func newSandboxSwitch(d *desk) boards.Switch {
	return func(ctx context.Context) (bool, error) {
		kept, err := d.settings.Read(ctx)

		return kept.Now.Sandbox, err
	}
}

var errSettings = errs.New(errs.Invalid, "dispatches.invalid_settings", "The given data was invalid.")

// WithVersion implements settings.Document.
func (p preferences) WithVersion(n int64) preferences {
	p.Version = n

	return p
}

func settingsRoutes(r *web.Router, d *desk) {
	settings.Routes(r, d.settings, settings.Operations[preferences]{
		About: "how the company works with carriers", Failure: errSettings, Check: func(_ context.Context, p preferences) error { return p.check() },
	})
}

// check refuses reasons of which two have one id.
func (p preferences) check() error {
	wrong := errSettings
	for i, r := range p.EndReasons {
		if slices.ContainsFunc(p.EndReasons[:i], func(other reason) bool { return other.ID == r.ID }) {
			wrong = wrong.WithField("cancel_reasons."+strconv.Itoa(i)+".id", "Another reason has this id.")
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}
