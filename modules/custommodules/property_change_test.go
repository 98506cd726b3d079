package custommodules

import (
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/fieldchange"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// worldFormer is a field that one of the world has replaced.
type worldFormer struct {
	id      uuid.UUID
	convert field.Converter
}

// changeType gives a field another type, and takes the values away that do not convert, or puts another one there.
func (w *world) changeType(t *rapid.T) {
	fields := slices.DeleteFunc(slices.Clone(w.fields), func(f *worldField) bool { return f.row.Required || f.row.DefaultValue != nil })
	if len(fields) == 0 {
		return
	}
	f := rapid.SampledFrom(fields).Draw(t, "field")
	into := slices.DeleteFunc(samples(), func(of sample) bool {
		how, possible := field.ConversionOf(string(f.row.Type), of.typ)

		return !possible || how.From == how.To || f.row.IsUnique && w.s.definitions.Types[definition.TypeName(of.typ)].Index == ""
	})
	if len(into) == 0 {
		return
	}
	of := rapid.SampledFrom(into).Draw(t, "into")
	old, err := w.s.definitions.Types.Values(f.row.Type, f.row.Options)
	require.NoError(t, err)
	decided, instead := w.decision(t, f, of)
	row := changed(w.ctx, t, w.s, w.module, f.row.ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: definition.TypeName(of.typ), Options: rawjson.Object(of.options)}, decided)
	require.Equal(t, definition.ChangeApplied, row.State, row.Problem)
	made, err := w.s.repo.Field(w.ctx, w.module, *row.IncomingID)
	require.NoError(t, err)
	values, err := w.s.definitions.Types.Values(made.Type, made.Options)
	require.NoError(t, err)
	how, _ := field.ConversionOf(string(f.row.Type), of.typ)
	f.formers = append([]worldFormer{{f.row.ID, field.Converter{Conversion: how, Old: old, New: values}}}, f.formers...)
	f.row, f.sample = made, of
	w.convertAll(f, instead)
}

// decision says what becomes of values that do not convert: nothing, or a value.
func (w *world) decision(t *rapid.T, f *worldField, of sample) (decided fieldchange.ChangeDecision, instead field.Value) {
	if !f.row.IsUnique && rapid.Bool().Draw(t, "with a default") {
		raw := of.values.Draw(t, "default")
		if v, counts := w.parsed(t, &worldField{row: definition.FieldRow{Type: definition.TypeName(of.typ), Options: rawjson.Object(of.options)}}, raw); counts {
			return fieldchange.ChangeDecision{OnFailure: definition.DefaultFailing, Default: []byte(raw)}, v
		}
	}

	return fieldchange.ChangeDecision{OnFailure: definition.ClearFailing}, field.Value{}
}

// convertAll makes the versions that a change of a type makes, by the ids of records: of a unique field, the first
// keeps a value that several come to have. Instead is what takes the place of one that does not convert.
func (w *world) convertAll(f *worldField, instead field.Value) {
	records := slices.Clone(w.records)
	slices.SortFunc(records, func(a, b *worldRecord) int { return slices.Compare(a.id[:], b.id[:]) })
	taken := map[any]bool{}
	for _, r := range records {
		raw := r.now()[f.formers[0].id]
		if r.deleted || len(rawjson.OrNothing([]byte(raw))) == 0 {
			continue
		}
		after := maps.Clone(r.now())
		delete(after, f.formers[0].id)
		v, _, err := f.formers[0].convert.Convert([]byte(raw))
		if err != nil {
			v = instead
		}
		if len(rawjson.OrNothing(v.JSON)) > 0 && (!f.row.IsUnique || v.Empty() || !taken[v.Key]) {
			after[f.row.ID] = string(v.JSON)
			taken[v.Key] = true
		}
		r.versions = append(r.versions, after)
	}
}

// modern is what values of some version are by now, and whether all of them could be converted.
func (w *world) modern(values map[uuid.UUID]string) (map[uuid.UUID]string, bool) {
	after, whole := maps.Clone(values), true
	for _, f := range w.fields {
		for i, was := range f.formers {
			raw, there := after[was.id]
			if !there {
				continue
			}
			delete(after, was.id)
			made := field.Value{JSON: []byte(raw)}
			var err error
			for k := i; k >= 0 && err == nil; k-- {
				made, _, err = f.formers[k].convert.Convert(made.JSON)
			}
			if err != nil {
				whole = false
			} else if len(rawjson.OrNothing(made.JSON)) > 0 {
				after[f.row.ID] = string(made.JSON)
			}
		}
	}

	return after, whole
}
