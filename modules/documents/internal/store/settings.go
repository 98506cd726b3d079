package store

import (
	"errors"

	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys under modules.documents.
type Settings struct {
	MaxBytes config.Size `config:"max_bytes" doc:"Largest PDF of a document, in bytes. It is in memory while it is printed."`
}

// Defaults are the settings of a deployment that sets none.
func Defaults() Settings { return Settings{MaxBytes: 30 * config.MiB} } //nolint:mnd // what mail servers take

// Validate reports every setting that cannot work.
func (s Settings) Validate() error {
	if s.MaxBytes < 1 || s.MaxBytes > 50*config.MiB {
		return errors.New("max_bytes: want 1 byte to 50 MiB")
	}

	return nil
}
