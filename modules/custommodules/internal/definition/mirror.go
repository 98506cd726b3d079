package definition

import (
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// A formula of an own field may read the fields of the struct too. The record of a row has a copy of those that are read,
// which every write of the row renews, so that formulas are computed of the record alone wherever records change.

// MirrorField is a field of a struct as a definition has it. The copy in a document is under the key of the field, where own
// fields have numbers.
func MirrorField(f resource.StructField) *ModuleField {
	return &ModuleField{
		Number: f.Key, Key: f.Key, Spoken: naming.Spaced(f.Key), Typ: f.Type, Values: f.Values, Sensitive: f.Sensitive,
		mirror: true, scope: f.Scope, Stored: append(rawjson.Quote(f.Key), ':'),
	}
}

// Mirrored are the values of a row that documents have copies of, by the positions of the fields.
func (d *Definition) Mirrored(row resource.OwnRow) (map[int]field.Value, error) {
	values := make(map[int]field.Value, len(d.Mirrors))
	for _, i := range d.Mirrors {
		raw, err := row.Value(d.Fields[i].Key)
		if err != nil {
			return nil, err
		}
		if values[i] = d.Fields[i].Kept(raw); len(rawjson.OrNothing(raw)) == 0 {
			values[i] = field.Value{}
		} else if parsed, err := d.Fields[i].Values.Parse(raw); err == nil {
			values[i] = parsed
		}
	}

	return values, nil
}

// Mirror returns a document with the present copies of a row's values. All else stays unchanged.
func (d *Definition) Mirror(document []byte, row resource.OwnRow) ([]byte, error) {
	if len(d.Mirrors) == 0 {
		return document, nil
	}
	values, err := d.Mirrored(row)
	if err != nil {
		return nil, err
	}
	out := []byte{'{'}
	add := func(name, raw []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, name...), raw...)
	}
	for name, raw := range rawjson.Members(document) {
		if i, known := d.ByNumber[string(name)]; !known || !d.Fields[i].mirror {
			add([]byte(`"`+string(name)+`":`), raw)
		}
	}
	for _, i := range d.Mirrors {
		if raw := values[i].JSON; raw != nil {
			add(d.Fields[i].Stored, raw)
		}
	}

	return append(out, '}'), nil
}
