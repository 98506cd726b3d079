package config

import (
	"fmt"
	"reflect"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/v2"

	"github.com/dispatchd/dispatchd/platform/module"
)

// LoadOptions says what there is to configure and where it is said.
type LoadOptions struct {
	// Modules are all areas of the binary, enabled or not; Specs the sections of the platform.
	Modules []module.Module
	Specs   []Spec
	// File is the path of a YAML file, "" for none.
	File string
	// Environ is the environment as os.Environ returns it.
	Environ []string
	// Set are the "key=value" of --set, Flags the flags with a name of their own, by key.
	Set   []string
	Flags map[string]string
}

// Load reads the configuration: the defaults, under the file, under the environment, under the
// flags. Its error names everything that is wrong at once, sorted, one line each: the key, what
// would be right, and where the wrong was said. What is wrong in a layer is reported even if a
// layer above it says otherwise. The settings of an area that is off are read and checked against
// its keys, but not validated.
//
// Load reads File and does no other I/O.
func Load(options LoadOptions) (*Config, error) {
	s, err := newSchema(options.Specs, options.Modules)
	if err != nil {
		return nil, err
	}
	l := &loading{schema: s, merged: koanf.New("."), sources: map[string]source{}}
	if err := l.merge(options); err != nil {
		return nil, fmt.Errorf("merging the configuration: %w", err)
	}

	c := &Config{file: options.File, schema: s, values: l.merged, sources: l.sources, unread: l.unread, resolved: map[string]bool{}}
	if err := c.decode(); err != nil {
		return nil, err
	}
	for _, sec := range c.sections {
		l.problems = append(l.problems, c.validate(sec)...)
	}
	if err := joinProblems(l.problems); err != nil {
		return nil, err
	}

	return c, nil
}

// merge puts the layers on top of each other.
func (l *loading) merge(options LoadOptions) error {
	for _, top := range []layer{
		l.defaults(),
		l.file(options.File),
		l.environment(options.Environ),
		l.flags(options.Set, options.Flags),
	} {
		if err := l.add(top); err != nil {
			return err
		}
	}

	return l.add(l.switches())
}

// switches is the layer of the areas of which nobody said whether they are on.
func (l *loading) switches() layer {
	rest := newLayer()
	for key := range l.schema.root.keys() {
		if key.isSwitch() && !l.merged.Exists(key.path) {
			rest.setValue(key, l.merged.Bool(modulesDefaultKey), l.sources[modulesDefaultKey])
		}
	}

	return rest
}

// decode fills the struct of every section.
func (c *Config) decode() error {
	for _, sec := range c.schema.sections {
		settings := reflect.New(sec.defaults.Type())
		settings.Elem().Set(sec.defaults)
		for _, key := range sec.keys {
			// Without this, mapstructure would write a list into the array of the defaults.
			settings.Elem().FieldByIndex(key.index).SetZero()
		}
		err := c.values.UnmarshalWithConf(sec.key, settings.Interface(), koanf.UnmarshalConf{
			Tag:           "config",
			DecoderConfig: &mapstructure.DecoderConfig{MatchName: func(key, field string) bool { return key == field }},
		})
		if err != nil {
			return fmt.Errorf("decoding the configuration of %q: %w", sec.key, err)
		}
		c.sections = append(c.sections, decoded{section: sec, settings: settings})
	}

	return nil
}
