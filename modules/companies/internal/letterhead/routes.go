package letterhead

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/companies/internal/brand"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes are the operations on the letterhead.
func Routes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/letterhead", ID: "read_letterhead", Access: web.Read,
		Summary: "Read what the company's papers say of it", Errors: []*errs.Error{identity.ErrCompanyNotFound},
	}, d.get)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/letterhead", ID: "update_letterhead", Access: web.Write,
		Summary:     "Change what the company's papers say of it",
		Description: "Null takes the name, the address and the numbers from the company's profile, and leaves other fields empty.",
		Errors:      []*errs.Error{errInvalid},
	}, d.patch)
}

// body is a letterhead as answers show it. Texts may be empty.
type body struct {
	LegalName string                 `json:"legal_name"`
	Address   string                 `json:"address" doc:"Up to 6 lines." example:"100 Main St\nRoanoke, VA 24011"`
	Phone     string                 `json:"phone" doc:"In the form of E.164." example:"+15405550100"`
	Email     string                 `json:"email" example:"office@example.com"`
	Website   string                 `json:"website" example:"https://example.com/"`
	TaxID     string                 `json:"tax_id" example:"12-3456789"`
	USDOT     string                 `json:"usdot" example:"1234567"`
	Docket    string                 `json:"docket" example:"MC-654321"`
	RemitText string                 `json:"remit_text" doc:"How to pay; may have several lines."`
	Footer    string                 `json:"footer" doc:"What is at the end of each page; may have several lines."`
	Inherited []string               `json:"inherited" nullable:"false" doc:"Names of the fields that are not set here, and taken from the company's profile."`
	Paper     companiesapi.PaperSize `json:"paper_size" enum:"letter,a4" doc:"By the country of the company: Letter in North America and some other countries and if the company has named none, else A4."`
	Version   int64                  `json:"version" doc:"Increases with every change; also the ETag. 0 if nothing has been set."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (body) SchemaName() string { return "Letterhead" }

func answer(l letterhead) *web.Resource[body] {
	return web.NewResource(body{
		LegalName: l.LegalName, Address: l.Address, Phone: l.Phone, Email: l.Email, Website: l.Website, TaxID: l.TaxID, USDOT: l.USDOT,
		Docket: l.Docket, RemitText: l.RemitText, Footer: l.Footer, Inherited: l.inherited, Paper: l.paper, Version: l.Version,
	}, l.Version, brand.Base+"/letterhead")
}

func (d *Desk) get(ctx context.Context, _ *struct{}) (*web.Resource[body], error) {
	l, err := d.now(ctx)
	if err != nil {
		return nil, err
	}

	return answer(l), nil
}

type patchLetterheadInput struct {
	web.IfMatch

	Body letterheadPatch
}

// letterheadPatch is what of a letterhead can be changed.
type letterheadPatch struct {
	LegalName web.Sent[string]      `json:"legal_name,omitzero" maxLength:"200"`
	Address   web.Sent[string]      `json:"address,omitzero" maxLength:"500" doc:"Up to 6 lines." example:"100 Main St\nRoanoke, VA 24011"`
	Phone     web.Sent[field.Phone] `json:"phone,omitzero"`
	Email     web.Sent[field.Email] `json:"email,omitzero"`
	Website   web.Sent[field.URL]   `json:"website,omitzero"`
	TaxID     web.Sent[string]      `json:"tax_id,omitzero" maxLength:"40" example:"12-3456789"`
	USDOT     web.Sent[field.USDOT] `json:"usdot,omitzero"`
	Docket    web.Sent[field.MC]    `json:"docket,omitzero"`
	RemitText web.Sent[string]      `json:"remit_text,omitzero" maxLength:"2000" doc:"How to pay; may have several lines."`
	Footer    web.Sent[string]      `json:"footer,omitzero" maxLength:"500" doc:"What is at the end of each page; may have several lines."`
}

func (p letterheadPatch) apply(r *row) {
	r.LegalName, r.Address, r.TaxID = p.LegalName.ValueOr(r.LegalName), p.Address.ValueOr(r.Address), p.TaxID.ValueOr(r.TaxID)
	r.RemitText, r.Footer = p.RemitText.ValueOr(r.RemitText), p.Footer.ValueOr(r.Footer)
	r.Phone, r.Email = string(p.Phone.ValueOr(field.Phone(r.Phone))), string(p.Email.ValueOr(field.Email(r.Email)))
	r.Website, r.USDOT = string(p.Website.ValueOr(field.URL(r.Website))), string(p.USDOT.ValueOr(field.USDOT(r.USDOT)))
	r.Docket = string(p.Docket.ValueOr(field.MC(r.Docket)))
}

func (d *Desk) patch(ctx context.Context, in *patchLetterheadInput) (*web.Resource[body], error) {
	l, err := d.update(ctx, in.Check, in.Body.apply)
	if err != nil {
		return nil, err
	}

	return answer(l), nil
}
