package access

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// PortalRoutes are the operations on portals.
func PortalRoutes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/portals", ID: "list_portals", Access: web.Scope("links"),
		Summary: "Read which portals are on", Errors: []*errs.Error{identity.ErrCompanyNotFound},
		Description: "A portal is what customers, carriers or drivers see by links, without an account.",
	}, d.list)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/portals/{portal}", ID: "update_portal", Access: web.Scope("links"),
		Summary: "Switch a portal on or off", Errors: []*errs.Error{identity.ErrCompanyNotFound},
		Description: "While a portal is off, its links answer 404 `link.unavailable`, and creating one is refused with 409 `link.portal_off`. " +
			"Links that are neither expired nor revoked work again when the portal is on.",
	}, d.patch)
}

// portalBody is a portal as answers show it.
type portalBody struct {
	Portal    link.Portal    `json:"portal" enum:"customers,carriers,drivers"`
	On        bool           `json:"on"`
	OffSince  *time.Time     `json:"off_since" doc:"Null if the portal is on."`
	OffBy     *uuid.UUID     `json:"off_by_uuid" doc:"The user who switched it off; null if it is on, or a program switched it off."`
	LiveLinks int            `json:"live_links" doc:"Links that are not expired, used up or revoked, whether or not the portal is on."`
	Purposes  []link.Purpose `json:"purposes" nullable:"false" doc:"Purposes of the portal's links."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (portalBody) SchemaName() string { return "PortalAccess" }

func showPortal(s link.PortalState) portalBody {
	return portalBody{
		Portal: s.Portal, On: s.OffSince == nil, OffSince: s.OffSince, OffBy: web.Optional(s.OffBy), LiveLinks: s.Live, Purposes: s.Purposes,
	}
}

type portalsOutput struct {
	Body struct {
		Data []portalBody `json:"data" nullable:"false"`
	}
}

func (d *Desk) list(ctx context.Context, _ *struct{}) (*portalsOutput, error) {
	all, err := d.links.Portals(ctx)
	if err != nil {
		return nil, err
	}
	out := &portalsOutput{}
	for _, one := range all {
		out.Body.Data = append(out.Body.Data, showPortal(one))
	}

	return out, nil
}

type patchPortalInput struct {
	Portal link.Portal `path:"portal" enum:"customers,carriers,drivers"`
	Body   struct {
		On bool `json:"on"`
	}
}

type portalOutput struct{ Body portalBody }

func (d *Desk) patch(ctx context.Context, in *patchPortalInput) (*portalOutput, error) {
	state, err := d.turn(ctx, in.Portal, in.Body.On)
	if err != nil {
		return nil, err
	}

	return &portalOutput{Body: showPortal(state)}, nil
}

// LinkRoutes are the operations on links.
func LinkRoutes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/links", ID: "list_links", Access: web.Scope("links"),
		Summary:     "List the company's links",
		Description: "All links that let people in without an account, including those of no portal, without their text. " + d.schema().Describe(),
		Errors:      list.Errors,
	}, d.listLinks)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/links/{uuid}/revoke", ID: "revoke_link", Access: web.Scope("links"),
		Summary:     "Revoke a link",
		Description: "The link stops working at once. What it leads to is unchanged, and can get a new link.",
		Errors:      []*errs.Error{link.ErrNotFound, errLinkOfUser},
	}, d.revokeLink)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/links/revoke", ID: "revoke_links", Access: web.Scope("links"),
		Summary:     "Revoke all links of a holder, a portal or a purpose",
		Description: "Revokes the live links that match everything that is set.",
		Errors:      []*errs.Error{link.ErrInvalid, errLinkOfUser},
	}, d.revokeLinks)
}

// linkBody is a link as answers show it.
type linkBody struct {
	UUID        uuid.UUID    `json:"uuid"`
	Purpose     link.Purpose `json:"purpose" example:"dispatches.carrier"`
	Portal      *link.Portal `json:"portal" enum:"customers,carriers,drivers" doc:"Null for links of no portal, such as invitations."`
	SubjectType string       `json:"subject_type" doc:"Type of the item that the link is about." example:"dispatches.offer"`
	Subject     *uuid.UUID   `json:"subject_uuid" doc:"Null if the type says it all."`
	HolderType  *string      `json:"holder_type" doc:"Type of the item to whom the link was given; null if that is not known." example:"carriers.carrier"`
	Holder      *uuid.UUID   `json:"holder_uuid"`
	Prefix      string       `json:"prefix" doc:"Beginning of the link, to identify it."`
	State       link.State   `json:"state" enum:"live,used_up,expired,revoked" doc:"A live link does not work while its portal is off."`
	MaxUses     int          `json:"max_uses" doc:"0 if the number of uses is not limited."`
	Uses        int          `json:"uses" doc:"Opening a page is no use."`
	CreatedBy   *uuid.UUID   `json:"created_by_uuid" doc:"Null if a program created it."`
	CreatedAt   time.Time    `json:"created_at"`
	ExpiresAt   time.Time    `json:"expires_at"`
	RevokedAt   *time.Time   `json:"revoked_at"`
	LastUsedAt  *time.Time   `json:"last_used_at" doc:"When it was last opened or used, up to a minute behind; null if never."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (linkBody) SchemaName() string { return "CapabilityLink" }

func (d *Desk) show(l link.Link) linkBody {
	return linkBody{
		UUID: l.ID, Purpose: l.Purpose, Portal: web.Optional(d.links.PortalOf(l.Purpose)), SubjectType: l.Subject.Type, Subject: web.Optional(l.Subject.ID),
		HolderType: web.Optional(l.Holder.Type), Holder: web.Optional(l.Holder.ID), Prefix: l.Prefix, State: l.StateAt(d.clock.Now()),
		MaxUses: l.MaxUses, Uses: l.Uses, CreatedBy: web.Optional(l.CreatedBy), CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt,
		RevokedAt: l.RevokedAt, LastUsedAt: l.LastUsedAt,
	}
}

func (d *Desk) schema() list.Schema { return list.ShownAs[linkBody](d.links.Schema()) }

type linksInput struct {
	list.Input

	Live bool `query:"live" doc:"Only links that are not expired, used up or revoked."`
}

func (d *Desk) listLinks(ctx context.Context, in *linksInput) (*list.Output[linkBody], error) {
	q, err := in.Parse(ctx, d.schema())
	if err != nil {
		return nil, err
	}
	page, err := d.links.Page(ctx, q, in.Live)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, list.Convert(page, d.show)), nil
}

type linkInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type linkOutput struct{ Body linkBody }

func (d *Desk) revokeLink(ctx context.Context, in *linkInput) (*linkOutput, error) {
	l, err := d.revoke(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &linkOutput{Body: d.show(l)}, nil
}

type revokeLinksInput struct {
	Body struct {
		Holder  uuid.UUID    `json:"holder_uuid,omitzero" format:"uuid" doc:"Links given to this contact, carrier or driver."`
		Portal  link.Portal  `json:"portal,omitempty" enum:"customers,carriers,drivers"`
		Purpose link.Purpose `json:"purpose,omitempty" maxLength:"100" example:"dispatches.carrier"`
	}
}

type revokeLinksOutput struct {
	Body struct {
		Revoked int `json:"revoked" doc:"How many links were revoked."`
	}
}

func (d *Desk) revokeLinks(ctx context.Context, in *revokeLinksInput) (*revokeLinksOutput, error) {
	ended, err := d.revokeSelected(ctx, link.Selection{Purpose: in.Body.Purpose, Portal: in.Body.Portal, Holder: in.Body.Holder})
	if err != nil {
		return nil, err
	}
	out := &revokeLinksOutput{}
	out.Body.Revoked = ended

	return out, nil
}
