package quotes

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// preferences are how a company makes quotes.
type preferences struct {
	ValidDays int64  `json:"valid_days" doc:"How many days a quote is valid after it is sent, unless it says so itself."`
	Terms     string `json:"terms" doc:"What the customer accepts with the price. Quotes keep the terms with which they were sent."`
	Version   int64  `json:"version" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (preferences) SchemaName() string { return "QuoteSettings" }

func defaults() preferences { return preferences{ValidDays: 14} } //nolint:mnd // two weeks

var errSettings = errs.New(errs.Invalid, "quotes.invalid_settings", "The given data was invalid.")

func settingsRoutes(r *web.Router, d *desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/settings", ID: "read_settings", Access: web.Read, Summary: "Read how the company makes quotes", Errors: []*errs.Error{errSettings},
	}, func(ctx context.Context, _ *struct{}) (*web.Resource[preferences], error) {
		v, err := d.settings.Read(ctx)
		v.Now.Version = v.Version

		return web.NewResource(v.Now, v.Version, base+"/settings"), err
	})
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/settings", ID: "update_settings", Access: web.Scope("settings"), Summary: "Change how the company makes quotes",
		Description: "What the body leaves out stays.", Errors: []*errs.Error{errSettings},
	}, func(ctx context.Context, in *patchSettingsInput) (*web.Resource[preferences], error) {
		v, err := d.settings.Change(ctx, in.IfMatch, func(now *preferences) error {
			if b := in.Body; b.ValidDays != nil {
				now.ValidDays = *b.ValidDays
			}
			if b := in.Body; b.Terms != nil {
				now.Terms = *b.Terms
			}

			return nil
		})
		v.Now.Version = v.Version

		return web.NewResource(v.Now, v.Version, base+"/settings"), err
	})
}

type patchSettingsInput struct {
	web.IfMatch

	Body struct {
		ValidDays *int64  `json:"valid_days,omitempty" minimum:"1" maximum:"366"`
		Terms     *string `json:"terms,omitempty" maxLength:"20000"`
	}
}
