package brand

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes are the operations on the brand.
func Routes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/brand", ID: "read_brand", Access: web.Read,
		Summary: "Read the company's brand", Errors: []*errs.Error{errInvalid},
	}, d.read)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/brand", ID: "update_brand", Access: web.Write,
		Summary: "Change the company's brand", Errors: []*errs.Error{errInvalid},
	}, d.patch)
}

// body is a brand as answers show it. Texts may be empty.
type body struct {
	Name           string  `json:"name" doc:"The company's name for customers."`
	PrimaryColor   string  `json:"primary_color" example:"#1a2b3c"`
	SecondaryColor string  `json:"secondary_color" example:"#ffffff"`
	AccentColor    string  `json:"accent_color" example:"#e07a1f"`
	LogoURL        string  `json:"logo_url" deprecated:"true" doc:"Address of a logo at another host; https only. No page shows it: use PUT /logo." example:"https://example.com/logo.svg"`
	Logo           *string `json:"logo" doc:"Path of the logo, which changes with it; null if there is none." example:"/companies/api/v1/logo/0190d0c0-0000-7000-8000-000000000001?v=8f434346648f6b96"`
	Domain         string  `json:"domain" doc:"Domain of the company's pages." example:"dispatch.example.com"`
	FromAddress    string  `json:"from_address" doc:"Sender address of mail to customers." example:"dispatch@example.com"`
	Version        int64   `json:"version" doc:"Increases with every change; also the ETag. 0 if nothing has been set."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (body) SchemaName() string { return "Brand" }

func answer(ctx context.Context, b Row) *web.Resource[body] {
	return web.NewResource(body{
		Name: b.Name, PrimaryColor: b.PrimaryColor, SecondaryColor: b.SecondaryColor, AccentColor: b.AccentColor,
		LogoURL: b.LogoURL, Logo: web.Optional(b.Logo.PathOf(principal.CompanyOf(ctx))), Domain: b.Domain, FromAddress: b.FromAddress, Version: b.Version,
	}, b.Version, Base+"/brand")
}

func (d *Desk) read(ctx context.Context, _ *struct{}) (*web.Resource[body], error) {
	b, err := d.Now(ctx)
	if err != nil {
		return nil, err
	}

	return answer(ctx, b), nil
}

// brandPatch is what of a brand can be changed.
type brandPatch struct {
	Name           web.Sent[string] `json:"name,omitzero"`
	PrimaryColor   web.Sent[string] `json:"primary_color,omitzero" example:"#1a2b3c"`
	SecondaryColor web.Sent[string] `json:"secondary_color,omitzero" example:"#ffffff"`
	AccentColor    web.Sent[string] `json:"accent_color,omitzero" example:"#e07a1f"`
	LogoURL        web.Sent[string] `json:"logo_url,omitzero" deprecated:"true" doc:"Address of a logo at another host; https only. No page shows it: use PUT /logo." example:"https://example.com/logo.svg"`
	Domain         web.Sent[string] `json:"domain,omitzero" example:"dispatch.example.com"`
	FromAddress    web.Sent[string] `json:"from_address,omitzero" example:"dispatch@example.com"`
}

func (p brandPatch) apply(b *Row) {
	b.Name, b.LogoURL = p.Name.ValueOr(b.Name), p.LogoURL.ValueOr(b.LogoURL)
	b.PrimaryColor, b.SecondaryColor = p.PrimaryColor.ValueOr(b.PrimaryColor), p.SecondaryColor.ValueOr(b.SecondaryColor)
	b.AccentColor, b.Domain = p.AccentColor.ValueOr(b.AccentColor), p.Domain.ValueOr(b.Domain)
	b.FromAddress = p.FromAddress.ValueOr(b.FromAddress)
}

type patchBrandInput struct {
	web.IfMatch

	Body brandPatch
}

func (d *Desk) patch(ctx context.Context, in *patchBrandInput) (*web.Resource[body], error) {
	b, err := d.change(ctx, "brand_updated", in.Check, func(_ context.Context, b *Row) ([]events.Event, error) {
		in.Body.apply(b)

		return nil, b.check()
	})
	if err != nil {
		return nil, err
	}

	return answer(ctx, b), nil
}
