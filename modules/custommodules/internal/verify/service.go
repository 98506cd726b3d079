// Package verify compares what is kept of records with their documents, and mends what is derived from them.
package verify

import (
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/rollups"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Service compares what is kept of records with their documents, and mends it.
type Service struct {
	db          *database.DB
	repo        *store.Repository
	definitions *store.Definitions
	clock       clock.Clock
	records     *records.Service
	rollups     *rollups.Service
}

// New returns the service.
func New(repo *store.Repository, d *store.Definitions, c clock.Clock, r *records.Service, u *rollups.Service) *Service {
	return &Service{db: repo.DB, repo: repo, definitions: d, clock: c, records: r, rollups: u}
}
