package contacts

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/share"
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
	links  *link.Service
	brands companiesapi.Brands
	given  *share.Service
	tables *tables
	hooks  *hook.Bus
	face   *face.Face[portalBody]
}

func newPortal(t *tables, hooks *hook.Bus, links *link.Service, brands companiesapi.Brands, given *share.Service) *portal {
	return &portal{links, brands, given, t, hooks, face.New(face.Parts[portalBody]{
		View: func(b portalBody, _ string) face.View { return b.view() },
	})}
}

func portalRoutes(r *web.Router, p *portal) {
	share.Routes(r, p.given, share.Operations{
		Path: "/contacts/{uuid}/shares", Name: "contact_share", Summary: "to the portal of a contact", Description: "Anyone with the link can read the portal.",
		Purpose: portalAccess, Subject: p.subject, Give: p.give, Errors: []*errs.Error{p.tables.Contacts.NotFound(), errMerged, errErased},
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/portal/{link}", ID: "read_portal", Access: web.Public, Summary: "Read a portal",
		Description: "What the company knows of the contact, and what areas have for it, such as its loads. With Accept: text/html, the response is a page.",
		Errors:      append([]*errs.Error{errNoPortal}, link.Refusals...), Page: p.face.Page,
	}, p.read)
}

type portalInput struct {
	Link string `path:"link" maxLength:"100"`
}

type portalOutput struct{ Body portalBody }

// portalBody is the portal of a contact.
type portalBody struct {
	Brand    companiesapi.Brand          `json:"brand"`
	Contact  portalContact               `json:"contact"`
	Sections []contactsapi.PortalSection `json:"sections" nullable:"false" doc:"What areas have for the contact."`
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

// subject is a contact that links lead to.
func (p *portal) subject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	_, err := p.tables.Contacts.Find(ctx, id)

	return link.Subject{Type: contactsapi.Item, ID: id}, err
}

// give is the link to the portal of a contact.
func (p *portal) give(ctx context.Context, id uuid.UUID) (share.Given, error) {
	if err := p.tables.Contacts.Hold(ctx, id); err != nil {
		return share.Given{}, err
	}
	row, err := p.tables.Contacts.Find(ctx, id)
	switch {
	case err != nil:
	case row.MergedInto != nil:
		err = errMerged.WithDetail("merged_into_uuid", row.MergedInto)
	case row.ErasedAt != nil:
		err = errErased
	}
	if err != nil {
		return share.Given{}, err
	}
	brand, err := p.brands.Brand(ctx)

	return share.Given{
		Purpose: portalAccess, Subject: link.Subject{Type: contactsapi.Item, ID: id}, Holder: link.HolderOf(contactsapi.Item, id), Page: "/contacts/api/v1/portal/",
		Title: "Your page at " + brand.Name, Text: brand.Name + " has a page for you.",
	}, err
}

func (p *portal) read(ctx context.Context, in *portalInput) (*portalOutput, error) {
	ctx, found, err := p.links.Enter(ctx, portalAccess, in.Link)
	if err != nil {
		return nil, err
	}
	row, err := p.tables.Contacts.Find(ctx, found.Subject.ID)
	if err == nil && row.MergedInto != nil {
		row, err = p.tables.Contacts.Find(ctx, *row.MergedInto)
	}
	if errors.Is(err, p.tables.Contacts.NotFound()) {
		return nil, errNoPortal
	}
	if err != nil {
		return nil, err
	}
	about := contactsapi.ReadingPortal{Contact: row.ID.String(), Sections: []contactsapi.PortalSection{}}
	if err := p.tables.DB.InTx(ctx, func(ctx context.Context) error { return hook.Run(ctx, p.hooks, &about) }); err != nil {
		return nil, err
	}
	brand, err := p.brands.Brand(ctx)

	return &portalOutput{portalBody{brand, portalContact{
		Name: row.Name, Emails: row.Emails.V, Phones: row.Phones.V, Addresses: row.Addresses.V, Consents: row.Consents.V, Language: row.Language,
	}, about.Sections}}, err
}

// view is what the page of a contact shows.
func (b portalBody) view() face.View {
	v := face.View{Brand: page.Brand(b.Brand), Heading: "Hello " + b.Contact.Name}
	for _, section := range b.Sections {
		card := face.Card{Title: section.Title}
		for _, e := range section.Entries {
			card.Items = append(card.Items, face.Item{Title: e.Title, Lines: e.Texts})
		}
		v.Cards = append(v.Cards, card)
	}
	known := face.Card{Title: "What we know about you"}
	for _, e := range b.Contact.Emails {
		known.List = append(known.List, e.Address)
	}
	for _, p := range b.Contact.Phones {
		known.List = append(known.List, p.Number)
	}
	v.Cards = append(v.Cards, known)

	return v
}
