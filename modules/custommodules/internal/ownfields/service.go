// Package ownfields keeps the fields that companies add to areas' resources, as modules that nobody sees.
package ownfields

import (
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Service keeps the fields that companies add to areas' resources.
type Service struct {
	db          *database.DB
	repo        *store.Repository
	definitions *store.Definitions
	clock       clock.Clock
	own         *OwnModules
	records     *records.Service
}

// New returns the service.
func New(repo *store.Repository, d *store.Definitions, c clock.Clock, own *OwnModules, r *records.Service) *Service {
	return &Service{db: repo.DB, repo: repo, definitions: d, clock: c, own: own, records: r}
}
