// Package fieldchange changes fields that have values: to another type, to required or unique, or to none. A change is planned,
// decided about, and applied to the records by a job.
package fieldchange

import (
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/outside"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Service changes the types of fields, with the values that records have.
type Service struct {
	records.Buses

	db          *database.DB
	repo        *store.Repository
	definitions *store.Definitions
	clock       clock.Clock
	others      outside.Others
	records     *records.Service
	modeling    *modeling.Service
}

// New returns the service.
func New(repo *store.Repository, d *store.Definitions, c clock.Clock, b records.Buses, o outside.Others, r *records.Service, m *modeling.Service) *Service {
	return &Service{Buses: b, db: repo.DB, repo: repo, definitions: d, clock: c, others: o, records: r, modeling: m}
}
