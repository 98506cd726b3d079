package secret

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys under secret.
type Settings struct {
	Key          config.Secret `config:"key" doc:"The master key, from which all other keys derive, as printed by 'dispatchd secret new'; or file:/path. Required with PostgreSQL, the same on every replica. With SQLite it defaults to the file secret.key in the data folder, which is created on the first start. Without the key, encrypted data is lost."`
	PreviousKeys config.Secret `config:"previous_keys" doc:"Former or future master keys, separated by commas or line breaks; or file:/path. They decrypt what was encrypted under them; new data always uses the master key. Needed while the master key changes, see docs/secret.md."`
}

// Defaults are no key.
func Defaults() Settings { return Settings{} }

// Validate reports a text that is no key.
func (s Settings) Validate() error {
	var masters []master
	if s.Key != "" && !s.Key.Mounted() {
		var err error
		if masters, err = parseMasters(s.Key.Reveal()); err != nil {
			return errors.New("key: " + err.Error())
		}
	}
	if _, err := s.former(masters); err != nil {
		return errors.New("previous_keys: " + err.Error())
	}

	return nil
}

// former returns the previous keys, none of which is among those in use.
func (s Settings) former(used []master) ([]master, error) {
	if s.PreviousKeys == "" || s.PreviousKeys.Mounted() {
		return nil, nil
	}
	all, err := parseMasters(s.PreviousKeys.Reveal())
	if err != nil {
		return nil, err
	}
	for i, key := range all {
		if slices.ContainsFunc(used, func(other master) bool { return bytes.Equal(key, other) }) {
			return nil, fmt.Errorf("key %d is in secret.key too", i+1)
		}
	}

	return all, nil
}
