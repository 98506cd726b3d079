package feature

import (
	"errors"
	"time"
)

// Settings are the keys under features.
type Settings struct {
	Default  bool          `config:"default" doc:"Whether a company uses an enabled area by default."`
	JobPause time.Duration `config:"job_pause" doc:"How often to retry jobs whose company has switched their area off. They resume when the area is switched on again."`
}

// Defaults give every company everything.
func Defaults() Settings { return Settings{Default: true, JobPause: 15 * time.Minute} }

// Validate implements the check that config runs.
func (s Settings) Validate() error {
	if s.JobPause <= 0 {
		return errors.New("job_pause: want more than 0s")
	}

	return nil
}
