package companies

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// base is where the operations of the area are.
const base = "/companies/api/v1"

func companyRoutes(r *web.Router, s *companies) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/company", ID: "read_company", Access: web.Read,
		Summary: "Read the company of the token", Errors: []*errs.Error{identity.ErrCompanyNotFound},
	}, s.getOwnCompany)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/company", ID: "update_company", Access: web.Write,
		Summary: "Change the company of the token", Errors: []*errs.Error{identity.ErrInvalid},
	}, s.patchOwnCompany)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies", ID: "create_company", Access: web.Write,
		Callers: web.OfOperator, Secret: true,
		Summary:     "Create a company, with an invitation for its first owner",
		Description: "The link of the invitation is only in this answer. Give it to the owner, who accepts it with a password.",
		Errors:      []*errs.Error{identity.ErrInvalid},
	}, s.postCompany)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/companies", ID: "list_companies", Access: web.Read, Callers: web.OfOperator,
		Summary: "List the companies of the deployment", Description: companyList().Describe(), Errors: list.Errors,
	}, list.Serve(companyList(), s.identity.PageCompanies, showCompany))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/companies/{uuid}", ID: "read_any_company", Access: web.Read, Callers: web.OfOperator,
		Summary: "Read a company of the deployment", Errors: []*errs.Error{identity.ErrCompanyNotFound},
	}, s.getCompany)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/companies/{uuid}", ID: "update_any_company", Access: web.Write, Callers: web.OfOperator,
		Summary: "Change a company of the deployment", Errors: []*errs.Error{identity.ErrCompanyNotFound, identity.ErrInvalid},
	}, s.patchCompany)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/suspend", ID: "suspend_company", Access: web.Write, Callers: web.OfOperator,
		Summary:     "Suspend a company",
		Description: "Within seconds its tokens and logins are refused and its links become invalid. Its data stays.",
		Errors:      []*errs.Error{identity.ErrCompanyNotFound},
	}, s.postSuspend)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/companies/{uuid}/resume", ID: "resume_company", Access: web.Write, Callers: web.OfOperator,
		Summary: "End the suspension of a company", Errors: []*errs.Error{identity.ErrCompanyNotFound},
	}, s.postResume)
}

// companyBody is a company as answers show it.
type companyBody struct {
	UUID        uuid.UUID   `json:"uuid"`
	Name        string      `json:"name" doc:"Display name."`
	LegalName   string      `json:"legal_name"`
	DBA         string      `json:"dba" doc:"Name under which it does business."`
	USDOTNumber string      `json:"usdot_number" doc:"Number of the FMCSA, 1 to 8 digits."`
	MCNumber    string      `json:"mc_number" doc:"Docket number of the operating authority." example:"MC-123456"`
	Address     addressBody `json:"address"`
	TimeZone    string      `json:"time_zone" doc:"Name in the IANA database." example:"America/Chicago"`
	Currency    string      `json:"currency" doc:"ISO 4217 code." example:"USD"`
	SuspendedAt *time.Time  `json:"suspended_at" doc:"When it was suspended; null if it is not."`
	Version     int64       `json:"version" doc:"Increases with every change; also the ETag."`
	CreatedAt   time.Time   `json:"created_at"`
	UpdatedAt   time.Time   `json:"updated_at"`

	OwnerInvitation *invitationBody `json:"owner_invitation,omitempty" doc:"The invitation of the first owner; only in the answer that creates the company."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (companyBody) SchemaName() string { return "Company" }

// addressBody is a postal address. Texts may be empty.
type addressBody struct {
	Street     string `json:"street"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postal_code"`
	Country    string `json:"country" doc:"Two-letter ISO 3166-1 code." example:"US"`
}

// SchemaName is the name of the address in the OpenAPI document.
func (addressBody) SchemaName() string { return "CompanyPostalAddress" }

func showCompany(c identity.Company) companyBody {
	return companyBody{
		UUID: c.ID, Name: c.Name, LegalName: c.LegalName, DBA: c.DBA, USDOTNumber: c.USDOTNumber, MCNumber: c.MCNumber,
		Address: addressBody(c.Address), TimeZone: c.TimeZone, Currency: c.Currency, SuspendedAt: c.SuspendedAt,
		Version: c.Version, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
}

// companyPatch is what of a company can be changed.
type companyPatch struct {
	Name        web.Sent[string]       `json:"name,omitzero"`
	LegalName   web.Sent[string]       `json:"legal_name,omitzero"`
	DBA         web.Sent[string]       `json:"dba,omitzero"`
	USDOTNumber web.Sent[string]       `json:"usdot_number,omitzero" doc:"Number of the FMCSA, 1 to 8 digits."`
	MCNumber    web.Sent[string]       `json:"mc_number,omitzero" example:"MC-123456"`
	Address     web.Sent[addressPatch] `json:"address,omitzero"`
	TimeZone    web.Sent[string]       `json:"time_zone,omitzero" doc:"Name in the IANA database; null is UTC." example:"America/Chicago"`
	Currency    web.Sent[string]       `json:"currency,omitzero" doc:"ISO 4217 code; null is USD." example:"USD"`
}

type addressPatch struct {
	Street     web.Sent[string] `json:"street,omitzero"`
	City       web.Sent[string] `json:"city,omitzero"`
	State      web.Sent[string] `json:"state,omitzero"`
	PostalCode web.Sent[string] `json:"postal_code,omitzero"`
	Country    web.Sent[string] `json:"country,omitzero" example:"US"`
}

func (p companyPatch) apply(c *identity.Company) {
	c.Name, c.LegalName, c.DBA = p.Name.ValueOr(c.Name), p.LegalName.ValueOr(c.LegalName), p.DBA.ValueOr(c.DBA)
	c.USDOTNumber, c.MCNumber = p.USDOTNumber.ValueOr(c.USDOTNumber), p.MCNumber.ValueOr(c.MCNumber)
	c.TimeZone, c.Currency = p.TimeZone.ValueOr(c.TimeZone), p.Currency.ValueOr(c.Currency)
	if p.Address.Null() {
		c.Address = identity.Address{}
	}
	a, to := p.Address.ValueOr(addressPatch{}), &c.Address
	to.Street, to.City, to.State = a.Street.ValueOr(to.Street), a.City.ValueOr(to.City), a.State.ValueOr(to.State)
	to.PostalCode, to.Country = a.PostalCode.ValueOr(to.PostalCode), a.Country.ValueOr(to.Country)
}

func (s *companies) getOwnCompany(ctx context.Context, _ *struct{}) (*web.Resource[companyBody], error) {
	company, err := s.identity.Company(ctx, journal.Caller(ctx).Company)
	if err != nil {
		return nil, err
	}

	return web.NewResource(showCompany(company), company.Version, base+"/company"), nil
}

type patchOwnCompanyInput struct {
	web.IfMatch

	Body companyPatch
}

func (s *companies) patchOwnCompany(ctx context.Context, in *patchOwnCompanyInput) (*web.Resource[companyBody], error) {
	company, err := s.updateCompany(ctx, journal.Caller(ctx).Company, in.Check, in.Body.apply)
	if err != nil {
		return nil, err
	}

	return web.NewResource(showCompany(company), company.Version, base+"/company"), nil
}

type postCompanyInput struct {
	Body struct {
		Name        string       `json:"name"`
		LegalName   string       `json:"legal_name,omitempty"`
		DBA         string       `json:"dba,omitempty"`
		USDOTNumber string       `json:"usdot_number,omitempty" doc:"Number of the FMCSA, 1 to 8 digits."`
		MCNumber    string       `json:"mc_number,omitempty" example:"MC-123456"`
		Address     addressInput `json:"address,omitzero"`
		TimeZone    string       `json:"time_zone,omitempty" doc:"Name in the IANA database; UTC if absent." example:"America/Chicago"`
		Currency    string       `json:"currency,omitempty" doc:"ISO 4217 code; USD if absent." example:"USD"`
		Owner       ownerInput   `json:"owner" doc:"The first owner, who gets an invitation."`
	}
}

type addressInput struct {
	Street     string `json:"street,omitempty"`
	City       string `json:"city,omitempty"`
	State      string `json:"state,omitempty"`
	PostalCode string `json:"postal_code,omitempty"`
	Country    string `json:"country,omitempty" example:"US"`
}

type ownerInput struct {
	Email string `json:"email" example:"anna@example.com"`
	Name  string `json:"name"`
}

func (s *companies) postCompany(ctx context.Context, in *postCompanyInput) (*web.Resource[companyBody], error) {
	b := in.Body
	company, made, err := s.createCompany(ctx, identity.NewCompany{Name: b.Name, Profile: identity.Profile{
		LegalName: b.LegalName, DBA: b.DBA, USDOTNumber: b.USDOTNumber, MCNumber: b.MCNumber,
		Address: identity.Address(b.Address), TimeZone: b.TimeZone, Currency: b.Currency,
	}}, newInvitation{Email: b.Owner.Email, Name: b.Owner.Name})
	if err != nil {
		return nil, err
	}
	body := showCompany(company)
	body.OwnerInvitation = new(showMade(made))

	return web.NewResource(body, company.Version, base+"/companies/"+company.ID.String()), nil
}

func companyList() list.Schema { return list.ShownAs[companyBody](identity.CompanySchema) }

type companyInput struct {
	UUID uuid.UUID `path:"uuid"`
}

func anyCompany(company identity.Company) *web.Resource[companyBody] {
	return web.NewResource(showCompany(company), company.Version, base+"/companies/"+company.ID.String())
}

func (s *companies) getCompany(ctx context.Context, in *companyInput) (*web.Resource[companyBody], error) {
	company, err := s.identity.Company(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return anyCompany(company), nil
}

type patchCompanyInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	Body companyPatch
}

func (s *companies) patchCompany(ctx context.Context, in *patchCompanyInput) (*web.Resource[companyBody], error) {
	company, err := s.updateCompany(ctx, in.UUID, in.Check, in.Body.apply)
	if err != nil {
		return nil, err
	}

	return anyCompany(company), nil
}

func (s *companies) postSuspend(ctx context.Context, in *companyInput) (*web.Resource[companyBody], error) {
	return s.answerSuspension(ctx, in.UUID, true)
}

func (s *companies) postResume(ctx context.Context, in *companyInput) (*web.Resource[companyBody], error) {
	return s.answerSuspension(ctx, in.UUID, false)
}

func (s *companies) answerSuspension(ctx context.Context, id uuid.UUID, suspended bool) (*web.Resource[companyBody], error) {
	company, err := s.suspend(ctx, id, suspended)
	if err != nil {
		return nil, err
	}

	return anyCompany(company), nil
}
