// Package preferences has the settings of the area: how a company works with carriers.
package preferences

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/boards"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Preferences are how a company works with carriers.
type Preferences struct {
	OfferMinutes int64    `json:"offer_minutes" minimum:"5" maximum:"20160" doc:"How long carriers can answer an offer, unless it says so itself."`
	NextMinutes  int64    `json:"sequential_minutes" minimum:"5" maximum:"1440" doc:"How long each carrier of a sequence can answer."`
	Rounds       int64    `json:"max_rounds" minimum:"0" maximum:"10" doc:"How often each side may counter."`
	Proof        string   `json:"identity_code" enum:"off,new,always" doc:"Which carriers prove by a code that they are the carrier before they accept by a link: those that never have, or all, each time. The code goes to the phone or e-mail of the regulator's record alone."`
	Terms        string   `json:"terms" maxLength:"20000" doc:"What carriers accept with a load. Dispatches keep the terms with which they were accepted."`
	USDOT        string   `json:"usdot" maxLength:"12" pattern:"^[0-9]*$" patternDescription:"digits alone" doc:"The company's own USDOT number, as carriers see it; if empty, that of the letterhead (GET /companies/api/v1/letterhead)."`
	Docket       string   `json:"docket" maxLength:"20" doc:"The company's own docket number; if empty, that of the letterhead." example:"MC-654321"`
	Phone        string   `json:"phone" maxLength:"20" doc:"Whom carriers call; if empty, the phone of the letterhead."`
	Sandbox      bool     `json:"sandbox_carriers" doc:"Whether robots answer for carriers whose e-mail address ends in @sandbox.test: accept, decline, counter, silent, late, cancel, double and drive. A load board that makes prices up is there, too."`
	EndReasons   []Reason `json:"cancel_reasons" maxItems:"50" nullable:"false"`
	Version      int64    `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Preferences) SchemaName() string { return "DispatchSettings" }

// Reason is why a dispatch is canceled.
type Reason struct {
	ID          string `json:"id" minLength:"1" maxLength:"40" pattern:"^[a-z][a-z0-9_]*$" patternDescription:"lower-case letters, digits and underscores after a letter"`
	Label       string `json:"label" minLength:"1" maxLength:"100"`
	Responsible string `json:"responsible,omitempty" enum:"customer,carrier,broker"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Reason) SchemaName() string { return "DispatchReason" }

func defaults() Preferences {
	return Preferences{
		OfferMinutes: 240, NextMinutes: 30, Rounds: 10, Proof: ProofNew, //nolint:mnd // four hours, half an hour
		EndReasons: []Reason{
			{ID: "breakdown", Label: "The truck broke down", Responsible: store.Carrier},
			{ID: "no_capacity", Label: "There is no room on the truck", Responsible: store.Carrier},
			{ID: "better_load", Label: "The carrier took another load", Responsible: store.Carrier},
			{ID: "no_show", Label: "The carrier did not come", Responsible: store.Carrier},
			{ID: "not_ready", Label: "The vehicles were not ready", Responsible: "customer"},
			{ID: "customer", Label: "The customer canceled", Responsible: "customer"},
			{ID: "broker", Label: "The company needs the load back", Responsible: store.Broker},
			{ID: "other", Label: "Another reason"},
		},
	}
}

// New returns the settings of the area.
func New(kept *settings.Store) *settings.Settings[Preferences] {
	return settings.Of(kept, dispatchesapi.Area, defaults)
}

// Reader reads the settings as carriers and customers see them: with what the company's letterhead says where they are empty.
type Reader struct {
	kept        *settings.Settings[Preferences]
	letterheads companiesapi.Letterheads
}

// NewReader returns a Reader.
func NewReader(kept *settings.Settings[Preferences], l companiesapi.Letterheads) *Reader {
	return &Reader{kept, l}
}

// Read returns the settings of the caller's company.
func (r *Reader) Read(ctx context.Context) (Preferences, error) {
	stored, err := r.kept.Read(ctx)
	now := stored.Now
	if err != nil || now.USDOT != "" && now.Docket != "" && now.Phone != "" {
		return now, err
	}
	head, err := r.letterheads.Of(ctx)
	now.USDOT, now.Docket, now.Phone = cmp.Or(now.USDOT, head.USDOT), cmp.Or(now.Docket, head.Docket), cmp.Or(now.Phone, head.Phone)

	return now, err
}

// Which carriers prove who they are.
const (
	ProofNew    = "new"
	ProofAlways = "always"
)

// CancelReason returns one of the cancel_reasons.
func (p Preferences) CancelReason(id string) (Reason, bool) {
	i := slices.IndexFunc(p.EndReasons, func(r Reason) bool { return r.ID == id })
	if i < 0 {
		return Reason{}, false
	}

	return p.EndReasons[i], true
}

var errSettings = errs.New(errs.Invalid, "dispatches.invalid_settings", "The given data was invalid.")

// WithVersion implements settings.Document.
func (p Preferences) WithVersion(n int64) Preferences {
	p.Version = n

	return p
}

// Routes registers the operations that read and change the settings.
func Routes(r *web.Router, kept *settings.Settings[Preferences]) {
	settings.Routes(r, kept, settings.Operations[Preferences]{
		About: "how the company works with carriers", Failure: errSettings, Check: func(_ context.Context, p Preferences) error { return p.check() },
	})
}

// check refuses two reasons with the same id.
func (p Preferences) check() error {
	wrong := errSettings
	for i, r := range p.EndReasons {
		if slices.ContainsFunc(p.EndReasons[:i], func(other Reason) bool { return other.ID == r.ID }) {
			wrong = wrong.WithField("cancel_reasons."+strconv.Itoa(i)+".id", "Another reason has this id.")
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// NewSandboxSwitch says whether the caller's company works with what is made up.
func NewSandboxSwitch(kept *settings.Settings[Preferences]) boards.Switch {
	return func(ctx context.Context) (bool, error) {
		now, err := kept.Read(ctx)

		return now.Now.Sandbox, err
	}
}
