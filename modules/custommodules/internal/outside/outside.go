// Package outside is what custom modules have to do with the rest of the service: users, numbers, items and the rows of areas.
package outside

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/views"
	"github.com/dispatchd/dispatchd/platform/detail"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Others are the parts of the service that records need.
type Others struct {
	Users   users
	Numbers *numbering.Numbers
	Items   *item.Registry
	// Calendar tells the time where a company is.
	Calendar *calendar.Calendar
	Views    *views.Views
	// Resources have the rows of areas, and Collections all that companies can add fields to.
	Resources   *resource.Engine
	Collections *collection.Registry
	Details     *detail.Registry
}

// users are the people of a company.
type users interface {
	User(ctx context.Context, company, id uuid.UUID) (identity.User, error)
	RoleScopes(ctx context.Context, company uuid.UUID, name identity.Role) ([]string, error)
}

// New returns them.
func New(
	u *identity.Service, n *numbering.Numbers, i *item.Registry, c *calendar.Calendar, v *views.Views, e *resource.Engine, all *collection.Registry,
	d *detail.Registry,
) Others {
	return Others{Users: u, Numbers: n, Items: i, Calendar: c, Views: v, Resources: e, Collections: all, Details: d}
}

// KnowsRole reports whether a role is one of the company's.
func (o Others) KnowsRole(ctx context.Context, role string) (bool, error) {
	caller, _ := principal.From(ctx)
	_, err := o.Users.RoleScopes(ctx, caller.Company, identity.Role(role))
	if kind := errs.KindOf(err); err != nil && (kind == errs.NotFound || kind == errs.Invalid) {
		return false, nil
	}

	return err == nil, err
}
