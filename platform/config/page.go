package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// page writes the tree of keys as YAML.
type page struct {
	lines []string

	// value returns what a key has: plain, as kind.plain makes it.
	value func(*node) any
	// above returns the comment before a name, behind the one after a key; "" for none.
	above, behind func(*node) string
}

// width is where comments are wrapped.
const width = 100

func (p *page) add(line string) { p.lines = append(p.lines, line) }

// String returns the page.
func (p *page) String() string { return strings.Join(p.lines, "\n") + "\n" }

// section writes the names below n.
func (p *page) section(n *node, indent string) {
	for i, child := range n.children {
		if child.kind != nil {
			p.comment(p.above(child), indent)
			p.key(child, indent)

			continue
		}
		if len(child.children) == 0 { // the modules of a binary that has none
			continue
		}
		if indent == "" || i > 0 && p.above(child) != "" {
			p.add("")
		}
		p.comment(p.above(child), indent)
		p.add(indent + child.name + ":")
		p.section(child, indent+"  ")
	}
}

// key writes a key and its value; a list one item a line.
func (p *page) key(n *node, indent string) {
	line := indent + n.name + ":"
	items, isList := p.value(n).([]string)
	switch {
	case !isList:
		line += " " + yamlText(p.value(n))
	case len(items) == 0:
		line += " []"
	}
	if behind := p.behind(n); behind != "" {
		line += " # " + behind
	}
	p.add(line)
	for _, item := range items {
		p.add(indent + "  - " + yamlText(item))
	}
}

// comment writes a text as comment lines, wrapped at width.
func (p *page) comment(text, indent string) {
	line := indent + "#"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width && line != indent+"#" {
			p.add(line)
			line = indent + "#"
		}
		line += " " + word
	}
	if line != indent+"#" {
		p.add(line)
	}
}

// yamlText returns a plain value on one line, in quotes where YAML needs them.
func yamlText(value any) string {
	s, isText := value.(string)
	if !isText {
		return fmt.Sprint(value)
	}
	if out, err := yaml.Marshal(s); err == nil && !slices.Contains(out[:len(out)-1], '\n') {
		return strings.TrimSuffix(string(out), "\n")
	}
	out, err := json.Marshal(s)
	if err != nil {
		return `""`
	}

	return string(out)
}
