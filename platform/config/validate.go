package config

import "strings"

// validator is a struct of settings, or one of its parts, that checks itself.
type validator interface{ Validate() error }

// validate runs the checks of a section and of the structs in it. An area that is off has none.
func (c *Config) validate(sec decoded) []problem {
	if sec.section.area != "" && !c.Enabled(sec.section.area) {
		return nil
	}
	problems := c.check(sec.section.key, sec.settings.Interface())
	for _, part := range sec.section.parts {
		field := sec.settings.Elem().FieldByIndex(part.index)
		problems = append(problems, c.check(part.path, field.Addr().Interface())...)
	}

	return problems
}

// check makes a problem of every line of what a Validate returns. A line that begins with a key
// of the section ("max_length: want 1 or more") is about that key, and says where its value is
// from.
func (c *Config) check(path string, settings any) []problem {
	v, ok := settings.(validator)
	if !ok {
		return nil
	}
	err := v.Validate()
	if err == nil {
		return nil
	}
	var problems []problem
	for line := range strings.SplitSeq(err.Error(), "\n") {
		name, rest, _ := strings.Cut(line, ": ")
		key := c.schema.root.find(joinPath(path, name))
		if key == nil || rest == "" {
			problems = append(problems, problem{key: path, text: line})

			continue
		}
		problems = append(problems, problem{key: key.path, text: rest, from: c.sources[key.path]})
	}

	return problems
}
