package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/dispatchd/dispatchd/platform/module"
)

// Key is a key of the configuration, for documentation.
type Key struct {
	Path string `json:"path"`
	// Type is one of boolean, integer, number, text, duration, size, secret and list.
	Type string `json:"type"`
	// Default is as one would write it: a bool, a number, a string or a []string.
	Default any    `json:"default"`
	Doc     string `json:"doc"`
	Secret  bool   `json:"secret"`
	// Environment is the variable that sets the key.
	Environment string `json:"environment"`
}

// Keys lists every key in the order of Example. It returns nil if the declarations are wrong,
// which Load reports.
func Keys(specs []Spec, modules []module.Module) []Key {
	s, err := newSchema(specs, modules)
	if err != nil {
		return nil
	}
	var all []Key
	for n := range s.root.keys() {
		all = append(all, Key{
			Path:        n.path,
			Type:        n.kind.name,
			Default:     n.kind.plain(reflect.ValueOf(n.fallback)),
			Doc:         n.doc,
			Secret:      n.kind.name == secretKind,
			Environment: envName(n.path),
		})
	}

	return all
}

// CheckDocs returns an error for every key without a doc tag, and for every secret with a default,
// which would be none. It is for tests.
func CheckDocs(specs []Spec, modules []module.Module) error {
	s, err := newSchema(specs, modules)
	if err != nil {
		return err
	}
	var problems []error
	for _, sec := range s.sections {
		for _, n := range slices.Concat(sec.parts, sec.keys) {
			if n.doc == "" {
				problems = append(problems, fmt.Errorf("%s: want a doc tag that says what the key does", n.path))
			}
			if secret, ok := n.fallback.(Secret); ok && secret != "" {
				problems = append(problems, fmt.Errorf("%s: want a secret without a default", n.path))
			}
		}
	}

	return errors.Join(problems...)
}
