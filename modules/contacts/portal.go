package contacts

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	portalAccess  link.Purpose = "contacts.portal"
	portalLife                 = 90 * 24 * time.Hour
	maxPortalLife              = 366 * 24 * time.Hour
)

var errNoPortal = errs.New(errs.NotFound, "contacts.portal_closed", "This link is no longer valid. Ask for a new one.")

// portal shows contacts their own data, by links.
type portal struct {
	contacts *resource.Resource[contact]
	links    *link.Service
	brands   companiesapi.Brands
	service  *service
	baseURL  string
}

func newPortal(s *service, links *link.Service, brands companiesapi.Brands, w web.Settings) *portal {
	return &portal{s.contacts, links, brands, s, strings.TrimSuffix(w.BaseURL, "/")}
}

func portalRoutes(r *web.Router, p *portal) {
	missing := p.contacts.NotFound()
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/contacts/{uuid}/portal_access", ID: "create_portal_access", Access: web.Write, Secret: true,
		Summary:     "Give a contact access to its portal",
		Description: "The response contains the link, which cannot be retrieved later. Anyone with the link can read the portal.",
		Errors:      []*errs.Error{missing, errMerged, errErased, link.ErrInvalid},
	}, p.grant)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/contacts/{uuid}/portal_access", ID: "list_portal_access", Access: web.Read,
		Summary: "List the links to the portal of a contact", Description: "The newest 100.", Errors: []*errs.Error{missing},
	}, p.granted)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/contacts/{uuid}/portal_access/{access}", ID: "revoke_portal_access", Access: web.Write,
		Summary: "Revoke a link to the portal of a contact", Errors: []*errs.Error{missing, link.ErrNotFound},
	}, p.revoke)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/portal/{link}", ID: "read_portal", Access: web.Public, Summary: "Read a portal",
		Errors: append([]*errs.Error{errNoPortal}, link.Refusals...),
	}, p.read)
}

type grantInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"By default in 90 days; at most in 366."`
	}
}

type grantOutput struct{ Body accessBody }

type accessBody struct {
	UUID      uuid.UUID  `json:"uuid"`
	URL       string     `json:"url,omitempty" doc:"Only in the response that creates the link. Without a host if web.base_url is not set."`
	Prefix    string     `json:"prefix" doc:"Beginning of the link, to identify it."`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	RevokedAt *time.Time `json:"revoked_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (accessBody) SchemaName() string { return "PortalAccess" }

type grantedOutput struct {
	Body struct {
		Data []accessBody `json:"data" nullable:"false"`
	}
}

type revokeInput struct {
	UUID   uuid.UUID `path:"uuid" format:"uuid"`
	Access uuid.UUID `path:"access" format:"uuid"`
}

type portalInput struct {
	Link string `path:"link" maxLength:"100"`
}

type portalOutput struct{ Body portalBody }

// portalBody is the portal of a contact.
type portalBody struct {
	Brand   companiesapi.Brand `json:"brand"`
	Contact portalContact      `json:"contact"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (portalBody) SchemaName() string { return "Portal" }

type portalContact struct {
	Name      string    `json:"name"`
	Emails    []email   `json:"emails" nullable:"false"`
	Phones    []phone   `json:"phones" nullable:"false"`
	Addresses []address `json:"addresses" nullable:"false"`
	Consents  []consent `json:"consents" nullable:"false"`
	Language  string    `json:"language"`
}

func accessOf(l link.Link) accessBody {
	return accessBody{UUID: l.ID, Prefix: l.Prefix, CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt, RevokedAt: l.RevokedAt}
}

func subjectOf(contact uuid.UUID) link.Subject {
	return link.Subject{Type: contactsapi.Item, ID: contact}
}

func (p *portal) grant(ctx context.Context, in *grantInput) (*grantOutput, error) {
	out := &grantOutput{}
	err := p.service.db.InTx(ctx, func(ctx context.Context) error {
		if err := p.contacts.Hold(ctx, in.UUID); err != nil {
			return err
		}
		row, err := p.contacts.Find(ctx, in.UUID)
		switch {
		case err != nil:
			return err
		case row.MergedInto != nil:
			return errMerged.WithDetail("merged_into_uuid", row.MergedInto)
		case row.ErasedAt != nil:
			return errErased
		}
		asked := link.NewLink{Purpose: portalAccess, Subject: subjectOf(in.UUID)}
		if in.Body.ExpiresAt != nil {
			asked.ExpiresAt = *in.Body.ExpiresAt
		}
		made, text, err := p.links.Create(ctx, asked)
		out.Body = accessOf(made)
		out.Body.URL = p.baseURL + "/contacts/api/v1/portal/" + text

		return err
	})

	return out, err
}

func (p *portal) granted(ctx context.Context, in *oneInput) (*grantedOutput, error) {
	if _, err := p.contacts.Find(ctx, in.UUID); err != nil {
		return nil, err
	}
	all, err := p.links.List(ctx, link.Filter{Purpose: portalAccess, Subject: subjectOf(in.UUID)})
	out := &grantedOutput{}
	out.Body.Data = make([]accessBody, len(all))
	for i, l := range all {
		out.Body.Data[i] = accessOf(l)
	}

	return out, err
}

func (p *portal) revoke(ctx context.Context, in *revokeInput) (*struct{}, error) {
	if _, err := p.contacts.Find(ctx, in.UUID); err != nil {
		return nil, err
	}

	return nil, p.links.RevokeOf(ctx, portalAccess, subjectOf(in.UUID), in.Access)
}

func (p *portal) read(ctx context.Context, in *portalInput) (*portalOutput, error) {
	ctx, found, err := p.links.Enter(ctx, portalAccess, in.Link)
	if err != nil {
		return nil, err
	}
	row, err := p.contacts.Find(ctx, found.Subject.ID)
	if err == nil && row.MergedInto != nil {
		row, err = p.contacts.Find(ctx, *row.MergedInto)
	}
	if errors.Is(err, p.contacts.NotFound()) {
		return nil, errNoPortal
	}
	if err != nil {
		return nil, err
	}
	brand, err := p.brands.Brand(ctx)

	return &portalOutput{portalBody{brand, portalContact{
		Name: row.Name, Emails: row.Emails.V, Phones: row.Phones.V, Addresses: row.Addresses.V, Consents: row.Consents.V, Language: row.Language,
	}}}, err
}
