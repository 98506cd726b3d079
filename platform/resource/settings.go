package resource

import (
	"errors"
	"time"
)

// Settings are the keys of the section "resource".
type Settings struct {
	Retention time.Duration `config:"retention" doc:"Time after which what was deleted is removed for good. Until then it can be restored."`
	Versions  time.Duration `config:"versions" doc:"How long earlier versions of a row are kept. Later it can be neither read as it was then, nor reverted to that."`
}

// Defaults returns the settings of a service that keeps what was deleted for 30 days, and earlier versions for a year.
func Defaults() Settings {
	return Settings{Retention: 30 * 24 * time.Hour, Versions: 365 * 24 * time.Hour}
}

// Validate reports every setting that cannot work.
func (s Settings) Validate() error {
	if s.Retention < time.Hour {
		return errors.New("retention: want an hour or more, such as 720h")
	}
	if s.Versions < time.Hour {
		return errors.New("versions: want an hour or more, such as 8760h")
	}

	return nil
}
