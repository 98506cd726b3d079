// Package history shows what happened to an item, whatever area knows of it, and keeps what people write down by hand.
//
// It owns the history_* tables and every operation under /history/api/v1. What other areas know comes through
// platform/timeline; what the platform keeps for all of them (the audit trail, the log of transitions, events) this area
// contributes itself.
package history

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/history/historyapi"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the history area.
var Module = module.New(historyapi.Area, "Timeline of an item across all areas, with manual entries",
	config.Section(defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write"),
	identity.Grants(identity.Accountant, "write"),
	fx.Provide(newRepository, newBook, newItems, newService, newLogs, newReader, fx.Private),
	web.Routes(entryRoutes),
	web.Routes(timelineRoutes),
	web.DeclareScope(manage, "Change and delete the entries of others"),
	resource.Pointer("history_entries", "item_type", "item_id"),
	timeline.Source("audit", []string{"change"}, (*logs).changes, timeline.NeedsScope("audit:read")),
	timeline.Source("events", []string{"event"}, (*logs).events),
	timeline.Source("history", kinds, (*repository).timeline),
	timeline.Source("transitions", []string{"transition"}, (*logs).transitions),
	events.Publishes(historyapi.EntryCreated{}),
	jobs.On((*service).purgeDeleted),
	jobs.Every(purgeEvery, purge{}),
)
