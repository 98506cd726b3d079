package app

import (
	"errors"
	"path/filepath"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/idempotency"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
)

// The roles of a process.
const (
	API    = "api"
	Worker = "worker"
)

var errRoles = errors.New("roles: want api, worker, or both")

// Settings are the keys at the top of the configuration.
type Settings struct {
	DataDir string   `config:"data_dir" doc:"Folder of the embedded database, files and the demo token."`
	Roles   []string `config:"roles" doc:"What this process runs: api answers requests, worker runs jobs. A deployment with several processes can split them."`
}

// Validate implements the check that config runs.
func (s Settings) Validate() error {
	if s.DataDir == "" {
		return errors.New("data_dir: want a folder, such as ./data")
	}
	if len(s.Roles) == 0 {
		return errRoles
	}
	for _, role := range s.Roles {
		if role != API && role != Worker {
			return errRoles
		}
	}

	return nil
}

// Specs are the configuration sections of the platform.
func Specs() []config.Spec { return specs(web.Defaults()) }

func specs(webDefaults web.Settings) []config.Spec {
	return []config.Spec{
		config.For("", Settings{DataDir: "./data", Roles: []string{API, Worker}}),
		config.For("web", webDefaults),
		config.For("database", database.Defaults()),
		config.For("secret", secret.Defaults()),
		config.For("blob", blob.Defaults()),
		config.For("jobs", jobs.Defaults()),
		config.For("events", events.Defaults()),
		config.For("log", telemetry.Defaults()),
		config.For("traces", telemetry.TraceDefaults()),
		config.For("metrics", telemetry.MetricsDefaults()),
		config.For("audit", audit.Defaults()),
		config.For("idempotency", idempotency.Defaults()),
		config.For("resource", resource.Defaults()),
		config.For("features", feature.Defaults()),
		config.For("inbound", inbound.Defaults()),
		config.For("outbound", outbound.Defaults()),
		config.For("imports", exchange.Defaults()),
		config.For("bulk", bulk.Defaults()),
		config.For("papers", paper.Defaults()),
	}
}

// Load reads the configuration. On the local profile, web.debug is on unless something says
// otherwise.
func Load(options config.LoadOptions) (*config.Config, error) {
	options.Specs = Specs()
	cfg, err := config.Load(options)
	if err != nil || !Local(cfg) {
		return cfg, err
	}

	defaults := web.Defaults()
	defaults.Debug = true
	options.Specs = specs(defaults)

	return config.Load(options)
}

// Local reports whether this is the local profile: no configuration file, and the default SQLite
// database. It alone gets demo data and debug answers.
func Local(cfg *config.Config) bool {
	return cfg.FileUsed() == "" && config.Get[database.Settings](cfg, "database").URL == ""
}

// DataDir returns the folder of the embedded database, files and the demo token.
func DataDir(cfg *config.Config) string {
	return filepath.Clean(config.Get[Settings](cfg, "").DataDir)
}

// Keys lists every configuration key of a binary with these modules.
func Keys(modules []module.Module) []config.Key { return config.Keys(Specs(), modules) }
