package billlink

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Links makes links by which people without an account sign or read a bill of lading.
type Links struct {
	bols      *resource.Resource[store.Bol]
	standings loadsapi.Standings
	brands    companiesapi.Brands
	given     *share.Service
}

// NewLinks returns Links.
func NewLinks(bols *resource.Resource[store.Bol], c loadsapi.Standings, b companiesapi.Brands, given *share.Service) *Links {
	return &Links{bols, c, b, given}
}

func (k *Links) subject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	_, err := k.bols.Find(ctx, id)

	return link.Subject{Type: billsofladingapi.BOL, ID: id}, err
}

// ToSign is a link by which the other side signs a bill of lading. Errors: ErrVoid, ErrSigned.
func (k *Links) ToSign(ctx context.Context, id uuid.UUID) (share.Given, error) {
	b, err := k.bols.Find(ctx, id)
	switch {
	case err != nil:
		return share.Given{}, err
	case b.State == store.Voided:
		return share.Given{}, store.ErrVoid
	case b.Due() == "":
		return share.Given{}, store.ErrSigned
	}

	return k.describe(ctx, b, store.Signing, "/sign/", "sign")
}

// toRead is a link by which someone reads a bill of lading.
func (k *Links) toRead(ctx context.Context, id uuid.UUID) (share.Given, error) {
	b, err := k.bols.Find(ctx, id)
	if err != nil {
		return share.Given{}, err
	}

	return k.describe(ctx, b, store.Viewing, "/shared/", "read")
}

func (k *Links) describe(ctx context.Context, b store.Bol, p link.Purpose, path, what string) (share.Given, error) {
	of, err := k.standings.Standing(ctx, b.Load.String())
	if err != nil {
		return share.Given{}, err
	}
	brand, err := k.brands.Brand(ctx)

	return share.Given{
		Purpose: p, Subject: link.Subject{Type: billsofladingapi.BOL, ID: b.ID}, Page: store.Base + path, Title: brand.Name + ": load " + of.Number,
		Text: brand.Name + ": " + what + " the bill of lading of load " + of.Number + " here.",
	}, err
}

// Code is the address of the QR code on the paper, by which its holder reads the current bill of lading; "" if the service does not know its
// own address, or the company has switched off the portal for customers.
func (k *Links) Code(ctx context.Context, b store.Bol) (string, error) {
	if !k.given.KnowsAddress() {
		return "", nil
	}
	given, err := k.toRead(ctx, b.ID)
	if err != nil {
		return "", err
	}
	made, err := k.given.Give(ctx, given, share.Create{})
	if errors.Is(err, link.ErrPortalOff) {
		return "", nil
	}

	return made.URL, err
}

// LinkRoutes are the company's operations on links to a bill of lading.
func LinkRoutes(r *web.Router, k *Links) {
	share.Routes(r, k.given, share.Operations{
		Path: "/bols/{uuid}/sign_links", Name: "bol_sign_link", Summary: "by which someone signs a bill of lading on their own phone", Purpose: store.Signing,
		Description: "It is good for one signature, within 48 hours.", Subject: k.subject, Give: k.ToSign, Errors: []*errs.Error{k.bols.NotFound(), store.ErrSigned, store.ErrVoid},
	})
	share.Routes(r, k.given, share.Operations{
		Path: "/bols/{uuid}/shares", Name: "bol_share", Summary: "by which someone reads a bill of lading", Purpose: store.Viewing,
		Description: "So it is delivered to the customer.", Subject: k.subject, Give: k.toRead, Errors: []*errs.Error{k.bols.NotFound()},
	})
}
