// Package config reads the configuration of the service: defaults in the code, under a YAML file,
// under environment variables, under flags.
//
// Settings are plain structs beside the code that reads them. A field is a key, its doc tag the
// documentation of that key, the value given to For or Section its default:
//
//	type settings struct {
//		MaxLength int `config:"max_length" doc:"Characters in a message."`
//	}
//
//	func (s settings) Validate() error { … }
//
// A field may be a struct (a section), bool, any integer or float, string, time.Duration, Size,
// Secret or a slice of strings. A key that nobody declared is an error, and so is a value of
// another type: nothing is converted silently.
//
// Every area has the key modules.<area>.enabled besides its own. Where it is not set,
// modules_default counts, a key at the top.
package config

import (
	"fmt"
	"reflect"

	"github.com/knadh/koanf/v2"
)

// Config is a configuration that Load found valid. It is read-only, but for ResolveSecrets.
type Config struct {
	file     string
	schema   *schema
	values   *koanf.Koanf
	sources  map[string]source
	sections []decoded
	unread   []Unread
	resolved map[string]bool
}

// decoded is a section and a pointer to its filled struct.
type decoded struct {
	section *section

	settings reflect.Value
}

// Get returns the settings of the section at key ("web", "modules.sms"). It panics if there is no
// such section of that type, which is a defect of the program. Slices in the settings are shared.
func Get[T any](c *Config, key string) T {
	for _, sec := range c.sections {
		if settings, ok := reflect.TypeAssert[*T](sec.settings); ok && sec.section.key == key {
			return *settings
		}
	}

	panic(fmt.Sprintf("config: there is no section %q of %s", key, reflect.TypeFor[T]()))
}

// Enabled reports whether an area is on; false for one that this binary does not have.
func (c *Config) Enabled(area string) bool {
	return c.values.Bool(joinPath(areaKey(area), enabledName))
}

// Unread returns the variables of the environment that set nothing, probably by mistake.
func (c *Config) Unread() []Unread { return c.unread }

// FileUsed returns the path of the configuration file, "" if there was none.
func (c *Config) FileUsed() string { return c.file }
