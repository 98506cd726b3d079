package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/views"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// others are what a record has to do with outside of the area.
type others struct {
	users   users
	numbers *numbering.Numbers
	items   *item.Registry
	// calendar tells the time where a company is.
	calendar *calendar.Calendar
	views    *views.Views
	// resources have the rows of areas, and collections all that companies can add fields to.
	resources   *resource.Engine
	collections *collection.Registry
}

// users are the people of a company.
type users interface {
	User(ctx context.Context, company, id uuid.UUID) (identity.User, error)
	RoleScopes(ctx context.Context, company uuid.UUID, name identity.Role) ([]string, error)
}

func newOthers(u *identity.Service, n *numbering.Numbers, i *item.Registry, c *calendar.Calendar, v *views.Views, e *resource.Engine, all *collection.Registry) others {
	return others{users: u, numbers: n, items: i, calendar: c, views: v, resources: e, collections: all}
}

// knowsRole reports whether a role is one of the company's.
func (o others) knowsRole(ctx context.Context, role string) (bool, error) {
	caller, _ := principal.From(ctx)
	_, err := o.users.RoleScopes(ctx, caller.Company, identity.Role(role))
	if kind := errs.KindOf(err); err != nil && (kind == errs.NotFound || kind == errs.Invalid) {
		return false, nil
	}

	return err == nil, err
}
