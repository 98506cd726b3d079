package loads

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/errs"
	companysettings "github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errSettings = errs.New(errs.Invalid, "loads.invalid_settings", "The given data was invalid.")

var errDuplicateVIN = errs.New(errs.Conflict, "loads.vin_taken", "A vehicle is on another open load.")

// settings are how a company works with loads.
type settings struct {
	Required    []string `json:"required_for_ready" maxItems:"5" nullable:"false" enum:"vin,stop_contacts,windows,payment_plan,carrier_pay" doc:"What a load must have before it can be given to a carrier."`
	RefuseVIN   bool     `json:"refuse_duplicate_vin" doc:"Whether a vehicle that is on another open load is refused, and not only warned of."`
	HoldReasons []reason `json:"hold_reasons" maxItems:"50" nullable:"false"`
	LostReasons []reason `json:"lost_reasons" maxItems:"50" nullable:"false"`
	EndReasons  []reason `json:"cancel_reasons" maxItems:"50" nullable:"false"`
	Version     int64    `json:"version" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (settings) SchemaName() string { return "LoadSettings" }

// reason is why a load is held, lost or canceled.
type reason struct {
	ID          string `json:"id" minLength:"1" maxLength:"40" pattern:"^[a-z][a-z0-9_]*$"`
	Label       string `json:"label" minLength:"1" maxLength:"100"`
	Responsible string `json:"responsible,omitempty" enum:"customer,carrier,broker" doc:"Whose doing a cancellation is."`
	Chargeable  bool   `json:"chargeable,omitempty" doc:"Whether a cancellation is charged."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (reason) SchemaName() string { return "LoadReason" }

// defaults are the settings of a company that has changed none.
func defaults() settings {
	return settings{
		Required: []string{},
		HoldReasons: []reason{
			{ID: "customer_asked", Label: "The customer asked"},
			{ID: "payment", Label: "A payment is missing"},
			{ID: "not_available", Label: "The vehicle is not available"},
			{ID: "other", Label: "Another reason"},
		},
		LostReasons: []reason{
			{ID: "price", Label: "Too expensive"},
			{ID: "competitor", Label: "Another company"},
			{ID: "no_answer", Label: "No answer"},
			{ID: "not_needed", Label: "Not needed any more"},
			{ID: "other", Label: "Another reason"},
		},
		EndReasons: []reason{
			{ID: "customer", Label: "The customer canceled", Responsible: customer},
			{ID: "no_carrier", Label: "No carrier was found", Responsible: broker},
			{ID: "carrier", Label: "The carrier did not come", Responsible: carrier},
			{ID: "duplicate", Label: "Ordered twice", Responsible: broker},
			{ID: "other", Label: "Another reason"},
		},
	}
}

// has reports whether an id is that of a reason.
func has(all []reason, id string) bool {
	return slices.ContainsFunc(all, func(r reason) bool { return r.ID == id })
}

// terms returns the settings of the company, read once for a batch.
func (s *service) terms(ctx context.Context, b *batch) (settings, error) {
	if b.terms != nil {
		return *b.terms, nil
	}
	now, err := s.settings(ctx)
	b.terms = &now

	return now, err
}

func (s *service) settings(ctx context.Context) (settings, error) {
	v, err := s.kept.Read(ctx)

	return versioned(v), err
}

func versioned(v companysettings.Versioned[settings]) settings {
	v.Now.Version = v.Version

	return v.Now
}

func settingsRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/settings", ID: "read_settings", Access: web.Read, Summary: "Read how the company works with loads",
		Errors: []*errs.Error{errSettings},
	}, func(ctx context.Context, _ *struct{}) (*web.Resource[settings], error) {
		now, err := s.settings(ctx)

		return web.NewResource(now, now.Version, base+"/settings"), err
	})
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/settings", ID: "update_settings", Access: web.Scope("settings"), Summary: "Change how the company works with loads",
		Description: "What the body leaves out stays. Reasons that loads have keep their ids in these loads.", Errors: []*errs.Error{errSettings},
	}, s.patchSettings)
}

type patchSettingsInput struct {
	web.IfMatch

	Body struct {
		Required    *[]string `json:"required_for_ready,omitempty" maxItems:"5" enum:"vin,stop_contacts,windows,payment_plan,carrier_pay"`
		RefuseVIN   *bool     `json:"refuse_duplicate_vin,omitempty"`
		HoldReasons *[]reason `json:"hold_reasons,omitempty" maxItems:"50"`
		LostReasons *[]reason `json:"lost_reasons,omitempty" maxItems:"50"`
		EndReasons  *[]reason `json:"cancel_reasons,omitempty" maxItems:"50"`
	}
}

func (s *service) patchSettings(ctx context.Context, in *patchSettingsInput) (*web.Resource[settings], error) {
	v, err := s.kept.Change(ctx, in.IfMatch, func(now *settings) error {
		b := in.Body
		set(&now.Required, b.Required)
		set(&now.HoldReasons, b.HoldReasons)
		set(&now.LostReasons, b.LostReasons)
		set(&now.EndReasons, b.EndReasons)
		if b.RefuseVIN != nil {
			now.RefuseVIN = *b.RefuseVIN
		}
		wrong := errSettings
		for name, all := range map[string][]reason{"hold_reasons": now.HoldReasons, "lost_reasons": now.LostReasons, "cancel_reasons": now.EndReasons} {
			for i, r := range all {
				if has(all[:i], r.ID) {
					wrong = wrong.WithField(name+"."+strconv.Itoa(i)+".id", "Another reason has this id.")
				}
			}
		}
		if len(wrong.Fields) > 0 {
			return wrong
		}

		return nil
	})

	return web.NewResource(versioned(v), v.Version, base+"/settings"), err
}

func set[T any](into *[]T, from *[]T) {
	if from != nil {
		*into = *from
	}
}
