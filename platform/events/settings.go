package events

import (
	"errors"
	"time"
)

// Settings are the keys of the section "events".
type Settings struct {
	Keep time.Duration `config:"keep" doc:"How long the event log is kept; 0s keeps it forever. Deliveries do not need it."`
}

// Defaults keep what has happened for half a year.
func Defaults() Settings { return Settings{Keep: 180 * 24 * time.Hour} }

// Validate implements the check that config runs.
func (s Settings) Validate() error {
	if s.Keep != 0 && s.Keep < time.Hour {
		return errors.New("keep: want 1h or more, or 0s")
	}

	return nil
}
