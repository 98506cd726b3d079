// Package rollups computes the rollups and lookups of records that others' changes made stale.
package rollups

import (
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Service computes rollups and lookups that are stale.
type Service struct {
	records.Buses

	db          *database.DB
	repo        *store.Repository
	definitions *store.Definitions
	clock       clock.Clock
	records     *records.Service
	modeling    *modeling.Service
}

// New returns the service.
func New(repo *store.Repository, d *store.Definitions, c clock.Clock, b records.Buses, r *records.Service, m *modeling.Service) *Service {
	return &Service{Buses: b, db: repo.DB, repo: repo, definitions: d, clock: c, records: r, modeling: m}
}
