// Package modeling decides what becomes of modules and their fields, and builds the indexes and values that a change calls for.
package modeling

import (
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/outside"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Service creates and changes the modules of companies, and their fields.
type Service struct {
	records.Buses

	db          *database.DB
	repo        *store.Repository
	definitions *store.Definitions
	settings    definition.Settings
	clock       clock.Clock
	others      outside.Others
	records     *records.Service
}

// New returns the service.
func New(repo *store.Repository, d *store.Definitions, s definition.Settings, c clock.Clock, b records.Buses, o outside.Others, r *records.Service) *Service {
	return &Service{Buses: b, db: repo.DB, repo: repo, definitions: d, settings: s, clock: c, others: o, records: r}
}
