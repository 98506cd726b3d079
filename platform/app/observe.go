package app

import (
	"errors"
	"log/slog"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
)

// observability makes traces, metrics and the server of the latter.
func observability() fx.Option {
	return fx.Options(
		fx.Provide(newTraces, newMetrics, newAdmin, telemetry.NewObserver),
		fx.Invoke(observe),
	)
}

func newTraces(cfg *config.Config, log *slog.Logger) *telemetry.Traces {
	return telemetry.NewTraces(config.Get[telemetry.TraceSettings](cfg, "traces"), Version(), log)
}

func newMetrics(cfg *config.Config) (*telemetry.Metrics, error) {
	return telemetry.NewMetrics(config.Get[telemetry.MetricsSettings](cfg, "metrics"), Version())
}

func newAdmin(cfg *config.Config, m *telemetry.Metrics, log *slog.Logger) *telemetry.Admin {
	return telemetry.NewAdmin(config.Get[telemetry.MetricsSettings](cfg, "metrics"), m, log)
}

// observe has everything report what it does.
func observe(
	o telemetry.Observer, db *database.DB, queue *jobs.Queue, api *web.API, inbox *inbound.Inbox, outside *outbound.Network,
) error {
	return errors.Join(db.Observe(o), queue.Observe(o), api.Observe(o), inbox.Observe(o), outside.Observe(o))
}

// startTelemetry comes first, so that it stops last.
func startTelemetry(lc fx.Lifecycle, traces *telemetry.Traces, admin *telemetry.Admin) {
	lc.Append(fx.StartStopHook(traces.Start, traces.Stop))
	lc.Append(fx.StartStopHook(admin.Start, admin.Stop))
}
