package app

import (
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// newCollections is a registry in which a company finds the collections of the areas that it uses.
func newCollections(sets *feature.Sets) *collection.Registry { return collection.New(sets) }

func newImporter(
	cfg *config.Config, db *database.DB, c clock.Clock, queue *jobs.Queue, states *state.Log, who *identity.Service,
	collections *collection.Registry, trail *audit.Log,
) (*exchange.Importer, error) {
	return exchange.NewImporter(config.Get[exchange.Settings](cfg, "imports"), collections, exchange.NewPlatform(db, c, queue, states, who), trail)
}

func newBulkRequests(cfg *config.Config, db *database.DB, collections *collection.Registry, api *web.API) *bulk.Requests {
	return bulk.New(config.Get[bulk.Settings](cfg, "bulk"), db, collections, api)
}
