package audit

import (
	"errors"
	"slices"
)

// Settings are the keys of the section "audit".
type Settings struct {
	EveryWrite bool     `config:"every_write" doc:"Whether every write through the API is recorded, even where the area records none."`
	Sensitive  []string `config:"sensitive" doc:"Keys whose values the audit trail stores only as hashes. Keys that end in an underscore and one of these words are hashed too."`
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
		return errors.New("sensitive: a name is empty")
	}

	return nil
}
