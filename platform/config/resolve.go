package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// ResolveSecrets puts the contents of the files into the secrets "file:/path", without the line
// break at their end, and validates the sections again that had one. Areas that are off are left
// alone. It reports every problem at once and may be called again; it is not for several
// goroutines.
func (c *Config) ResolveSecrets() error {
	var problems []problem
	for _, sec := range c.sections {
		if sec.section.area != "" && !c.Enabled(sec.section.area) {
			continue
		}
		read, wrong := c.resolve(sec)
		if problems = append(problems, wrong...); read > 0 && len(wrong) == 0 {
			problems = append(problems, c.validate(sec)...)
		}
	}

	return joinProblems(problems)
}

// resolve reads the secrets of a section that were not read before, and returns how many.
func (c *Config) resolve(sec decoded) (read int, problems []problem) {
	for _, key := range sec.section.keys {
		field := sec.settings.Elem().FieldByIndex(key.index)
		secret, ok := reflect.TypeAssert[Secret](field)
		if !ok || c.resolved[key.path] || !secret.Mounted() {
			continue
		}
		value, err := readSecret(strings.TrimPrefix(secret.Reveal(), filePrefix))
		if err != nil {
			problems = append(problems, problem{key: key.path, text: err.Error(), from: c.sources[key.path]})

			continue
		}
		field.SetString(value)
		c.resolved[key.path] = true
		read++
	}

	return read, problems
}

func readSecret(path string) (string, error) {
	if path == "" {
		return "", errors.New(`want the path of a file after "file:"`)
	}
	data, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return "", errors.New("reading the secret: " + err.Error())
	}
	value := strings.TrimRight(string(data), "\r\n")
	if value == "" {
		return "", errors.New("want a secret in the file, got an empty one")
	}

	return value, nil
}
