package definition

import (
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// FieldChange is the value of a field before and after, nil where there was or is none.
type FieldChange struct {
	Field         *ModuleField
	Before, After []byte
}

// Amend reads a merge patch (RFC 7396), a valid JSON object, for a stored document. Fields that the patch
// does not mention keep their values, right or not: what is wrong with the patch is found, nothing
// else. Whoever is trusted may set read-only fields.
func (d *Definition) Amend(document, patch []byte, trusted bool) (made Draft, found Problems) {
	before := d.Values(document)
	values, given := make([]field.Value, len(d.Fields)), make([]bool, len(d.Fields))
	d.read(patch, trusted, &found, func(i int, raw []byte) bool {
		again := given[i]
		if given[i] = true; !again {
			values[i] = d.Fields[i].parseOver(MergePatch(before[i], raw), before[i], &made, &found)
		}

		return again
	})
	for i, f := range d.Fields {
		if !given[i] {
			values[i] = f.Kept(before[i])
		} else if f.required && values[i].Empty() {
			found.Add("payload."+f.Key, "The "+f.Spoken+" is required.")
		}
	}
	d.checkArriving(values, func(i int) bool { return given[i] && !rawjson.Equal(before[i], values[i].JSON) }, &found)
	if found.None() {
		d.arrive(values)
		d.Compute(values, &made)
		d.Assemble(&made, values)
	}

	return made, found
}

// Reread makes a draft of a document as it is, with all its references.
func (d *Definition) Reread(document []byte) Draft {
	var made Draft
	before := d.Values(document)
	values := make([]field.Value, len(d.Fields))
	for i, f := range d.Fields {
		values[i] = f.Kept(before[i])
		if target, ok := f.linked(values[i]); ok {
			made.Links = append(made.Links, target)
		}
	}
	d.Assemble(&made, values)

	return made
}

// Diff returns the fields whose values differ between two documents, in the order of fields.
func (d *Definition) Diff(before, after []byte) []FieldChange {
	var changes []FieldChange
	old, now := d.Values(before), d.Values(after)
	for i, f := range d.Fields {
		if !rawjson.Equal(old[i], now[i]) {
			changes = append(changes, FieldChange{Field: f, Before: old[i], After: now[i]})
		}
	}

	return changes
}

// Values returns the members of a document in the order of the fields, nil where there is none.
func (d *Definition) Values(document []byte) [][]byte {
	values := make([][]byte, len(d.Fields))
	for name, raw := range rawjson.Members(document) {
		if i, ok := d.ByNumber[string(name)]; ok {
			values[i] = raw
		}
	}

	return values
}

// Kept is a stored value as it stays. Since the field's options may have become stricter than it is, what
// they refuse is read leniently, as a filter reads it; what cannot be read has no key.
func (f *ModuleField) Kept(raw []byte) field.Value {
	if len(rawjson.OrNothing(raw)) == 0 {
		return field.Value{JSON: raw}
	}
	if parsed, err := f.Values.Parse(raw); err == nil {
		return field.Value{JSON: raw, Key: parsed.Key}
	}
	if text, ok := f.inner(raw); ok {
		if key, err := f.Values.Comparable(text); err == nil {
			return field.Value{JSON: raw, Key: key}
		}
	}

	return field.Value{JSON: raw}
}

// Refers reports whether the field points at records.
func (f *ModuleField) Refers() bool {
	_, refers := f.Values.(Referring)

	return refers
}

// MergePatch applies a merge patch to a value.
func MergePatch(before, patch []byte) []byte {
	if len(before) == 0 || before[0] != '{' || patch[0] != '{' {
		return patch
	}
	var names []string
	parts := map[string][]byte{}
	put := func(name string, raw []byte) {
		if _, known := parts[name]; !known {
			names = append(names, name)
		}
		parts[name] = raw
	}
	for name, raw := range rawjson.Members(before) {
		put(rawjson.Name(name), raw)
	}
	for name, raw := range rawjson.Members(patch) {
		had := parts[rawjson.Name(name)]
		if len(had) == 0 || had[0] != '{' {
			had = []byte("{}") // RFC 7386: what was no object is an empty one
		}
		put(rawjson.Name(name), MergePatch(had, raw))
	}
	out := []byte{'{'}
	for _, name := range names {
		if raw := parts[name]; raw[0] != 'n' {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, rawjson.Quote(name)...), ':'), raw...)
		}
	}

	return append(out, '}')
}
