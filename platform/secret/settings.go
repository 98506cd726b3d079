package secret

import (
	"errors"

	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys under secret.
type Settings struct {
	Key config.Secret `config:"key" doc:"The master key, from which all others derive, as 'dispatchd secret new' prints it; or file:/path. Further keys after it, separated by commas or line breaks, are former ones, which can still decrypt. Needed with PostgreSQL, the same on every replica; with SQLite and nothing here, the file secret.key in the data folder holds it and is made on the first start. Without it, what is encrypted is lost."`
}

// Defaults are no key.
func Defaults() Settings { return Settings{} }

// Validate reports a text that is no key.
func (s Settings) Validate() error {
	if s.Key == "" || s.Key.Mounted() {
		return nil
	}
	if _, err := parseMasters(s.Key.Reveal()); err != nil {
		return errors.New("key: " + err.Error())
	}

	return nil
}
