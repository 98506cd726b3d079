package definition

import (
	"slices"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// formerOf returns the position of the field that has taken the place of the one with a number.
func (d *Definition) formerOf(number string) (int, *former, bool) {
	if !d.replacing {
		return 0, nil, false
	}
	for i, f := range d.Fields {
		for _, was := range f.formers {
			if was.field.Number == number {
				return i, was, true
			}
		}
	}

	return 0, nil, false
}

// older returns the value that a document has of a field that this one has replaced, where it has none of
// this one: it was written before.
func (f *ModuleField) older(document []byte) ([]byte, *former) {
	if len(f.formers) == 0 || rawjson.Member(document, f.Number) != nil {
		return nil, nil
	}
	for _, was := range f.formers {
		if raw := rawjson.Member(document, was.field.Number); raw != nil {
			return raw, was
		}
	}

	return nil, nil
}

// Modern returns a document that was written before fields were replaced, as it would be now. What does not
// convert is null, and found.
func (d *Definition) Modern(document []byte) (made []byte, found Problems) {
	if !d.replacing {
		return document, found
	}
	out := []byte{'{'}
	for _, f := range d.Fields {
		raw, was := f.older(document)
		if len(rawjson.OrNothing(raw)) == 0 {
			continue
		}
		v, err := was.value(raw)
		if err != nil {
			found.Add("payload."+f.Key, "The "+f.Spoken+" of then "+err.Error())
		}
		if err != nil || v.JSON == nil {
			v.JSON = []byte("null")
		}
		out = append(append(append(out, f.Stored...), v.JSON...), ',')
	}
	if len(out) == 1 {
		return document, found
	}
	if len(document) == len("{}") {
		out = out[:len(out)-1]
	}

	return append(out, document[1:]...), found
}

// Aside are changes that the history keeps beside those of fields: what a document had of fields that are gone
// and the next one has not, and what an incoming field had its value from.
func (d *Definition) Aside(before, after []byte, noted []FieldChange) []FieldChange {
	var kept []FieldChange
	for name, raw := range rawjson.Members(before) {
		if _, known := d.ByNumber[string(name)]; known || len(rawjson.OrNothing(raw)) == 0 {
			continue
		}
		if i, was, replaced := d.formerOf(string(name)); replaced {
			now := d.Fields[i]
			if _, shown := now.older(before); shown != was {
				continue // kept since it was converted
			}
			if !isAmong(now, noted) && !isAmong(now, kept) {
				kept = append(kept, FieldChange{Field: now}) // there was nothing of it
			}
		}
		kept = append(kept, FieldChange{Field: &ModuleField{Stored: []byte(`"` + string(name) + `":`)}, Before: raw})
	}
	for _, i := range d.arriving {
		kept = append(kept, d.Fields[i].converted(before, after, noted)...)
	}

	return kept
}

// converted are the changes to keep when an incoming field has got a value: also if that is nothing.
func (f *ModuleField) converted(before, after []byte, changed []FieldChange) []FieldChange {
	from := f.Arrival.From
	raw := rawjson.OrNothing(rawjson.Member(before, from.Number))
	noted := isAmong(f, changed)
	fresh := rawjson.Member(before, f.Number) == nil && rawjson.Member(after, f.Number) != nil
	if len(raw) == 0 || !noted && !fresh {
		return nil
	}
	var kept []FieldChange
	if !noted {
		kept = append(kept, FieldChange{Field: f})
	}
	if rawjson.Equal(raw, rawjson.Member(after, from.Number)) {
		kept = append(kept, FieldChange{Field: from, Before: raw, After: raw})
	}

	return kept
}

// isAmong reports whether a field is among changes.
func isAmong(f *ModuleField, among []FieldChange) bool {
	return slices.ContainsFunc(among, func(c FieldChange) bool { return c.Field == f })
}

// VisibleChanges leaves out the changes of fields that nobody sees yet.
func VisibleChanges(changes []FieldChange) []FieldChange {
	var seen []FieldChange
	for _, c := range changes {
		if !c.Field.IsInternal() {
			seen = append(seen, c)
		}
	}

	return seen
}
