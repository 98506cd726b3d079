package app

import (
	"errors"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// openJobs lets jobs be enqueued as long as the database is open, by commands and demo data too.
// Running them is part of Serving.
func openJobs(lc fx.Lifecycle, queue *jobs.Queue) {
	lc.Append(fx.StartStopHook(queue.Open, queue.Close))
}

// checkBuses reports everyone who listens to what nobody says.
func checkBuses(hooks *hook.Bus, bus *events.Bus, areas areaList) error {
	return errors.Join(hooks.Check(areas), bus.Check(areas))
}

// followEvents lets the log of events be followed until all that follows it has stopped.
func followEvents(lc fx.Lifecycle, bus *events.Bus, others *broadcast.Bus) error {
	lc.Append(fx.StopHook(bus.Close))

	return bus.UseBroadcast(others)
}
