package history

import (
	"errors"
	"time"
)

// settings are the keys under modules.history.
type settings struct {
	MaxBody   int           `config:"max_body" doc:"Longest text of an entry, in characters."`
	MaxAhead  time.Duration `config:"max_ahead" doc:"How far in the future the time of an entry may be, to allow for clocks that are fast."`
	Retention time.Duration `config:"retention" doc:"How long a deleted entry can be restored before it is removed for good."`
}

func defaults() settings {
	return settings{MaxBody: 10_000, MaxAhead: 5 * time.Minute, Retention: 30 * 24 * time.Hour}
}

// Validate reports every setting that cannot work.
func (s settings) Validate() error {
	var problems []error
	want := func(fine bool, text string) {
		if !fine {
			problems = append(problems, errors.New(text))
		}
	}
	want(s.MaxBody >= 1 && s.MaxBody <= 100_000, "max_body: want 1 to 100000")
	want(s.MaxAhead >= 0 && s.MaxAhead <= 24*time.Hour, "max_ahead: want 0s to 24h")
	want(s.Retention > 0, "retention: want more than 0s")

	return errors.Join(problems...)
}
