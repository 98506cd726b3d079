package events

import (
	"errors"
	"time"
)

// Settings are the keys of the section "events".
type Settings struct {
	Keep       time.Duration `config:"keep" doc:"How long the event log is kept; 0s keeps it forever. Deliveries do not need it."`
	MostMissed int           `config:"most_missed" doc:"How many missed events are read for a listener that comes back; with more, it is told to load the records again."`
}

// Defaults keep what has happened for half a year.
func Defaults() Settings { return Settings{Keep: 180 * 24 * time.Hour, MostMissed: 50_000} }

// Validate implements the check that config runs.
func (s Settings) Validate() error {
	if s.Keep != 0 && s.Keep < time.Hour {
		return errors.New("keep: want 1h or more, or 0s")
	}
	if s.MostMissed < 1 {
		return errors.New("most_missed: want 1 or more")
	}

	return nil
}
