package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/numbering"
)

// newItems is a registry in which a company finds items of the areas that it uses.
func newItems(sets *feature.Sets) *item.Registry { return item.New(sets) }

func newNumbers(db *database.DB, c clock.Clock, trail *audit.Log, companies *identity.Service) (*numbering.Numbers, error) {
	return numbering.New(db, c, trail, zones{companies})
}

// zones are the time zones that companies name in their profiles.
type zones struct{ companies *identity.Service }

// TimeZone implements numbering.Zones.
func (z zones) TimeZone(ctx context.Context, company uuid.UUID) (string, error) {
	c, err := z.companies.Company(ctx, company)

	return c.TimeZone, err
}
