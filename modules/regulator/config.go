package regulator

import (
	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/internal/registry"
)

// settings are the keys of the area, which are under modules.carriers as they were before it was an area of its own.
type settings struct {
	Regulator    registry.Settings `config:"regulator" doc:"The regulator's data (FMCSA)."`
	PublicLookup bool              `config:"public_lookup" doc:"Whether anybody may look up a USDOT number without a token: the name, the city, the state and whether an authority is active, 10 times a minute for each address."`
}

func defaults() settings { return settings{Regulator: registry.Defaults()} }

// Validate reports a setting that cannot work.
func (s settings) Validate() error { return s.Regulator.Validate() }

func registrySettings(s settings) registry.Settings { return s.Regulator }

func fetchSettings(s settings) feed.FetchSettings { return s.Regulator.Fetching() }
