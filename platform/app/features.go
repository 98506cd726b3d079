package app

import (
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// newFeatureAreas is what feature sets are made of: all areas of the binary, and the enabled ones.
func newFeatureAreas(cfg *config.Config, all, enabled []module.Module) feature.Areas {
	return feature.NewAreas(config.Get[feature.Settings](cfg, "features"), all, enabled)
}

// useFeatures has everything that acts for a company ask whether it uses the area, and tells the
// sets what to count by.
func useFeatures(
	cfg *config.Config, sets *feature.Sets, companies *identity.Service, api *web.API, hooks *hook.Bus, bus *events.Bus, queue *jobs.Queue, inbox *inbound.Inbox,
	resources *resource.Engine,
) {
	api.UseGate(sets)
	hooks.UseGate(sets)
	bus.UseGate(sets)
	resources.UseGate(sets)
	pause := config.Get[feature.Settings](cfg, "features").JobPause
	queue.UseGate(sets, companies, pause)
	inbox.UseGate(sets, pause)
	sets.Count(feature.Counts{
		Operations: func(area string) int {
			n := 0
			for _, operation := range api.Operations() {
				if operation.Area == area {
					n++
				}
			}

			return n
		},
		Jobs: queue.Waiting, Events: bus.Waiting,
	})
}
