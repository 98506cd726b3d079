package inbound

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys of the section "inbound".
type Settings struct {
	Attempts        int           `config:"attempts" doc:"Maximum attempts to process a notification before it fails. Pauses grow as for jobs; 12 attempts take about 11 hours."`
	KeepBodies      time.Duration `config:"keep_bodies" doc:"How long headers and bodies of notifications are kept, and can be replayed."`
	Keep            time.Duration `config:"keep" doc:"How long notifications are remembered to detect duplicates. One repeated later counts as new."`
	Memory          config.Size   `config:"memory" doc:"Memory for bodies in transit. One endpoint may use a quarter of it, one address half. A body that finds no memory waits for the time of pause and is then answered 503. The process needs about twice as much."`
	Pause           time.Duration `config:"pause" doc:"How long a sender may pause within a body before the answer is 408."`
	Pace            config.Size   `config:"pace" doc:"Minimum average bytes a second of a body, after the first pause."`
	FileAbove       config.Size   `config:"file_above" doc:"Size from which bodies are kept as files (blob.url) instead of in the database. 0 keeps all in the database, for processes that do not share files with those that run jobs."`
	ServicesURLOnly bool          `config:"services_url_only" doc:"Whether notifications are accepted only at the host of web.services_url."`
}

// Defaults keep bodies for a month and the rest for half a year.
func Defaults() Settings {
	const day = 24 * time.Hour

	return Settings{
		Attempts: 12, KeepBodies: 30 * day, Keep: 180 * day, Memory: 128 * config.MiB,
		Pause: 5 * time.Second, Pace: 8 * config.KiB, FileAbove: config.MiB,
	}
}

// Validate implements the check that config runs.
func (s Settings) Validate() error {
	var problems []error
	const mostAttempts = 100
	if s.Attempts < 1 || s.Attempts > mostAttempts {
		problems = append(problems, errors.New("attempts: want 1 to 100"))
	}
	if s.KeepBodies < time.Hour || s.Keep < s.KeepBodies {
		problems = append(problems, errors.New("keep_bodies: want 1h or more, and keep at least as long"))
	}
	if s.Memory < config.MiB {
		problems = append(problems, errors.New("memory: want 1MiB or more"))
	}

	if s.Pause <= 0 || s.Pace < 1 {
		problems = append(problems, errors.New("pause: want a time above zero, such as 5s, and pace: 1B or more"))
	}

	return errors.Join(problems...)
}
