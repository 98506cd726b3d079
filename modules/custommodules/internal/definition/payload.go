package definition

import (
	"fmt"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Draft is what a payload makes of a record: all of it is in normal form.
type Draft struct {
	// document is the payload keyed by the numbers of fields.
	Document []byte
	// keys are the values for the slot columns, in the order of slots(); nil for an empty one.
	Keys [SlotCount]any
	// overflow are the values, none of them nil, for custom_modules_index.
	Overflow []Indexed
	// links are the references, each to a record that has yet to be found.
	Links []Link
	// users are the people that were named, of whom it has yet to be seen whether they are users.
	Users []Link
	// items are those of other areas that were named, of which it has yet to be seen whether they exist.
	Items []Pointer
	// uniques are the values that no other record may have.
	Uniques []Unique
	// warnings are the doubts about values that were taken, by path.
	Warnings map[string][]string
}

// Indexed is a value that is kept in custom_modules_index.
type Indexed struct {
	Field *ModuleField
	Key   any
}

// Link is a reference from a record that is being written.
type Link struct {
	Field  *ModuleField
	Record uuid.UUID
}

// Unique is a value that no other record of the module may have in the field.
type Unique struct {
	Field *ModuleField
	Value string
}

// Path names the field of the value in a request body.
func (u Unique) Path() string { return "payload." + u.Field.Key }

// Target returns the module that the record must be of.
func (l Link) Target() uuid.UUID {
	if r, ok := l.Field.Values.(Referring); ok {
		return r.Target()
	}

	return uuid.Nil
}

// Path names the field of the link in a request body.
func (l Link) Path() string { return "payload." + l.Field.Key }

// Decode reads the payload of a new record, a valid JSON object, in one pass. It finds everything
// that is wrong with it: found is empty when the draft may be stored.
func (d *Definition) Decode(payload []byte, by Presets) (made Draft, found Problems) {
	values := make([]field.Value, len(d.Fields))
	d.read(payload, false, &found, func(i int, raw []byte) bool {
		again := values[i].JSON != nil
		if !again {
			values[i] = d.Fields[i].parse(raw, &made, &found)
		}

		return again
	})
	for i, f := range d.Fields {
		if r, rolls := f.Values.(*Rollup); rolls {
			values[i] = r.ofNothing()
		}
		if preset := f.presetOf(by); values[i].JSON == nil && preset != nil {
			values[i] = f.parse(preset, &made, &found)
		}
		if f.required && values[i].Empty() {
			found.Add("payload."+f.Key, "The "+f.Spoken+" is required.")
		}
	}
	d.checkArriving(values, func(int) bool { return true }, &found)
	if found.None() {
		d.arrive(values)
		d.Compute(values, &made)
		d.Assemble(&made, values)
	}

	return made, found
}

// read finds the fields of a payload's members and gives their values to take, which says whether the
// field was there before.
func (d *Definition) read(payload []byte, trusted bool, found *Problems, take func(i int, raw []byte) (again bool)) {
	for name, raw := range rawjson.Members(payload) {
		i, ok := d.find(name)
		switch {
		case !ok:
			found.Unknown("payload", rawjson.Name(name), " in this module", d.Keys)
		case d.Fields[i].Computes():
			found.Add("payload."+d.Fields[i].Key, "The "+d.Fields[i].Spoken+" is computed and cannot be set.")
		case d.Fields[i].ReadOnly && !trusted:
			found.Add("payload."+d.Fields[i].Key, "The "+d.Fields[i].Spoken+" is read-only.")
		case take(i, raw):
			found.Add("payload."+d.Fields[i].Key, "The "+d.Fields[i].Spoken+" is given more than once.")
		}
	}
}

// find returns the position of the field that a name in a payload means.
func (d *Definition) find(name []byte) (int, bool) {
	i, ok := d.byKey[string(name)]
	if ok {
		return i, true
	}
	i, ok = d.byKey[norm.NFC.String(rawjson.Name(name))]

	return i, ok
}

// parse reads the value of one field. What it returns is never the zero value.
func (f *ModuleField) parse(raw []byte, made *Draft, found *Problems) field.Value {
	return f.parseOver(raw, nil, made, found)
}

// field.ParseOver is parse where the record has a value before, nil for none.
func (f *ModuleField) parseOver(raw, before []byte, made *Draft, found *Problems) field.Value {
	if raw[0] == 'n' {
		return field.Value{JSON: raw}
	}
	read := f.Values.Parse
	if keeps, ok := f.Values.(field.Keeper); ok && len(rawjson.OrNothing(before)) > 0 {
		read = func(raw []byte) (field.Value, error) { return keeps.ParseOver(raw, before) }
	}
	parsed, err := read(raw)
	if err != nil {
		found.Add("payload."+f.Key, "The "+f.Spoken+" "+err.Error())

		return field.Value{JSON: raw, Key: raw}
	}
	if parsed.Warning != "" {
		made.warn(f, parsed.Warning)
	}
	if target, ok := f.linked(parsed); ok {
		made.Links = append(made.Links, target)
	}
	if to, ok := namedItem(f.Values, parsed.JSON); ok {
		made.Items = append(made.Items, Pointer{Field: f, To: to})
	}
	if _, names := f.Values.(field.UserNamer); names {
		if user, ok := parsed.Key.(uuid.UUID); ok {
			made.Users = append(made.Users, Link{Field: f, Record: user})
		}
	}

	return parsed
}

// linked returns the reference that a value is, false if it is none.
func (f *ModuleField) linked(v field.Value) (Link, bool) {
	if !f.Refers() {
		return Link{}, false
	}
	record, ok := v.Key.(uuid.UUID)

	return Link{Field: f, Record: record}, ok
}

// UniqueKey is the key of a value as it is kept from other records: numbers without the zeros at their
// ends, of which there are more or less after a change of the field's options.
func (f *ModuleField) UniqueKey(key any) string {
	text := fmt.Sprint(key)
	if folds, ok := f.Values.(field.Folder); ok {
		return folds.Folded(text)
	}
	if f.Typ.Index == field.NumericIndex {
		return field.ShortDecimal(text)
	}

	return text
}

// Assemble writes the document and the slots.
func (d *Definition) Assemble(made *Draft, values []field.Value) {
	size := 2
	for i, f := range d.Fields {
		size += len(f.Stored) + len(values[i].JSON) + 1
	}
	document := append(make([]byte, 0, size), '{')
	for i, f := range d.Fields {
		if values[i].JSON == nil {
			continue
		}
		if len(document) > 1 {
			document = append(document, ',')
		}
		document = append(append(document, f.Stored...), values[i].JSON...)
		switch key := values[i].Key; {
		case f.Overflow && key != nil:
			made.Overflow = append(made.Overflow, Indexed{Field: f, Key: key})
		case f.Slot != "" && !f.Overflow:
			made.Keys[f.Position] = key
		}
		if f.Unique && !values[i].Empty() {
			made.Uniques = append(made.Uniques, Unique{Field: f, Value: f.UniqueKey(values[i].Key)})
		}
	}
	made.Document = append(document, '}')
}
