package web

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Sent is a member of a JSON Merge Patch (RFC 7396): absent, null, or a value. Declare it with
// omitempty, so that it may be absent.
type Sent[T any] struct {
	there, null bool
	value       T
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Sent[T]) UnmarshalJSON(text []byte) error {
	s.there = true
	if s.null = string(bytes.TrimSpace(text)) == "null"; s.null {
		return nil
	}

	return json.Unmarshal(text, &s.value)
}

// Schema implements huma.SchemaProvider.
func (Sent[T]) Schema(r huma.Registry) *huma.Schema {
	schema := *r.Schema(reflect.TypeFor[T](), false, "")
	schema.Nullable = true

	return &schema
}

// ValueType returns the type of the value.
func (Sent[T]) ValueType() reflect.Type { return reflect.TypeFor[T]() }

// IsSet reports whether the patch has the member, null or not.
func (s Sent[T]) IsSet() bool { return s.there }

// Null reports whether the member is null.
func (s Sent[T]) Null() bool { return s.null }

// ValueOr returns the value, the zero value for null, and old if the patch does not have the member.
func (s Sent[T]) ValueOr(old T) T {
	if !s.there {
		return old
	}

	return s.value
}
