package companies

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func brandRoutes(r *web.Router, s *brands) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/brand", ID: "read_brand", Access: web.Read,
		Summary: "Read the company's brand", Errors: []*errs.Error{errInvalidBrand},
	}, s.getBrand)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/brand", ID: "update_brand", Access: web.Write,
		Summary: "Change the company's brand", Errors: []*errs.Error{errInvalidBrand},
	}, s.patchBrand)
}

// brandBody is a brand as answers show it. Texts may be empty.
type brandBody struct {
	Name           string `json:"name" doc:"The company's name for customers."`
	PrimaryColor   string `json:"primary_color" example:"#1a2b3c"`
	SecondaryColor string `json:"secondary_color" example:"#ffffff"`
	AccentColor    string `json:"accent_color" example:"#e07a1f"`
	LogoURL        string `json:"logo_url" doc:"Address of the logo; https only." example:"https://example.com/logo.svg"`
	Domain         string `json:"domain" doc:"Domain of the company's pages." example:"dispatch.example.com"`
	FromAddress    string `json:"from_address" doc:"Sender address of mail to customers." example:"dispatch@example.com"`
	Version        int64  `json:"version" doc:"Increases with every change; also the ETag. 0 if nothing has been set."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (brandBody) SchemaName() string { return "Brand" }

func answerBrand(b brand) *web.Resource[brandBody] {
	return web.NewResource(brandBody{
		Name: b.Name, PrimaryColor: b.PrimaryColor, SecondaryColor: b.SecondaryColor, AccentColor: b.AccentColor,
		LogoURL: b.LogoURL, Domain: b.Domain, FromAddress: b.FromAddress, Version: b.Version,
	}, b.Version, base+"/brand")
}

func (s *brands) getBrand(ctx context.Context, _ *struct{}) (*web.Resource[brandBody], error) {
	b, err := s.rows.brand(ctx)
	if err != nil {
		return nil, err
	}

	return answerBrand(b), nil
}

// brandPatch is what of a brand can be changed.
type brandPatch struct {
	Name           web.Sent[string] `json:"name,omitzero"`
	PrimaryColor   web.Sent[string] `json:"primary_color,omitzero" example:"#1a2b3c"`
	SecondaryColor web.Sent[string] `json:"secondary_color,omitzero" example:"#ffffff"`
	AccentColor    web.Sent[string] `json:"accent_color,omitzero" example:"#e07a1f"`
	LogoURL        web.Sent[string] `json:"logo_url,omitzero" doc:"Address of the logo; https only." example:"https://example.com/logo.svg"`
	Domain         web.Sent[string] `json:"domain,omitzero" example:"dispatch.example.com"`
	FromAddress    web.Sent[string] `json:"from_address,omitzero" example:"dispatch@example.com"`
}

func (p brandPatch) apply(b *brand) {
	b.Name, b.LogoURL = p.Name.ValueOr(b.Name), p.LogoURL.ValueOr(b.LogoURL)
	b.PrimaryColor, b.SecondaryColor = p.PrimaryColor.ValueOr(b.PrimaryColor), p.SecondaryColor.ValueOr(b.SecondaryColor)
	b.AccentColor, b.Domain = p.AccentColor.ValueOr(b.AccentColor), p.Domain.ValueOr(b.Domain)
	b.FromAddress = p.FromAddress.ValueOr(b.FromAddress)
}

type patchBrandInput struct {
	web.IfMatch

	Body brandPatch
}

func (s *brands) patchBrand(ctx context.Context, in *patchBrandInput) (*web.Resource[brandBody], error) {
	b, err := s.updateBrand(ctx, in.Check, in.Body.apply)
	if err != nil {
		return nil, err
	}

	return answerBrand(b), nil
}
