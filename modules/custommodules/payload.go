package custommodules

import (
	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"
)

// draft is what a payload makes of a record: all of it is in normal form.
type draft struct {
	// document is the payload keyed by the numbers of fields.
	document []byte
	// keys are the values for the slot columns, in the order of slots(); nil for an empty one.
	keys [slotCount]any
	// links are the references, each to a record that has yet to be found.
	links []link
	// warnings are the doubts about values that were taken, by path.
	warnings map[string][]string
}

// link is a reference from a record that is being written.
type link struct {
	field  *field
	record uuid.UUID
}

// target returns the module that the record must be of.
func (l link) target() uuid.UUID {
	if r, ok := l.field.values.(referring); ok {
		return r.target()
	}

	return uuid.Nil
}

// path names the field of the link in a request body.
func (l link) path() string { return "payload." + l.field.key }

// decode reads the payload of a new record, a valid JSON object, in one pass. It finds everything
// that is wrong with it: found is empty when the draft may be stored.
func (d *definition) decode(payload []byte) (made draft, found problems) {
	values := make([]value, len(d.fields))
	for name, raw := range members(payload) {
		i, ok := d.find(name)
		switch {
		case !ok:
			found.unknown("payload", textOf(name), " in this module", d.keys)
		case values[i].json != nil:
			found.add("payload."+d.fields[i].key, "The "+d.fields[i].spoken+" is given more than once.")
		default:
			values[i] = d.fields[i].parse(raw, &made, &found)
		}
	}
	for i, f := range d.fields {
		if f.required && values[i].empty() {
			found.add("payload."+f.key, "The "+f.spoken+" is required.")
		}
	}
	if found.none() {
		d.assemble(&made, values)
	}

	return made, found
}

// find returns the position of the field that a name in a payload means.
func (d *definition) find(name []byte) (int, bool) {
	i, ok := d.byKey[string(name)]
	if ok {
		return i, true
	}
	i, ok = d.byKey[norm.NFC.String(textOf(name))]

	return i, ok
}

// textOf returns the text of the name of a member.
func textOf(name []byte) string {
	quoted := append(append([]byte{'"'}, name...), '"')
	text, ok := unquote(quoted)
	if !ok {
		return string(name)
	}

	return text
}

// parse reads the value of one field. What it returns is never the zero value.
func (f *field) parse(raw []byte, made *draft, found *problems) value {
	if raw[0] == 'n' {
		return value{json: raw}
	}
	parsed, err := f.values.parse(raw)
	if err != nil {
		found.add("payload."+f.key, "The "+f.spoken+" "+err.Error())

		return value{json: raw, key: raw}
	}
	if parsed.warning != "" {
		if made.warnings == nil {
			made.warnings = map[string][]string{}
		}
		made.warnings["payload."+f.key] = []string{"The " + f.spoken + " " + parsed.warning}
	}
	if _, ok := f.values.(referring); ok {
		if record, ok := parsed.key.(uuid.UUID); ok {
			made.links = append(made.links, link{field: f, record: record})
		}
	}

	return parsed
}

// empty reports whether a value does not count as one for a required field.
func (v value) empty() bool { return v.key == nil || v.key == "" }

// assemble writes the document and the slots.
func (d *definition) assemble(made *draft, values []value) {
	size := 2
	for i, f := range d.fields {
		size += len(f.stored) + len(values[i].json) + 1
	}
	document := append(make([]byte, 0, size), '{')
	for i, f := range d.fields {
		if values[i].json == nil {
			continue
		}
		if len(document) > 1 {
			document = append(document, ',')
		}
		document = append(append(document, f.stored...), values[i].json...)
		if f.slot != "" {
			made.keys[f.position] = values[i].key
		}
	}
	made.document = append(document, '}')
}
