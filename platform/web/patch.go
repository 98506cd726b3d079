package web

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// Sent is a member of a JSON Merge Patch (RFC 7396): absent, null, or a value. Declare it with
// omitempty, so that it may be absent.
type Sent[T any] struct {
	there, null bool
	value       T
}

// UnmarshalJSON implements the json.Unmarshaler of encoding/json.
func (s *Sent[T]) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, s) }

// UnmarshalJSONFrom implements json.UnmarshalerFrom. The value is read as the body is that it is part of.
func (s *Sent[T]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	s.there = true
	if s.null = from.PeekKind() == 'n'; s.null {
		return from.SkipValue()
	}

	return json.UnmarshalDecode(from, &s.value)
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

// Patch is a JSON Merge Patch (RFC 7396) of a T: what it leaves out stays, null takes a value away, and a list is replaced. It is the body
// of an operation that changes one part of a resource, such as a stop of a load. It may have what the JSON of a T may have.
type Patch[T any] struct{ raw []byte }

// UnmarshalJSON implements json.Unmarshaler.
func (p *Patch[T]) UnmarshalJSON(text []byte) error {
	var fits T // so that a misfit is found here, with its place
	p.raw = slices.Clone(text)

	return jsonbody.Merge(text, &fits)
}

// Over returns what the patch makes of a T, which stays unchanged.
func (p Patch[T]) Over(now T) (T, error) {
	var patched T
	own, err := jsonbody.Encode(now)
	if err != nil {
		return now, err
	}
	if err := jsonbody.Merge(own, &patched); err != nil {
		return now, err
	}

	return patched, jsonbody.Merge(p.raw, &patched)
}

// Sends reports whether the patch has a member, null or not.
func (p Patch[T]) Sends(name string) bool { return rawjson.Member(p.raw, name) != nil }

// Clears reports whether the patch has a member that is null.
func (p Patch[T]) Clears(name string) bool { return string(rawjson.Member(p.raw, name)) == "null" }

// Schema implements huma.SchemaProvider.
func (Patch[T]) Schema(r huma.Registry) *huma.Schema {
	return patchOf(r, r.Schema(reflect.TypeFor[T](), false, ""))
}

// patchOf is the schema of a merge patch of what a schema describes.
func patchOf(r huma.Registry, of *huma.Schema) *huma.Schema {
	if of.Ref != "" {
		about := of.Description
		of = r.SchemaFromRef(of.Ref)
		if about != "" {
			named := *of
			named.Description = about
			of = &named
		}
	}
	patch := *of
	if of.Type != huma.TypeObject || len(of.Properties) == 0 {
		patch.Nullable, patch.Default = true, nil
		if len(patch.Enum) > 0 {
			patch.Enum = append(slices.Clone(patch.Enum), nil)
		}

		return &patch
	}
	patch.Required, patch.Properties = nil, make(map[string]*huma.Schema, len(of.Properties))
	for name, property := range of.Properties {
		member := patchOf(r, property)
		if member.Type == huma.TypeObject {
			member.Nullable = true
		}
		patch.Properties[name] = member
	}

	return &patch
}
