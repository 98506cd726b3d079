// Package packaging exports modules as packs, and brings packs in: it plans, and does what was planned.
package packaging

import (
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Service exports modules as packs, and brings packs in.
type Service struct {
	db          *database.DB
	repo        *store.Repository
	definitions *store.Definitions
	settings    definition.Settings
	modeling    *modeling.Service
}

// New returns the service.
func New(repo *store.Repository, d *store.Definitions, s definition.Settings, m *modeling.Service) *Service {
	return &Service{db: repo.DB, repo: repo, definitions: d, settings: s, modeling: m}
}
