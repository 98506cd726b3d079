package contacts

import (
	"errors"
	"time"
)

// settings are the keys under modules.contacts.
type settings struct {
	UnmergeWithin time.Duration `config:"unmerge_within" doc:"How long a merge can be undone."`
}

func defaults() settings { return settings{UnmergeWithin: 30 * 24 * time.Hour} }

// Validate reports a setting that cannot work.
func (s settings) Validate() error {
	if s.UnmergeWithin < 0 {
		return errors.New("unmerge_within: want 0s or more")
	}

	return nil
}
