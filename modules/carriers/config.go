package carriers

import (
	"github.com/dispatchd/dispatchd/modules/carriers/internal/regulator"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/regulator/feed"
)

// settings are the keys under modules.carriers.
type settings struct {
	Regulator    regulator.Settings `config:"regulator" doc:"The regulator's data (FMCSA)."`
	PublicLookup bool               `config:"public_lookup" doc:"Whether anybody may look up a USDOT number without a token: the name, the city, the state and whether an authority is active, 10 times a minute for each address."`
}

func defaults() settings { return settings{Regulator: regulator.Defaults()} }

// Validate reports a setting that cannot work.
func (s settings) Validate() error { return s.Regulator.Validate() }

func regulatorSettings(s settings) regulator.Settings { return s.Regulator }

func fetchSettings(s settings) feed.FetchSettings { return s.Regulator.Fetching() }
