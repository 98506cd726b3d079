package driverlink

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/billlink"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// signLinksPerHour and signLinksPerDay are how many links to sign a bill of lading at a stage may be made by the links of drivers.
const signLinksPerHour, signLinksPerDay = 20, 40

// SignLinks makes links by which the other side signs on its own phone, for drivers.
type SignLinks struct {
	entrance   *Entrance
	links      *billlink.Links
	recipients *Recipients
	given      *share.Service
	rows       *store.Repository
}

// NewSignLinks returns SignLinks.
func NewSignLinks(e *Entrance, l *billlink.Links, who *Recipients, given *share.Service, rows *store.Repository) *SignLinks {
	return &SignLinks{e, l, who, given, rows}
}

// SignLinkRoutes are the operations by which drivers make links to sign.
func SignLinkRoutes(r *web.Router, d *SignLinks) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/sign_links", ID: "create_driver_sign_link", Access: web.Public, Secret: true,
		Summary: "Make a link by which someone signs a bill of lading on another phone",
		Description: "It is good for one signature, within 48 hours. At most 20 links an hour and 40 a day are made for a bill of lading at a stage, and 5 messages an hour and " +
			"10 a day go out for it; phones are those of the contacts of the stops, or of the countries of the load.",
		Errors: append([]*errs.Error{share.ErrRecipient, share.ErrTooMany, link.ErrInvalid, link.ErrPortalOff, store.ErrSigned, store.ErrVoid}, refusals()...), Form: signLinkForm, Page: newPages().signLink,
	}, d.create)
}

type signLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		BOL uuid.UUID         `json:"bol_uuid"`
		To  []share.Recipient `json:"to,omitempty" maxItems:"2" nullable:"false" doc:"To whom it is sent."`
	}
}

type signLinkOutput struct{ Body share.Share }

func (d *SignLinks) create(ctx context.Context, in *signLinkInput) (*signLinkOutput, error) {
	ctx, h, err := d.entrance.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	b, there := h.bill(in.Body.BOL)
	if !there {
		return nil, store.ErrLinkClosed
	}
	given, err := d.links.ToSign(ctx, b.ID)
	if err != nil {
		return nil, err
	}
	if given.Outsider, err = d.recipients.signers(ctx, b); err != nil {
		return nil, err
	}
	out := &signLinkOutput{}
	err = d.rows.InTx(ctx, func(ctx context.Context) error {
		if err := d.given.AllowEntries(ctx, "signing "+given.Outsider.Thing, 1, signLinksPerHour, signLinksPerDay); err != nil {
			return err
		}
		out.Body, err = d.given.Give(ctx, given, share.Create{To: in.Body.To})

		return err
	})

	return out, err
}
