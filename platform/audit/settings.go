package audit

import (
	"errors"
	"slices"
)

// Settings are the keys of the section "audit".
type Settings struct {
	EveryWrite bool     `config:"every_write" doc:"Whether each write of the API leaves an entry, also where the area records none."`
	Sensitive  []string `config:"sensitive" doc:"Keys whose values the audit trail does not keep, but hashes: these, and keys that end in an underscore and one of them."`
}

// Keys gives the key under which values of sensitive keys are hashed.
type Keys interface {
	// Derive returns the key for a purpose, always the same one.
	Derive(purpose string) ([]byte, error)
}

// Defaults are what no deployment wants to find in a trail.
func Defaults() Settings {
	return Settings{EveryWrite: true, Sensitive: []string{
		"password", "secret", "token", "api_key", "private_key", "authorization", "ssn", "tax_id",
		"account_number", "routing_number", "card_number", "license_number",
	}}
}

// Validate implements the check that config runs.
func (s Settings) Validate() error {
	if slices.Contains(s.Sensitive, "") {
		return errors.New("sensitive: want names of keys, got an empty one")
	}

	return nil
}
