// Package terms has how a company works with loads: what a load must have to be ready, and the reasons for which loads are held, lost and
// canceled.
package terms

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Terms are how a company works with loads.
type Terms struct {
	Required     []string `json:"required_for_ready" maxItems:"7" nullable:"false" enum:"vin,stop_contacts,windows,payment_plan,carrier_pay,signature,deposit" doc:"What a load must have before it can be given to a carrier."`
	RefuseVIN    bool     `json:"refuse_duplicate_vin" doc:"Whether a vehicle that is on another open load is refused, and not only warned of."`
	ChangeOrder  []string `json:"change_order_fields" maxItems:"8" nullable:"false" enum:"vehicles.model,vehicles.type,vehicles.operable,stops.venue,transport_type,available_from,tariff,payment_plan" doc:"What the customer has to sign again if it changes after the customer has signed."`
	LeadExpiry   int64    `json:"lead_expiry_days" minimum:"0" maximum:"365" doc:"After how many days without a change a lead or quoted load is marked lost automatically, with the reason expired; 0 for never, else 7 to 365."`
	LeadResponse int64    `json:"lead_response_minutes" minimum:"0" maximum:"1440" doc:"After how many minutes a new lead on which nobody has worked goes to another user by the assignment rules, within a day of its assignment; 0 for never, else 5 to 1440."`
	StartBooked  bool     `json:"start_booked" doc:"Whether a load that a user enters is booked at once if it has all that booking takes."`
	ShareRecords bool     `json:"share_transaction_records" doc:"Whether the record of a transaction can be sent to a party that asks for it (49 CFR 371.3)."`
	Transport    string   `json:"transport_type" enum:"open,enclosed,driveaway" doc:"What new loads have by default."`
	Inspection   string   `json:"inspection_type" enum:"standard,advanced,aiag" doc:"What new loads have by default."`
	Plan         string   `json:"plan_template" enum:"none,deposit_cod,full_pay,carrier_pays_broker,account" doc:"The template of the payment plan of new loads that come without one."`
	Sizes        []Size   `json:"vehicle_sizes" maxItems:"30" nullable:"false" doc:"Sizes of types of vehicles that are not those of the trade."`
	Hazmat       bool     `json:"allow_hazmat" doc:"Whether loads can have hazardous material."`
	HouseholdLb  int64    `json:"household_limit_lb" minimum:"0" maximum:"10000" doc:"Of more personal effects in each vehicle, in pounds, loads are warned."`
	HoldReasons  []Reason `json:"hold_reasons" minItems:"1" maxItems:"50" nullable:"false"`
	LostReasons  []Reason `json:"lost_reasons" minItems:"1" maxItems:"50" nullable:"false"`
	EndReasons   []Reason `json:"cancel_reasons" minItems:"1" maxItems:"50" nullable:"false"`
	Agreement    string   `json:"agreement_terms" maxLength:"20000" doc:"What the customer agrees to with the price, such as when the deposit is refunded. Agreements have it."`
	Version      int64    `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Terms) SchemaName() string { return "LoadSettings" }

// Size is that of a type of vehicle.
type Size struct {
	Type vehiclesapi.Type `json:"type" doc:"As GET /vehicles/api/v1/types lists them."`
	Size string           `json:"size" enum:"small,medium,large,xlarge,wide,oversize"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Size) SchemaName() string { return "VehicleTypeSize" }

// SizesByType are the sizes of types of vehicles that are not those of the trade.
func (t Terms) SizesByType() map[vehiclesapi.Type]string {
	all := make(map[vehiclesapi.Type]string, len(t.Sizes))
	for _, one := range t.Sizes {
		all[one.Type] = one.Size
	}

	return all
}

// Reason is why a load is held, lost or canceled.
type Reason struct {
	ID          string `json:"id" minLength:"1" maxLength:"40" pattern:"^[a-z][a-z0-9_]*$" patternDescription:"lower-case letters, digits and underscores after a letter"`
	Label       string `json:"label" minLength:"1" maxLength:"100"`
	Responsible string `json:"responsible,omitempty" enum:"customer,carrier,broker" doc:"Whose doing a cancellation is."`
	Chargeable  bool   `json:"chargeable,omitempty" doc:"Whether a cancellation is charged."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Reason) SchemaName() string { return "LoadReason" }

// Defaults are the settings of a company that has changed none.
func Defaults() Terms {
	return Terms{
		Required:    []string{},
		ChangeOrder: signing.Kinds(),
		LeadExpiry:  30, //nolint:mnd // a month
		Transport:   "open",
		Inspection:  "standard",
		Plan:        NoPlan,
		Sizes:       []Size{},
		HouseholdLb: 100, //nolint:mnd // customary in the trade
		Agreement: "The deposit is refunded in full if the customer cancels before a carrier has accepted the transport, or if none is found. Afterwards it is not refunded, " +
			"unless the carrier does not come.",
		HoldReasons: []Reason{
			{ID: "customer_asked", Label: "The customer asked"},
			{ID: "payment", Label: "A payment is missing"},
			{ID: "not_available", Label: "The vehicle is not available"},
			{ID: "other", Label: "Another reason"},
		},
		LostReasons: []Reason{
			{ID: "price", Label: "Too expensive"},
			{ID: "competitor", Label: "Another company"},
			{ID: "no_answer", Label: "No answer"},
			{ID: Expired, Label: "No further response"},
			{ID: "not_needed", Label: "No longer needed"},
			{ID: "other", Label: "Another reason"},
		},
		EndReasons: []Reason{
			{ID: "customer", Label: "The customer canceled", Responsible: "customer"},
			{ID: "no_carrier", Label: "No carrier was found", Responsible: "broker"},
			{ID: "carrier", Label: "The carrier did not come", Responsible: "carrier"},
			{ID: "duplicate", Label: "Ordered twice", Responsible: "broker"},
			{ID: "other", Label: "Another reason"},
		},
	}
}

// NoPlan is for new loads that have no payment plan at first.
const NoPlan = "none"

// LeastResponse is after how long a lead may go to another user at the earliest.
const LeastResponse = 5 * time.Minute

// LeastLeadDays is after how many days a lead may be lost by itself at the earliest, Expired the id of the reason for which it is.
const (
	LeastLeadDays = 7
	Expired       = "expired"
)

// Has reports whether an id is that of a reason.
func Has(all []Reason, id string) bool {
	return slices.ContainsFunc(all, func(r Reason) bool { return r.ID == id })
}

// Of returns the settings of the area.
func Of(store *settings.Store, area string) *settings.Settings[Terms] {
	return settings.Of(store, area, Defaults)
}

// Read returns the terms of the caller's company.
type Read func(ctx context.Context) (Terms, error)

// Reader reads the terms of the caller's company.
type Reader struct{ kept *settings.Settings[Terms] }

// NewReader returns a Reader.
func NewReader(kept *settings.Settings[Terms]) *Reader { return &Reader{kept} }

// Now returns the current terms.
func (r *Reader) Now(ctx context.Context) (Terms, error) {
	v, err := r.kept.Read(ctx)

	return v.Now, err
}

var errInvalid = errs.New(errs.Invalid, "loads.invalid_settings", "The given data was invalid.")

// WithVersion implements settings.Document.
func (t Terms) WithVersion(n int64) Terms {
	t.Version = n

	return t
}

// Routes registers the operations on the settings.
func Routes(r *web.Router, kept *settings.Settings[Terms]) {
	settings.Routes(r, kept, settings.Operations[Terms]{
		About: "how the company works with loads", Description: "Reasons that loads have keep their ids in these loads.", Failure: errInvalid,
		Check: func(_ context.Context, t Terms) error { return t.check() },
	})
}

// check refuses what the limits of the fields let pass.
func (t Terms) check() error {
	wrong := errInvalid
	if n := t.LeadExpiry; n != 0 && n < LeastLeadDays {
		wrong = wrong.WithField("lead_expiry_days", "The number must be 0 for never, or 7 to 365.")
	}
	if n := t.LeadResponse; n != 0 && n < int64(LeastResponse/time.Minute) {
		wrong = wrong.WithField("lead_response_minutes", "The number must be 0 for never, or 5 to 1440.")
	}
	for i, one := range t.Sizes {
		if at := "vehicle_sizes." + strconv.Itoa(i) + ".type"; !one.Type.Known() {
			wrong = wrong.WithField(at, "The type is none of those of GET /vehicles/api/v1/types.")
		} else if slices.ContainsFunc(t.Sizes[:i], func(s Size) bool { return s.Type == one.Type }) {
			wrong = wrong.WithField(at, "The type has a size already.")
		}
	}
	for name, all := range map[string][]Reason{"hold_reasons": t.HoldReasons, "lost_reasons": t.LostReasons, "cancel_reasons": t.EndReasons} {
		for i, r := range all {
			if Has(all[:i], r.ID) {
				wrong = wrong.WithField(name+"."+strconv.Itoa(i)+".id", "Another reason has this id.")
			}
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}
