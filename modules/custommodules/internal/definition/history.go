package definition

import (
	"encoding/json"
	"fmt"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// VersionOf is a version with its changes under the keys of the definition. Fields that are gone by now stay out.
func (d *Definition) VersionOf(row HistoryRow) history.Version {
	v := history.Version{Stamp: row.Stamp, Changes: map[string]history.ValueChange{}}
	for number, raw := range rawjson.Members(row.Changes) {
		if i, ok := d.ByNumber[string(number)]; ok {
			v.Add(d.Fields[i].Key, rawjson.Member(raw, "before"), rawjson.Member(raw, "after"))
		}
	}
	if d.replacing {
		d.addFormer(&v, row.Changes)
	}

	return v
}

// addFormer adds the changes of fields that others have replaced. In the version in which a value was
// converted, the one field has what was before and the other one what came of it.
func (d *Definition) addFormer(to *history.Version, changes []byte) {
	for number, raw := range rawjson.Members(changes) {
		i, _, ok := d.formerOf(string(number))
		if !ok {
			continue
		}
		before, after := rawjson.Member(raw, "before"), rawjson.Member(raw, "after")
		if now := rawjson.Member(changes, d.Fields[i].Number); now != nil {
			after = rawjson.Member(now, "after")
			if had := rawjson.Member(now, "before"); had != nil {
				before = had
			}
		}
		to.Add(d.Fields[i].Key, before, after)
	}
}

// Undone returns a document as it was before the changes of a version, which the history keeps. It keeps what
// the document had of fields that others have replaced by now. Where the version changed such a field, those that
// came after it had nothing, unless it changed them as well: not even null, which would hide what was there.
func (d *Definition) Undone(document []byte, changes rawjson.Object) ([]byte, error) {
	var texts map[string]ChangeText
	if err := json.Unmarshal(changes, &texts); err != nil {
		return nil, err
	}
	values := d.Values(document)
	formers := d.formerValues(document)
	for number := range texts {
		i, was, replaced := d.formerOf(number)
		if !replaced {
			continue
		}
		values[i] = nil
		for later := was.next; later != nil; later = later.next {
			delete(formers, later.field.Number)
		}
	}
	for number, c := range texts {
		if i, ok := d.ByNumber[number]; ok {
			values[i] = c.Before
		} else if _, _, replaced := d.formerOf(number); replaced {
			formers[number] = c.Before
		}
	}
	out := []byte{'{'}
	for i, raw := range values {
		if raw == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, d.Fields[i].Stored...), raw...)
	}
	for number, raw := range formers {
		if raw == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, `"`+number+`":`...), raw...)
	}

	return append(out, '}'), nil
}

// UndoneTo returns a document as it was at a version, before what came later. Later has the latest version first.
func (d *Definition) UndoneTo(document []byte, later []HistoryRow, version int64) (was []byte, err error) {
	for _, row := range later {
		if row.Version <= version {
			break
		}
		if document, err = d.Undone(document, row.Changes); err != nil {
			return nil, fmt.Errorf("version %d: %w", row.Version, err)
		}
	}

	return document, nil
}

// formerValues are what a document has of fields that others have replaced, by number.
func (d *Definition) formerValues(document []byte) map[string][]byte {
	values := map[string][]byte{}
	if !d.replacing {
		return values
	}
	for name, raw := range rawjson.Members(document) {
		if _, _, replaced := d.formerOf(string(name)); replaced {
			values[string(name)] = raw
		}
	}

	return values
}
