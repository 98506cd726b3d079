package bulk

import (
	"errors"

	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys of the section "bulk".
type Settings struct {
	MaxItems int         `config:"max_items" doc:"Items in a bulk request."`
	MaxSize  config.Size `config:"max_size" doc:"Bytes in the body of a bulk request, and of the rows in its answer."`
}

// Defaults suit what programs send at once.
func Defaults() Settings { return Settings{MaxItems: 500, MaxSize: 8 * config.MiB} }

// Validate implements the check that config runs.
func (s Settings) Validate() error {
	var problems []error
	if s.MaxItems < 1 || s.MaxItems > 10_000 {
		problems = append(problems, errors.New("max_items: want 1 to 10000"))
	}
	if s.MaxSize < 1<<10 || s.MaxSize > 64<<20 {
		problems = append(problems, errors.New("max_size: want 1KiB to 64MiB"))
	}

	return errors.Join(problems...)
}
