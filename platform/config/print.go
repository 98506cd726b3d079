package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"reflect"

	"github.com/knadh/koanf/maps"
)

// Value is what a key has in the end, and why.
type Value struct {
	Path string `json:"path"`
	// Value is as one would write it: a bool, a number, a string or a []string; secrets redacted.
	Value any `json:"value"`
	// Source is "default", or where it was said: "file dispatchd.yaml:3", "environment NAME",
	// "flag --set".
	Source string `json:"source"`
}

// Values lists the value of every key in the order of Example.
func (c *Config) Values() []Value {
	var all []Value
	for n := range c.schema.root.keys() {
		all = append(all, Value{Path: n.path, Value: c.plain(n), Source: c.sources[n.path].String()})
	}

	return all
}

// plain returns the value of a key as one would write it, redacted.
func (c *Config) plain(n *node) any { return n.kind.plain(reflect.ValueOf(c.values.Get(n.path))) }

// PrintOption changes what Print shows.
type PrintOption func(*printing)

type printing struct{ sources bool }

// WithSources shows where each value comes from: after each key in YAML, as a list of Value in
// JSON.
func WithSources() PrintOption { return func(p *printing) { p.sources = true } }

// Print writes the values in force, secrets redacted, as "yaml" or "json".
func (c *Config) Print(w io.Writer, format string, options ...PrintOption) error {
	var p printing
	for _, option := range options {
		option(&p)
	}
	switch format {
	case "yaml":
		return c.printYAML(w, p)
	case "json":
		return c.printJSON(w, p)
	default:
		return fmt.Errorf("format %q: want yaml or json", format)
	}
}

func (c *Config) printYAML(w io.Writer, printing printing) error {
	p := &page{value: c.plain, above: func(*node) string { return "" }, behind: func(*node) string { return "" }}
	if printing.sources {
		p.behind = func(n *node) string { return c.sources[n.path].String() }
	}
	p.section(c.schema.root, "")
	_, err := io.WriteString(w, p.String())

	return err
}

func (c *Config) printJSON(w io.Writer, printing printing) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if printing.sources {
		return encoder.Encode(c.Values())
	}

	return encoder.Encode(c.tree())
}

// tree returns the values in force as nested maps.
func (c *Config) tree() map[string]any {
	flat := map[string]any{}
	for _, v := range c.Values() {
		flat[v.Path] = v.Value
	}

	return maps.Unflatten(flat, ".")
}

// MarshalJSON implements json.Marshaler: what Print writes as JSON.
func (c *Config) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	err := c.printJSON(&out, printing{})

	return out.Bytes(), err
}

// Format implements fmt.Formatter: no verb shows a value, for fmt would not see that some are
// secrets.
func (c *Config) Format(state fmt.State, _ rune) {
	writeFormatted(state, c.name())
}

// LogValue implements slog.LogValuer.
func (c *Config) LogValue() slog.Value { return slog.StringValue(c.name()) }

func (c *Config) name() string {
	if c.file == "" {
		return "configuration without a file"
	}

	return "configuration " + c.file
}
