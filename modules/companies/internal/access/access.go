// Package access decides which portals of a company are on, and which of its links still work.
package access

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// The items of the audit trail.
const (
	companyItem = "companies.company"
	linkItem    = "companies.link"
)

var errLinkOfUser = errs.New(errs.Conflict, "companies.link_of_user",
	"Links of invitations and password resets cannot be revoked here. Revoke the invitation; a password reset link ends when you create a new one or deactivate the user.")

// Desk switches portals, and lists and revokes links.
type Desk struct {
	db    *database.DB
	links *link.Service
	trail *audit.Log
	clock clock.Clock
}

// NewDesk returns a Desk.
func NewDesk(db *database.DB, links *link.Service, trail *audit.Log, clk clock.Clock) *Desk {
	return &Desk{db, links, trail, clk}
}

// ofUser reports whether links belong to a user or an invitation, which have rules of their own about who may end them.
func ofUser(p link.Purpose) bool { return strings.HasPrefix(string(p), companiesapi.Area+".") }

// turn switches a portal on or off.
func (d *Desk) turn(ctx context.Context, portal link.Portal, on bool) (link.PortalState, error) {
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		changed, err := d.links.SwitchPortal(ctx, portal, on)
		if err != nil || !changed {
			return err
		}

		return d.record(ctx, "companies.portal_updated", ofCompany(ctx), map[string]audit.Change{string(portal): {Before: !on, After: on}})
	})
	if err != nil {
		return link.PortalState{}, err
	}
	all, err := d.links.Portals(ctx)
	if err != nil {
		return link.PortalState{}, err
	}

	return all[slices.IndexFunc(all, func(s link.PortalState) bool { return s.Portal == portal })], nil
}

// revoke ends a link; doing it again changes nothing.
func (d *Desk) revoke(ctx context.Context, id uuid.UUID) (l link.Link, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		before, err := d.links.Find(ctx, id)
		if err != nil {
			return err
		}
		if ofUser(before.Purpose) {
			return errLinkOfUser
		}
		if l = before; before.RevokedAt != nil {
			return nil
		}
		if err := d.links.Revoke(ctx, id); err != nil {
			return err
		}
		if l, err = d.links.Find(ctx, id); err != nil {
			return err
		}

		return d.record(ctx, "companies.link_revoked", audit.Item{Type: linkItem, UUID: id}, map[string]audit.Change{
			"revoked_at": {After: l.RevokedAt}, "purpose": {Before: l.Purpose, After: l.Purpose}, "prefix": {Before: l.Prefix, After: l.Prefix},
		})
	})

	return l, err
}

// revokeSelected ends the links of a selection, and returns how many.
func (d *Desk) revokeSelected(ctx context.Context, which link.Selection) (ended int, err error) {
	switch {
	case which == link.Selection{}:
		return 0, link.ErrInvalid.WithField("purpose", "Set at least one of `holder_uuid`, `portal` and `purpose`.")
	case which.Purpose != "" && !slices.Contains(d.links.Purposes(), which.Purpose):
		return 0, link.ErrInvalid.WithField("purpose", "No links have this purpose.")
	case ofUser(which.Purpose):
		return 0, errLinkOfUser
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if ended, err = d.links.RevokeSelected(ctx, which); err != nil || ended == 0 {
			return err
		}
		changes := map[string]audit.Change{"revoked": {After: ended}}
		if which.Holder != uuid.Nil {
			changes["holder_uuid"] = audit.Change{After: which.Holder}
		}
		if which.Portal != "" {
			changes["portal"] = audit.Change{After: which.Portal}
		}
		if which.Purpose != "" {
			changes["purpose"] = audit.Change{After: which.Purpose}
		}

		return d.record(ctx, "companies.links_revoked", ofCompany(ctx), changes)
	})

	return ended, err
}

func (d *Desk) record(ctx context.Context, action string, about audit.Item, changes map[string]audit.Change) error {
	return d.trail.Record(ctx, audit.Entry{Action: action, Item: about, Changes: changes})
}

// ofCompany is the caller's company in the audit trail.
func ofCompany(ctx context.Context) audit.Item {
	return audit.Item{Type: companyItem, UUID: principal.CompanyOf(ctx)}
}
