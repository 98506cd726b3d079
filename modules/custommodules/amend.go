package custommodules

import (
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// fieldChange is the value of a field before and after, nil where there was or is none.
type fieldChange struct {
	field         *moduleField
	before, after []byte
}

// amend reads a merge patch (RFC 7396), a valid JSON object, for a stored document. Fields that the patch
// does not mention keep their values, right or not: what is wrong with the patch is found, nothing
// else. Whoever is trusted may set read-only fields.
func (d *definition) amend(document, patch []byte, trusted bool) (made draft, found problems) {
	before := d.values(document)
	values, given := make([]field.Value, len(d.fields)), make([]bool, len(d.fields))
	d.read(patch, trusted, &found, func(i int, raw []byte) bool {
		again := given[i]
		if given[i] = true; !again {
			values[i] = d.fields[i].parseOver(merged(before[i], raw), before[i], &made, &found)
		}

		return again
	})
	for i, f := range d.fields {
		if !given[i] {
			values[i] = f.kept(before[i])
		} else if f.required && values[i].Empty() {
			found.add("payload."+f.key, "The "+f.spoken+" is required.")
		}
	}
	d.checkArriving(values, func(i int) bool { return given[i] && !rawjson.Same(before[i], values[i].JSON) }, &found)
	if found.none() {
		d.arrive(values)
		d.compute(values, &made)
		d.assemble(&made, values)
	}

	return made, found
}

// reread makes a draft of a document as it is, with all its references.
func (d *definition) reread(document []byte) draft {
	var made draft
	before := d.values(document)
	values := make([]field.Value, len(d.fields))
	for i, f := range d.fields {
		values[i] = f.kept(before[i])
		if target, ok := f.linked(values[i]); ok {
			made.links = append(made.links, target)
		}
	}
	d.assemble(&made, values)

	return made
}

// diff returns the fields whose values differ between two documents, in the order of fields.
func (d *definition) diff(before, after []byte) []fieldChange {
	var changes []fieldChange
	old, now := d.values(before), d.values(after)
	for i, f := range d.fields {
		if !rawjson.Same(old[i], now[i]) {
			changes = append(changes, fieldChange{field: f, before: old[i], after: now[i]})
		}
	}

	return changes
}

// values returns the members of a document in the order of the fields, nil where there is none.
func (d *definition) values(document []byte) [][]byte {
	values := make([][]byte, len(d.fields))
	for name, raw := range rawjson.Members(document) {
		if i, ok := d.byNumber[string(name)]; ok {
			values[i] = raw
		}
	}

	return values
}

// kept is a stored value as it stays. Since the field's options may have become stricter than it is, what
// they refuse is read leniently, as a filter reads it; what cannot be read has no key.
func (f *moduleField) kept(raw []byte) field.Value {
	if len(rawjson.OrNothing(raw)) == 0 {
		return field.Value{JSON: raw}
	}
	if parsed, err := f.values.Parse(raw); err == nil {
		return field.Value{JSON: raw, Key: parsed.Key}
	}
	if text, ok := f.inner(raw); ok {
		if key, err := f.values.Comparable(text); err == nil {
			return field.Value{JSON: raw, Key: key}
		}
	}

	return field.Value{JSON: raw}
}

// refers reports whether the field points at records.
func (f *moduleField) refers() bool {
	_, refers := f.values.(referring)

	return refers
}

// merged applies a merge patch to a value.
func merged(before, patch []byte) []byte {
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
		put(rawjson.Name(name), merged(had, raw))
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
