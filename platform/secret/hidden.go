package secret

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

const redacted = "[redacted]"

// Hidden holds a value that prints as "[redacted]", in a log, an answer, an error and wherever else
// it gets to. It is read from JSON like the value itself, and SealValue writes it. The zero value holds the zero T.
type Hidden[T any] struct{ value T }

// Text is a hidden text, such as a password.
type Text = Hidden[string]

// Hide hides a value.
func Hide[T any](value T) Hidden[T] { return Hidden[T]{value: value} }

// Reveal returns the value itself.
func (h Hidden[T]) Reveal() T { return h.value }

// String implements fmt.Stringer.
func (Hidden[T]) String() string { return redacted }

// GoString implements fmt.GoStringer.
func (Hidden[T]) GoString() string { return redacted }

// Format implements fmt.Formatter: each verb shows the same.
func (Hidden[T]) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, redacted) //nolint:errcheck // fmt gives a formatter no way to return an error
}

// LogValue implements slog.LogValuer.
func (Hidden[T]) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON implements json.Marshaler.
func (Hidden[T]) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText implements encoding.TextMarshaler.
func (Hidden[T]) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalYAML implements yaml.Marshaler.
func (Hidden[T]) MarshalYAML() (any, error) { return redacted, nil }

// UnmarshalJSON implements json.Unmarshaler.
func (h *Hidden[T]) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &h.value) }
