// Package notes keeps what people write about items of any area.
package notes

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the notes area.
var Module = module.New("notes", "Notes on items of any area",
	config.Section(defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write"),
	identity.Grants(identity.Accountant, "write"),
	resource.Of(rules()),
	fx.Provide(newRepository, newService, fx.Private),
	resource.BeforeAll((*service).decide),
	web.DeclareScope("manage", "Edit, delete and restore the notes of others"),
	events.Publishes(noteMentioned{}),
	hook.On((*repository).remarks),
	summary.Section("notes", (*repository).summarize),
	timeline.Source("notes", []string{"note"}, (*repository).timeline),
)
