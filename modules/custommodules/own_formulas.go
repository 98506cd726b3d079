package custommodules

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// A formula of an own field may read the fields of the struct too. The record of a row has a copy of those that are read,
// which every write of the row renews, so that formulas are computed of the record alone wherever records change.

// mirror is a field of a struct as a definition has it. The copy in a document is under the key of the field, where own
// fields have numbers.
func mirror(f resource.StructField) *moduleField {
	return &moduleField{
		number: f.Key, key: f.Key, spoken: naming.Spoken(f.Key), typ: f.Type, values: f.Values, sensitive: f.Sensitive,
		mirror: true, stored: append(rawjson.Quote(f.Key), ':'),
	}
}

// mirrors are the fields of the struct that formulas among own fields read.
func (d *definitions) mirrors(itemType string, own []*moduleField) []*moduleField {
	var all []*moduleField
	for _, of := range d.structFields(itemType) {
		if slices.ContainsFunc(own, func(f *moduleField) bool {
			made, is := f.values.(*formula.Options)

			return is && slices.Contains(formula.NamesIn(made.Formula), of.Key)
		}) {
			all = append(all, mirror(of))
		}
	}

	return all
}

// mirrored are the values of a row that documents have copies of, by the positions of the fields.
func (d *definition) mirrored(row resource.OwnRow) (map[int]field.Value, error) {
	values := make(map[int]field.Value, len(d.mirrors))
	for _, i := range d.mirrors {
		raw, err := row.Value(d.fields[i].key)
		if err != nil {
			return nil, err
		}
		if values[i] = d.fields[i].kept(raw); len(rawjson.OrNothing(raw)) == 0 {
			values[i] = field.Value{}
		} else if parsed, err := d.fields[i].values.Parse(raw); err == nil {
			values[i] = parsed
		}
	}

	return values, nil
}

// mirror returns a document with the present copies of a row's values. All else stays as it is.
func (d *definition) mirror(document []byte, row resource.OwnRow) ([]byte, error) {
	if len(d.mirrors) == 0 {
		return document, nil
	}
	values, err := d.mirrored(row)
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
		if i, known := d.byNumber[string(name)]; !known || !d.fields[i].mirror {
			add([]byte(`"`+string(name)+`":`), raw)
		}
	}
	for _, i := range d.mirrors {
		if raw := values[i].JSON; raw != nil {
			add(d.fields[i].stored, raw)
		}
	}

	return append(out, '}'), nil
}

// checkReads finds names in formulas of own fields that could mean two fields, as far as a change brings that about, and
// sensitive fields of the struct that the caller does not see.
func (s *service) checkReads(ctx context.Context, itemType string, rows []fieldRow, changed uuid.UUID, found *problems) {
	area, _, _ := strings.Cut(itemType, ".")
	caller, _ := principal.From(ctx)
	for _, of := range s.definitions.structFields(itemType) {
		at := slices.IndexFunc(rows, func(row fieldRow) bool { return row.Key == of.Key })
		for _, row := range rows {
			path, begin := "options.formula", "The formula "
			if row.ID != changed {
				path, begin = "formulas."+row.Key, "The formula of "+row.Key+" "
			}
			switch {
			case !slices.Contains(formula.NamesIn(row.formulaText()), of.Key):
			case at >= 0 && (row.ID == changed || rows[at].ID == changed):
				found.add(path, begin+"uses "+of.Key+", which is a field of "+itemType+" and one that the company has added. "+
					"The latter is "+formula.Own+of.Key+"; to use the former, give the latter another key.")
			case row.ID == changed && of.Sensitive && !caller.Allows(area+":"+sensitiveAction):
				found.add(path, begin+"uses the sensitive field "+of.Key+": that takes the scope "+area+":"+sensitiveAction+".")
			}
		}
	}
}
