package custommodules

import (
	"fmt"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// draft is what a payload makes of a record: all of it is in normal form.
type draft struct {
	// document is the payload keyed by the numbers of fields.
	document []byte
	// keys are the values for the slot columns, in the order of slots(); nil for an empty one.
	keys [slotCount]any
	// overflow are the values, none of them nil, for custom_modules_index.
	overflow []indexed
	// links are the references, each to a record that has yet to be found.
	links []link
	// users are the people that were named, of whom it has yet to be seen whether they are users.
	users []link
	// items are those of other areas that were named, of which it has yet to be seen whether they exist.
	items []pointer
	// uniques are the values that no other record may have.
	uniques []unique
	// warnings are the doubts about values that were taken, by path.
	warnings map[string][]string
}

// indexed is a value that is kept in custom_modules_index.
type indexed struct {
	field *moduleField
	key   any
}

// link is a reference from a record that is being written.
type link struct {
	field  *moduleField
	record uuid.UUID
}

// unique is a value that no other record of the module may have in the field.
type unique struct {
	field *moduleField
	value string
}

// path names the field of the value in a request body.
func (u unique) path() string { return "payload." + u.field.key }

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
func (d *definition) decode(payload []byte, by presets) (made draft, found problems) {
	values := make([]field.Value, len(d.fields))
	d.read(payload, false, &found, func(i int, raw []byte) bool {
		again := values[i].JSON != nil
		if !again {
			values[i] = d.fields[i].parse(raw, &made, &found)
		}

		return again
	})
	for i, f := range d.fields {
		if r, rolls := f.values.(*rollup); rolls {
			values[i] = r.ofNothing()
		}
		if preset := f.presetOf(by); values[i].JSON == nil && preset != nil {
			values[i] = f.parse(preset, &made, &found)
		}
		if f.required && values[i].Empty() {
			found.add("payload."+f.key, "The "+f.spoken+" is required.")
		}
	}
	d.checkArriving(values, func(int) bool { return true }, &found)
	if found.none() {
		d.arrive(values)
		d.compute(values, &made)
		d.assemble(&made, values)
	}

	return made, found
}

// read finds the fields of a payload's members and gives their values to take, which says whether the
// field was there before.
func (d *definition) read(payload []byte, trusted bool, found *problems, take func(i int, raw []byte) (again bool)) {
	for name, raw := range rawjson.Members(payload) {
		i, ok := d.find(name)
		switch {
		case !ok:
			found.unknown("payload", rawjson.Name(name), " in this module", d.keys)
		case d.fields[i].computes():
			found.add("payload."+d.fields[i].key, "The "+d.fields[i].spoken+" is computed and cannot be set.")
		case d.fields[i].readOnly && !trusted:
			found.add("payload."+d.fields[i].key, "The "+d.fields[i].spoken+" is read-only.")
		case take(i, raw):
			found.add("payload."+d.fields[i].key, "The "+d.fields[i].spoken+" is given more than once.")
		}
	}
}

// find returns the position of the field that a name in a payload means.
func (d *definition) find(name []byte) (int, bool) {
	i, ok := d.byKey[string(name)]
	if ok {
		return i, true
	}
	i, ok = d.byKey[norm.NFC.String(rawjson.Name(name))]

	return i, ok
}

// parse reads the value of one field. What it returns is never the zero value.
func (f *moduleField) parse(raw []byte, made *draft, found *problems) field.Value {
	return f.parseOver(raw, nil, made, found)
}

// field.ParseOver is parse where the record has a value before, nil for none.
func (f *moduleField) parseOver(raw, before []byte, made *draft, found *problems) field.Value {
	if raw[0] == 'n' {
		return field.Value{JSON: raw}
	}
	read := f.values.Parse
	if keeps, ok := f.values.(field.Keeper); ok && len(rawjson.OrNothing(before)) > 0 {
		read = func(raw []byte) (field.Value, error) { return keeps.ParseOver(raw, before) }
	}
	parsed, err := read(raw)
	if err != nil {
		found.add("payload."+f.key, "The "+f.spoken+" "+err.Error())

		return field.Value{JSON: raw, Key: raw}
	}
	if parsed.Warning != "" {
		made.warn(f, parsed.Warning)
	}
	if target, ok := f.linked(parsed); ok {
		made.links = append(made.links, target)
	}
	if to, ok := namedItem(f.values, parsed.JSON); ok {
		made.items = append(made.items, pointer{field: f, to: to})
	}
	if _, names := f.values.(field.UserNamer); names {
		if user, ok := parsed.Key.(uuid.UUID); ok {
			made.users = append(made.users, link{field: f, record: user})
		}
	}

	return parsed
}

// linked returns the reference that a value is, false if it is none.
func (f *moduleField) linked(v field.Value) (link, bool) {
	if !f.refers() {
		return link{}, false
	}
	record, ok := v.Key.(uuid.UUID)

	return link{field: f, record: record}, ok
}

// claimed is the key of a value as it is kept from other records: numbers without the zeros at their
// ends, of which there are more or less after a change of the field's options.
func (f *moduleField) claimed(key any) string {
	text := fmt.Sprint(key)
	if folds, ok := f.values.(field.Folder); ok {
		return folds.Folded(text)
	}
	if f.typ.Index == field.NumericIndex {
		return field.ShortDecimal(text)
	}

	return text
}

// assemble writes the document and the slots.
func (d *definition) assemble(made *draft, values []field.Value) {
	size := 2
	for i, f := range d.fields {
		size += len(f.stored) + len(values[i].JSON) + 1
	}
	document := append(make([]byte, 0, size), '{')
	for i, f := range d.fields {
		if values[i].JSON == nil {
			continue
		}
		if len(document) > 1 {
			document = append(document, ',')
		}
		document = append(append(document, f.stored...), values[i].JSON...)
		switch key := values[i].Key; {
		case f.overflow && key != nil:
			made.overflow = append(made.overflow, indexed{field: f, key: key})
		case f.slot != "" && !f.overflow:
			made.keys[f.position] = key
		}
		if f.unique && !values[i].Empty() {
			made.uniques = append(made.uniques, unique{field: f, value: f.claimed(values[i].Key)})
		}
	}
	made.document = append(document, '}')
}
