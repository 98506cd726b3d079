package custommodules

import (
	"slices"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// formerOf returns the position of the field that has taken the place of the one with a number.
func (d *definition) formerOf(number string) (int, *former, bool) {
	if !d.replacing {
		return 0, nil, false
	}
	for i, f := range d.fields {
		for _, was := range f.formers {
			if was.field.number == number {
				return i, was, true
			}
		}
	}

	return 0, nil, false
}

// older returns the value that a document has of a field that this one has replaced, where it has none of
// this one: it was written before.
func (f *moduleField) older(document []byte) ([]byte, *former) {
	if len(f.formers) == 0 || rawjson.Member(document, f.number) != nil {
		return nil, nil
	}
	for _, was := range f.formers {
		if raw := rawjson.Member(document, was.field.number); raw != nil {
			return raw, was
		}
	}

	return nil, nil
}

// modern returns a document that was written before fields were replaced, as it would be now. What does not
// convert is null, and found.
func (d *definition) modern(document []byte) (made []byte, found problems) {
	if !d.replacing {
		return document, found
	}
	out := []byte{'{'}
	for _, f := range d.fields {
		raw, was := f.older(document)
		if len(rawjson.OrNothing(raw)) == 0 {
			continue
		}
		v, err := was.value(raw)
		if err != nil {
			found.add("payload."+f.key, "The "+f.spoken+" of then "+err.Error())
		}
		if err != nil || v.JSON == nil {
			v.JSON = []byte("null")
		}
		out = append(append(append(out, f.stored...), v.JSON...), ',')
	}
	if len(out) == 1 {
		return document, found
	}
	if len(document) == len("{}") {
		out = out[:len(out)-1]
	}

	return append(out, document[1:]...), found
}

// aside are changes that the history keeps beside those of fields: what a document had of fields that are gone
// and the next one has not, and what an incoming field had its value from.
func (d *definition) aside(before, after []byte, noted []fieldChange) []fieldChange {
	var kept []fieldChange
	for name, raw := range rawjson.Members(before) {
		if _, known := d.byNumber[string(name)]; known || len(rawjson.OrNothing(raw)) == 0 {
			continue
		}
		if i, was, replaced := d.formerOf(string(name)); replaced {
			now := d.fields[i]
			if _, shown := now.older(before); shown != was {
				continue // kept since it was converted
			}
			if !isAmong(now, noted) && !isAmong(now, kept) {
				kept = append(kept, fieldChange{field: now}) // there was nothing of it
			}
		}
		kept = append(kept, fieldChange{field: &moduleField{stored: []byte(`"` + string(name) + `":`)}, before: raw})
	}
	for _, i := range d.arriving {
		kept = append(kept, d.fields[i].converted(before, after, noted)...)
	}

	return kept
}

// converted are the changes to keep when an incoming field has got a value: also if that is nothing.
func (f *moduleField) converted(before, after []byte, changed []fieldChange) []fieldChange {
	from := f.arrival.from
	raw := rawjson.OrNothing(rawjson.Member(before, from.number))
	noted := isAmong(f, changed)
	fresh := rawjson.Member(before, f.number) == nil && rawjson.Member(after, f.number) != nil
	if len(raw) == 0 || !noted && !fresh {
		return nil
	}
	var kept []fieldChange
	if !noted {
		kept = append(kept, fieldChange{field: f})
	}
	if rawjson.Same(raw, rawjson.Member(after, from.number)) {
		kept = append(kept, fieldChange{field: from, before: raw, after: raw})
	}

	return kept
}

// isAmong reports whether a field is among changes.
func isAmong(f *moduleField, among []fieldChange) bool {
	return slices.ContainsFunc(among, func(c fieldChange) bool { return c.field == f })
}

// visible leaves out the changes of fields that nobody sees yet.
func visible(changes []fieldChange) []fieldChange {
	var seen []fieldChange
	for _, c := range changes {
		if !c.field.unseen() {
			seen = append(seen, c)
		}
	}

	return seen
}
