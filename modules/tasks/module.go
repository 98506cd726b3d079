// Package tasks keeps what people have to do.
package tasks

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the tasks area.
var Module = module.New("tasks", "Tasks with due dates, assignees and reminders",
	identity.Grants(identity.Dispatcher, "write"),
	identity.Grants(identity.Accountant, "write"),
	resource.Of(rules()),
	fx.Provide(newSeries, newService, newClerk, fx.Private),
	resource.BeforeAll((*service).decide),
	web.Routes(routes),
	summary.Section("tasks", (*service).summarize),
	jobs.On((*reminders).remind),
	jobs.On((*reminders).endSnooze),
	events.Publishes(taskAssigned{}),
	events.Publishes(taskReminded{}),
)
