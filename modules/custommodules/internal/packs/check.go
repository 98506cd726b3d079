package packs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyPattern is what names packs and modules inside them.
var keyPattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Problem is what is wrong with a part of a pack. Its path is that of the part, such as "modules.0.key".
type Problem struct{ Path, Message string }

// FormatOf reads which version of the format a pack claims to be of, 0 where it says nothing of the kind.
func FormatOf(raw []byte) int {
	var claim struct {
		Format json.Number `json:"format"`
	}
	if json.Unmarshal(raw, &claim) != nil {
		return 0
	}
	format, err := claim.Format.Int64()
	if err != nil || format < 0 || format > 1<<30 {
		return 0
	}

	return int(format)
}

// Check finds what is wrong with a pack by itself. What its fields are is for the definitions to say.
func (p *Pack) Check() []Problem {
	var c checking
	c.key("name", "name", p.Name)
	if p.Version < 1 || p.Version > 1_000_000_000 {
		c.add("version", "The version must be a whole number from 1.")
	}
	c.text("title", "title", p.Title)
	c.text("description", "description", p.Description)
	switch {
	case len(p.Modules) == 0:
		c.add("modules", "The modules must be a list with at least one entry.")
	case len(p.Modules) > MostModules:
		c.add("modules", fmt.Sprintf("The modules must not have more than %d entries.", MostModules))

		return c.found
	case len(p.Outside) > MostOutside:
		c.add("outside", fmt.Sprintf("The modules outside must not have more than %d entries.", MostOutside))

		return c.found
	}
	taken, names := map[string]bool{}, map[string]bool{}
	for i := range p.Modules {
		c.module("modules."+strconv.Itoa(i), &p.Modules[i], taken, names)
	}
	for i, o := range p.Outside {
		path := "outside." + strconv.Itoa(i)
		c.moduleKey(path, o.Key, taken)
		if strings.TrimSpace(o.Name) == "" {
			c.add(path+".name", "The name is required.")
		}
	}
	for i := range p.Modules {
		for j := range p.Modules[i].Fields {
			c.references(fmt.Sprintf("modules.%d.fields.%d.options.", i, j), p, &p.Modules[i], &p.Modules[i].Fields[j])
		}
	}

	return c.found
}

type checking struct{ found []Problem }

func (c *checking) add(path, message string) { c.found = append(c.found, Problem{path, message}) }

func (c *checking) key(path, attribute, key string) {
	switch {
	case key == "":
		c.add(path, "The "+attribute+" is required.")
	case len(key) > mostName:
		c.add(path, fmt.Sprintf("The %s must not be longer than %d characters.", attribute, mostName))
	case !keyPattern.MatchString(key):
		c.add(path, "The "+attribute+" must be in snake_case: the letters a to z, digits and underscores, starting with a letter.")
	}
}

func (c *checking) text(path, attribute, text string) {
	switch {
	case utf8.RuneCountInString(text) > mostText:
		c.add(path, fmt.Sprintf("The %s must not be longer than %d characters.", attribute, mostText))
	case strings.ContainsFunc(text, unicode.IsControl):
		c.add(path, "The "+attribute+" must not contain control characters.")
	}
}

func (c *checking) moduleKey(path, key string, taken map[string]bool) {
	c.key(path+".key", "key", key)
	if taken[key] {
		c.add(path+".key", "The key "+key+" is given to two modules.")
	}
	taken[key] = true
}

func (c *checking) module(path string, m *Module, taken, names map[string]bool) {
	c.moduleKey(path, m.Key, taken)
	if name := strings.ToLower(strings.TrimSpace(m.Name)); name != "" && names[name] {
		c.add(path+".name", "The name is given to two modules.")
	} else {
		names[name] = true
	}
	if len(m.Fields) > MostFields {
		c.add(path+".fields", fmt.Sprintf("The fields must not have more than %d entries.", MostFields))
	}
	if m.TitleField != "" && m.Field(m.TitleField) == nil {
		c.add(path+".title_field", "The title field must be the key of a field of the module.")
	}
	keys := map[string]bool{}
	for i, f := range m.Fields {
		if keys[f.Key] {
			c.add(path+".fields."+strconv.Itoa(i)+".key", "The key is given to two fields.")
		}
		keys[f.Key] = true
	}
}

// references finds modules and fields that a field names and the pack does not have.
func (c *checking) references(path string, p *Pack, in *Module, f *Field) {
	named := ReferenceOptions(f.Type)
	if named.Module == "" {
		return
	}
	key, ok := f.Text(named.Module)
	if !ok {
		c.add(path+named.Module, "The module is required: its key in this pack.")

		return
	}
	if !p.Names(key) {
		c.add(path+named.Module, "The pack has no module with this key, neither in modules nor in outside.")

		return
	}
	for _, option := range named.Own {
		if field, given := f.Text(option); given && in.Field(field) == nil {
			c.add(path+option, "The module "+in.Key+" has no field with this key.")
		}
	}
	m := p.Module(key)
	for _, option := range named.Fields {
		field, given := f.Text(option)
		if given && m != nil && m.Field(field) == nil {
			c.add(path+option, "The module "+key+" has no field with this key.")
		}
	}
}
