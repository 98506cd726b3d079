package docks

import "errors"

// settings are the keys under modules.docks.
type settings struct {
	MaxName int `config:"max_name" doc:"Longest name of a door, in characters."`
}

func defaults() settings {
	return settings{MaxName: 200}
}

// Validate reports a setting that cannot work.
func (s settings) Validate() error {
	if s.MaxName < 1 {
		return errors.New("max_name: want at least 1")
	}

	return nil
}
