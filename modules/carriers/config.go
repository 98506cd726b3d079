package carriers

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/regulator"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/regulator/feed"
)

// settings are the keys under modules.carriers.
type settings struct {
	Regulator     regulator.Settings `config:"regulator" doc:"The regulator's data (FMCSA)."`
	PublicLookup  bool               `config:"public_lookup" doc:"Whether anybody may look up a USDOT number without a token: the name, the city, the state and whether an authority is active, 10 times a minute for each address."`
	UnmergeWithin time.Duration      `config:"unmerge_within" doc:"How long a merge can be undone."`
	// RemitHold and RemitSecondPerson guard changes of how carriers are paid.
	RemitHold         time.Duration `config:"remit_hold" doc:"How long a change of a carrier's remit-to is held before it becomes effective, verified or not."`
	RemitSecondPerson bool          `config:"remit_second_person" doc:"Whether another user than the one who proposed a change of a remit-to must verify it."`
}

func defaults() settings {
	return settings{Regulator: regulator.Defaults(), RemitHold: 72 * time.Hour, UnmergeWithin: 30 * 24 * time.Hour}
}

// Validate reports a setting that cannot work.
func (s settings) Validate() error {
	if s.RemitHold < 0 {
		return errors.New("remit_hold: want 0s or more")
	}

	if s.UnmergeWithin < 0 {
		return errors.New("unmerge_within: want 0s or more")
	}

	return s.Regulator.Validate()
}

func regulatorSettings(s settings) regulator.Settings { return s.Regulator }

func fetchSettings(s settings) feed.FetchSettings { return s.Regulator.Fetching() }
