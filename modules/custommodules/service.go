package custommodules

import (
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/fieldchange"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/outside"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/ownfields"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packaging"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/rollups"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/verify"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// service answers requests.
type service struct {
	db          *database.DB
	repo        *store.Repository
	definitions *store.Definitions
	settings    definition.Settings
	clock       clock.Clock
	others      outside.Others

	records  *records.Service
	modeling *modeling.Service
	rollups  *rollups.Service
	changes  *fieldchange.Service
	packs    *packaging.Service
	verifier *verify.Service
	own      *ownfields.Service
}

func newService(repo *store.Repository, d *store.Definitions, s definition.Settings, c clock.Clock, o outside.Others, p services) *service {
	return &service{
		db: repo.DB, repo: repo, definitions: d, settings: s, clock: c, others: o,
		records: p.Records, modeling: p.Modeling, rollups: p.Rollups, changes: p.Changes, packs: p.Packs, verifier: p.Verifier, own: p.Own,
	}
}
