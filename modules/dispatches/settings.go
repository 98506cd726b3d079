package dispatches

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// preferences are how a company works with carriers.
type preferences struct {
	OfferMinutes int64    `json:"offer_minutes" doc:"How long carriers can answer an offer, unless it says so itself."`
	NextMinutes  int64    `json:"sequential_minutes" doc:"How long each carrier of a sequence can answer."`
	Rounds       int64    `json:"max_rounds" doc:"How often each side may counter."`
	Proof        string   `json:"identity_code" enum:"off,new,always" doc:"Which carriers prove by a code that they are the carrier before they accept by a link: those that never have, or all, each time. The code goes to the phone or e-mail of the regulator's record alone."`
	Terms        string   `json:"terms" doc:"What carriers accept with a load. Dispatches keep the terms with which they were accepted."`
	USDOT        string   `json:"usdot" doc:"The company's own USDOT number, as carriers see it."`
	Docket       string   `json:"docket" doc:"The company's own docket number." example:"MC-654321"`
	Phone        string   `json:"phone" doc:"Whom carriers call."`
	EndReasons   []reason `json:"cancel_reasons" nullable:"false"`
	Version      int64    `json:"version" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (preferences) SchemaName() string { return "DispatchSettings" }

// reason is why a dispatch is canceled.
type reason struct {
	ID          string `json:"id" minLength:"1" maxLength:"40" pattern:"^[a-z][a-z0-9_]*$"`
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

var errSettings = errs.New(errs.Invalid, "dispatches.invalid_settings", "The given data was invalid.")

func settingsRoutes(r *web.Router, d *desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/settings", ID: "read_settings", Access: web.Read, Summary: "Read how the company works with carriers", Errors: []*errs.Error{errSettings},
	}, func(ctx context.Context, _ *struct{}) (*web.Resource[preferences], error) {
		v, err := d.settings.Read(ctx)
		v.Now.Version = v.Version

		return web.NewResource(v.Now, v.Version, base+"/settings"), err
	})
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/settings", ID: "update_settings", Access: web.Scope("settings"), Summary: "Change how the company works with carriers",
		Description: "What the body leaves out stays.", Errors: []*errs.Error{errSettings},
	}, func(ctx context.Context, in *patchSettingsInput) (*web.Resource[preferences], error) {
		v, err := d.settings.Change(ctx, in.IfMatch, in.change)
		v.Now.Version = v.Version

		return web.NewResource(v.Now, v.Version, base+"/settings"), err
	})
}

type patchSettingsInput struct {
	web.IfMatch

	Body struct {
		OfferMinutes *int64    `json:"offer_minutes,omitempty" minimum:"5" maximum:"20160"`
		NextMinutes  *int64    `json:"sequential_minutes,omitempty" minimum:"5" maximum:"1440"`
		Rounds       *int64    `json:"max_rounds,omitempty" minimum:"0" maximum:"10"`
		Proof        *string   `json:"identity_code,omitempty" enum:"off,new,always"`
		Terms        *string   `json:"terms,omitempty" maxLength:"20000"`
		USDOT        *string   `json:"usdot,omitempty" maxLength:"12" pattern:"^[0-9]*$"`
		Docket       *string   `json:"docket,omitempty" maxLength:"20"`
		Phone        *string   `json:"phone,omitempty" maxLength:"20"`
		EndReasons   *[]reason `json:"cancel_reasons,omitempty" maxItems:"50"`
	}
}

// change changes what the body names.
func (in *patchSettingsInput) change(now *preferences) error {
	b, wrong := in.Body, errSettings
	set(&now.OfferMinutes, b.OfferMinutes)
	set(&now.NextMinutes, b.NextMinutes)
	set(&now.Rounds, b.Rounds)
	set(&now.Proof, b.Proof)
	set(&now.Terms, b.Terms)
	set(&now.USDOT, b.USDOT)
	set(&now.Docket, b.Docket)
	set(&now.Phone, b.Phone)
	set(&now.EndReasons, b.EndReasons)
	for i, r := range now.EndReasons {
		if slices.ContainsFunc(now.EndReasons[:i], func(other reason) bool { return other.ID == r.ID }) {
			wrong = wrong.WithField("cancel_reasons."+strconv.Itoa(i)+".id", "Another reason has this id.")
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

func set[T any](into, from *T) {
	if from != nil {
		*into = *from
	}
}
