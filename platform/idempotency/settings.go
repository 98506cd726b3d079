package idempotency

import (
	"errors"
	"time"
)

// Settings are the keys of the section "idempotency".
type Settings struct {
	Keep time.Duration `config:"keep" doc:"How long the answer to a request with an Idempotency-Key is kept and replayed to retries."`
}

// Defaults returns the settings of a service that answers repeats for a day.
func Defaults() Settings { return Settings{Keep: 24 * time.Hour} }

// Validate reports every setting that cannot work.
func (s Settings) Validate() error {
	if s.Keep < time.Minute {
		return errors.New("keep: want a minute or more, such as 24h")
	}

	return nil
}
