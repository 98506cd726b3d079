package config

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Secret is a value that no rendering shows: every fmt verb, slog, JSON, YAML and errors print
// "[redacted]", or nothing if it is empty. Two ways remain that Go leaves open: fmt sees no methods
// of unexported fields, so do not print a struct that keeps a secret in one; and JSON writes the
// keys of a map as they are.
//
// A value "file:/path" stands for the contents of that file until ResolveSecrets has read it.
type Secret string

const (
	redacted   = "[redacted]"
	filePrefix = "file:"
)

// Reveal returns the value itself.
func (s Secret) Reveal() string { return string(s) }

// Mounted reports whether the value still is the name of a file. A Validate that looks into a
// secret leaves such a value alone; it is called again when the file has been read.
func (s Secret) Mounted() bool { return strings.HasPrefix(string(s), filePrefix) }

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s == "" {
		return ""
	}

	return redacted
}

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return fmt.Sprintf("config.Secret(%q)", s.String()) }

// Format implements fmt.Formatter. Without it a verb that is not for strings, such as %d, would
// print the value.
func (s Secret) Format(state fmt.State, verb rune) {
	text := s.String()
	switch {
	case verb == 'v' && state.Flag('#'):
		text = s.GoString()
	case verb == 'q':
		text = `"` + text + `"`
	}
	writeFormatted(state, text)
}

// writeFormatted writes what a fmt.Formatter shows.
func writeFormatted(state fmt.State, text string) {
	_, _ = io.WriteString(state, text) //nolint:errcheck // fmt gives a formatter no way to return an error
}

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON implements json.Marshaler.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// MarshalText implements encoding.TextMarshaler, for XML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalYAML implements yaml.Marshaler.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }
