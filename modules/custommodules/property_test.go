package custommodules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/verify"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// someTimes is rapid.Check for properties that write to a database, which run less often.
func someTimes(t *testing.T, times int, property func(t *rapid.T)) {
	t.Helper()
	ran, failed := 0, false
	rapid.Check(t, func(t *rapid.T) {
		if ran >= times && !failed {
			return
		}
		ran++
		sound := false
		defer func() { failed = failed || !sound }()
		property(t)
		sound = true
	})
}

// world is a module, and what it should hold, kept naively in memory.
type world struct {
	s       *service
	ctx     context.Context
	module  uuid.UUID
	targets []string
	target  string
	fields  []*worldField
	records []*worldRecord
	made    int
	// fillers take the slots away from the fields, and have no values.
	fillers []definition.FieldRow
}

type worldField struct {
	row    definition.FieldRow
	sample sample
	// formers are the fields that it has replaced, the latest first.
	formers []worldFormer
}

// worldRecord has the values of every version, by the ids of fields; no value is none.
type worldRecord struct {
	id       uuid.UUID
	versions []map[uuid.UUID]string
	deleted  bool
}

func (r *worldRecord) now() map[uuid.UUID]string { return r.versions[len(r.versions)-1] }

// settable are the types that a caller sets as he likes.
// Those whose values must be there (item, user, file) are in the round trips through the API; no type changes into a file, or from one.
func settable() []definition.TypeName {
	return []definition.TypeName{
		"text", "long_text", "integer", "decimal", "boolean", "date", "local_datetime", "datetime", "time", "select", "multi_select",
		"email", "phone", "url", "json", "address", "geo_point", "vin", "usdot_number", "mc_number", "scac", "equipment", "weight", "length",
	}
}

func (w *world) sample(t *rapid.T) sample {
	known := slices.DeleteFunc(samples(), func(s sample) bool { return !slices.Contains(settable(), definition.TypeName(s.typ)) })
	if rapid.IntRange(0, 5).Draw(t, "a reference") == 0 {
		return sample{typ: "reference", options: `{"module_uuid":"` + w.target + `"}`, values: rapid.Map(rapid.SampledFrom(w.targets),
			func(id string) string { return `{"record_uuid":"` + id + `"}` })}
	}

	return rapid.SampledFrom(known).Draw(t, "type")
}

func (w *world) addField(t *rapid.T) {
	of := w.sample(t)
	typ := w.s.definitions.Types[definition.TypeName(of.typ)]
	w.made++
	spec := definition.NewField{
		Key: "f" + strconv.Itoa(w.made), Type: definition.TypeName(of.typ), Options: rawjson.Object(of.options),
		Indexed: typ.Index != "" && rapid.Bool().Draw(t, "indexed"), Unique: typ.Index != "" && rapid.IntRange(0, 3).Draw(t, "unique") == 0,
	}
	if !spec.Unique && of.typ != "reference" && rapid.IntRange(0, 3).Draw(t, "default") == 0 {
		spec.Default = json.RawMessage(of.values.Draw(t, "default"))
	}
	row, err := w.s.modeling.AddField(w.ctx, w.module, spec)
	require.NoError(t, err)
	w.fields = append(w.fields, &worldField{row: row, sample: of})
}

func (w *world) changeField(t *rapid.T) {
	if len(w.fields) == 0 {
		return
	}
	f := rapid.SampledFrom(w.fields).Draw(t, "field")
	var changes modeling.FieldChanges
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 0:
		w.made++
		changes.Key = new("f" + strconv.Itoa(w.made))
	case 1:
		changes.Required = new(!f.row.Required)
	case 2:
		changes.ReadOnly = new(!f.row.ReadOnly)
	case 3:
		if w.s.definitions.Types[f.row.Type].Index != "" {
			changes.Indexed = new(f.row.Slot == nil)
		}
	case 4:
		changes.Position = new(rapid.IntRange(1, len(w.fields)+len(w.fillers)).Draw(t, "position"))
	}
	row, err := w.s.modeling.ChangeField(w.ctx, w.module, f.row.ID, records.Always{}, changes)
	require.NoError(t, err)
	f.row = row
}

// turnFiller takes the slot of a filler away, so that it is free for a field, or gives it one again.
func (w *world) turnFiller(t *rapid.T) {
	if len(w.fillers) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.fillers)-1).Draw(t, "filler")
	row, err := w.s.modeling.ChangeField(w.ctx, w.module, w.fillers[i].ID, records.Always{}, modeling.FieldChanges{Indexed: new(w.fillers[i].Slot == nil)})
	require.NoError(t, err)
	w.fillers[i] = row
}

func (w *world) deleteField(t *rapid.T) {
	if len(w.fields) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.fields)-1).Draw(t, "field")
	require.NoError(t, w.s.modeling.DeleteField(w.ctx, w.module, w.fields[i].row.ID, records.Always{}))
	for _, r := range w.records {
		for _, version := range r.versions {
			delete(version, w.fields[i].row.ID)
			for _, was := range w.fields[i].formers {
				delete(version, was.id)
			}
		}
	}
	w.fields = slices.Delete(w.fields, i, i+1)
}

// parsed is the normal form of a value, and whether it counts as one for a required field.
func (w *world) parsed(t require.TestingT, f *worldField, raw string) (field.Value, bool) {
	values, err := w.s.definitions.Types.Values(f.row.Type, f.row.Options)
	require.NoError(t, err)
	got, err := values.Parse([]byte(raw))
	require.NoErrorf(t, err, "%s", raw)

	return got, !got.Empty()
}

// draw makes a payload for a record as it is, nil for a new one, and says what comes of it; a payload
// that breaks a rule is not drawn.
func (w *world) draw(t *rapid.T, before map[uuid.UUID]string) (payload []byte, after map[uuid.UUID]string) {
	after = maps.Clone(before)
	if after == nil {
		after = map[uuid.UUID]string{}
	}
	members := map[string]json.RawMessage{}
	for _, f := range w.fields {
		mention := rapid.IntRange(0, 2).Draw(t, "mention "+f.row.Key)
		if f.row.ReadOnly {
			mention = 0
		}
		if before == nil && f.row.Required && f.row.DefaultValue == nil && !f.row.ReadOnly {
			mention = 1
		}
		switch {
		case mention == 0 && before == nil && f.row.DefaultValue != nil:
			after[f.row.ID] = string(*f.row.DefaultValue)
		case mention == 1:
			raw := f.sample.values.Draw(t, f.row.Key)
			if had, there := before[f.row.ID]; there && had[0] == '{' && raw[0] == '{' {
				members[f.row.Key] = json.RawMessage("null") // not merged with what is there: that has a test of its own
				if f.row.Required {
					delete(members, f.row.Key)
				} else {
					delete(after, f.row.ID)
				}

				continue
			}
			normal, counts := w.parsed(t, f, raw)
			if f.row.Required && !counts {
				t.Skip("a required field without a value")
			}
			members[f.row.Key] = json.RawMessage(raw)
			after[f.row.ID] = string(normal.JSON)
		case mention == 2 && !f.row.Required:
			members[f.row.Key] = json.RawMessage("null")
			delete(after, f.row.ID)
		}
	}
	if before == nil && w.lacks(t, after) {
		t.Skip("a read-only field that is required")
	}
	payload, err := json.Marshal(members)
	require.NoError(t, err)

	return payload, after
}

// lacks reports whether values lack one that is required.
func (w *world) lacks(t require.TestingT, values map[uuid.UUID]string) bool {
	return slices.ContainsFunc(w.fields, func(f *worldField) bool {
		raw, there := values[f.row.ID]
		if there {
			_, there = w.parsed(t, f, raw)
		}

		return f.row.Required && !there
	})
}

// isTaken reports whether another record has a unique value of these.
func (w *world) isTaken(t require.TestingT, by *worldRecord, values map[uuid.UUID]string) bool {
	for _, f := range w.fields {
		raw, there := values[f.row.ID]
		if !f.row.IsUnique || !there {
			continue
		}
		mine, counts := w.parsed(t, f, raw)
		for _, other := range w.records {
			theirs, there := other.now()[f.row.ID]
			if other == by || other.deleted || !there || !counts {
				continue
			}
			if key, _ := w.parsed(t, f, theirs); key.Key == mine.Key {
				return true
			}
		}
	}

	return false
}

// write makes a version if the service does, which it has to unless a value is taken.
func (w *world) write(t require.TestingT, r *worldRecord, after map[uuid.UUID]string, got records.Stored, err error) {
	if w.isTaken(t, r, after) {
		require.ErrorIs(t, err, definition.ErrValueTaken)

		return
	}
	if refused, ok := errors.AsType[*errs.Error](err); ok {
		t.Errorf("refused: %v", refused.Fields)
	}
	require.NoError(t, err)
	if len(r.versions) == 0 || !maps.EqualFunc(r.now(), after, func(a, b string) bool { return rawjson.Equal([]byte(a), []byte(b)) }) {
		r.versions = append(r.versions, after)
	}
	if len(r.versions) == 1 && r.id == uuid.Nil {
		r.id = got.ID
		w.records = append(w.records, r)
	}
	w.same(t, got, len(r.versions), after)
}

// same requires that a record is what it should be. Whether nothing is said to be null says nothing.
func (w *world) same(t require.TestingT, got records.Stored, version int, want map[uuid.UUID]string) {
	require.Equal(t, int64(version), got.Version)
	have := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(got.Definition.AppendPayload(nil, got.Data)))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&have))
	maps.DeleteFunc(have, func(_ string, v any) bool { return v == nil })
	wanted := map[string]any{}
	for _, f := range w.fields {
		if raw, there := want[f.row.ID]; there && raw != "null" {
			wanted[f.row.Key] = parsed(t, raw)
		}
		for _, was := range f.formers { // the version is of a time before
			if raw, there := want[was.id]; there && raw != "null" {
				wanted[f.row.Key] = parsed(t, raw)
			}
		}
	}
	require.Equal(t, wanted, have)
}

func (w *world) create(t *rapid.T) {
	payload, after := w.draw(t, nil)
	made, err := w.s.records.CreateRecord(w.ctx, database.NewID(), w.module, payload)
	w.write(t, &worldRecord{}, after, made, err)
}

// pick returns a record that is deleted or not, nil if there is none.
func (w *world) pick(t *rapid.T, deleted bool) *worldRecord {
	all := slices.DeleteFunc(slices.Clone(w.records), func(r *worldRecord) bool { return r.deleted != deleted })
	if len(all) == 0 {
		return nil
	}

	return rapid.SampledFrom(all).Draw(t, "record")
}

func (w *world) patch(t *rapid.T) {
	if r := w.pick(t, false); r != nil {
		payload, after := w.draw(t, r.now())
		got, err := w.s.records.UpdateRecord(w.ctx, r.id, payload, records.Always{})
		w.write(t, r, after, got, err)
	}
}

func (w *world) delete(t *rapid.T) {
	if r := w.pick(t, false); r != nil {
		require.NoError(t, w.s.records.DeleteRecord(w.ctx, r.id, records.Always{}))
		r.deleted, r.versions = true, append(r.versions, maps.Clone(r.now()))
	}
}

func (w *world) restore(t *rapid.T) {
	r := w.pick(t, true)
	if r == nil {
		return
	}
	got, err := w.s.records.RestoreRecord(w.ctx, r.id, records.Always{})
	now, _ := w.modern(r.now())
	if w.isTaken(t, r, now) {
		require.ErrorIs(t, err, definition.ErrValueTaken)

		return
	}
	require.NoError(t, err)
	r.deleted, r.versions = false, append(r.versions, now)
	w.same(t, got, len(r.versions), r.now())
}

func (w *world) revert(t *rapid.T) {
	r := w.pick(t, false)
	if r == nil {
		return
	}
	version := rapid.IntRange(1, len(r.versions)).Draw(t, "version")
	then, whole := w.modern(r.versions[version-1])
	got, err := w.s.records.RevertRecord(w.ctx, r.id, int64(version), nil, records.Always{})
	if !whole {
		require.ErrorIs(t, err, definition.ErrInvalidPayload)

		return
	}
	if err != nil && w.lacks(t, then) && !errors.Is(err, definition.ErrValueTaken) { // a value that is required by now cannot be taken away
		require.ErrorIs(t, err, definition.ErrInvalidPayload)

		return
	}
	w.write(t, r, then, got, err)
}

func (w *world) read(t *rapid.T) {
	if r := w.pick(t, false); r != nil {
		version := rapid.IntRange(1, len(r.versions)).Draw(t, "version")
		got, err := w.s.records.AsOf(w.ctx, r.id, int64(version))
		require.NoError(t, err)
		w.same(t, got, version, r.versions[version-1])
	}
}

// bulk creates, changes and deletes at once, all or nothing.
func (w *world) bulk(t *rapid.T) {
	var items []bulk.Item
	var wanted []map[uuid.UUID]string
	var of []*worldRecord
	possible := true
	for _, r := range append([]*worldRecord{{}, {}}, w.records...) {
		switch {
		case r.deleted || rapid.Bool().Draw(t, "without"):
			continue
		case r.id != uuid.Nil && rapid.IntRange(0, 3).Draw(t, "delete") == 0:
			items, wanted = append(items, bulk.Item{Do: bulk.Delete, UUID: r.id, Version: int64(len(r.versions))}), append(wanted, nil)
		default:
			item := bulk.Item{Do: bulk.Create, UUID: r.id}
			var before map[uuid.UUID]string
			if r.id != uuid.Nil {
				item.Do, item.Version, before = bulk.Update, int64(len(r.versions)), r.now()
			}
			payload, after := w.draw(t, before)
			item.Payload = payload
			items, wanted = append(items, item), append(wanted, after)
			possible = possible && !w.isTaken(t, r, after)
		}
		of = append(of, r)
	}
	if slices.ContainsFunc(w.fields, func(f *worldField) bool { return f.row.IsUnique }) {
		items = nil // who takes what from whom depends on the order
	}
	if len(items) == 0 || !possible {
		return
	}
	outcomes, err := w.s.bulk(w.ctx, w.module, items, rapid.Bool().Draw(t, "atomic"))
	require.NoError(t, err)
	for i, outcome := range outcomes {
		require.NoError(t, outcome.Err)
		if wanted[i] == nil {
			of[i].deleted, of[i].versions = true, append(of[i].versions, maps.Clone(of[i].now()))
		} else {
			got, err := w.s.records.AsOf(w.ctx, outcome.Row, outcome.After)
			w.write(t, of[i], wanted[i], got, err)
		}
	}
}

// hideModule archives or deletes the module for a moment, in which nothing can be written.
func (w *world) hideModule(t *rapid.T) {
	want := definition.ErrModuleArchived
	var err error
	gone := rapid.Bool().Draw(t, "deleted")
	if gone {
		want, err = definition.ErrModuleNotFound, w.s.modeling.DeleteModule(w.ctx, w.module, records.Always{})
	} else {
		_, _, err = w.s.modeling.ArchiveModule(w.ctx, w.module, records.Always{}, true)
	}
	require.NoError(t, err)
	_, err = w.s.records.CreateRecord(w.ctx, database.NewID(), w.module, []byte(`{}`))
	require.ErrorIs(t, err, want)
	if r := w.pick(t, false); r != nil {
		_, err = w.s.records.UpdateRecord(w.ctx, r.id, []byte(`{}`), records.Always{})
		require.Contains(t, []errs.Kind{errs.NotFound, errs.Conflict}, errs.KindOf(err))
		_, err = w.s.records.ReadRecord(w.ctx, r.id)
		require.Equal(t, gone, err != nil)
	}
	if gone {
		_, _, err = w.s.modeling.RestoreModule(w.ctx, w.module)
	} else {
		_, _, err = w.s.modeling.ArchiveModule(w.ctx, w.module, records.Always{}, false)
	}
	require.NoError(t, err)
}

// Whatever is done to a module and its records, they agree with themselves and with a naive model.
func TestRecords_AreWhatAModelSaysAfterAnything(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		target, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Targets"})
		require.NoError(t, err)
		var targets []string
		for range 3 {
			made, err := s.records.CreateRecord(ctx, database.NewID(), target.ID, []byte(`{}`))
			require.NoError(t, err)
			targets = append(targets, made.ID.String())
		}
		n := 0
		someTimes(t, 10, func(t *rapid.T) {
			n++
			spec := modeling.NewModule{Name: fmt.Sprint("Module ", n)}
			if rapid.Bool().Draw(t, "fillers") { // then what else is indexed is beside the records
				spec.Fields = fillers()
			}
			module, filled, err := s.modeling.CreateModule(ctx, spec)
			require.NoError(t, err)
			w := &world{s: s, ctx: ctx, module: module.ID, target: target.ID.String(), targets: targets, fillers: filled}
			for range rapid.IntRange(1, 5).Draw(t, "fields") {
				w.addField(t)
			}
			for range 3 {
				w.create(t)
			}
			t.Repeat(map[string]func(*rapid.T){
				"add field": w.addField, "change field": w.changeField, "delete field": w.deleteField, "away": w.hideModule, "turn filler": w.turnFiller, "change type": w.changeType,
				"create": w.create, "patch": w.patch, "patch again": w.patch, "delete": w.delete, "restore": w.restore,
				"revert": w.revert, "bulk": w.bulk, "read": w.read,
			})
			for _, r := range w.records {
				if !r.deleted {
					got, err := s.records.ReadRecord(ctx, r.id)
					require.NoError(t, err)
					w.same(t, got, len(r.versions), r.now())
				}
			}
			_, err = s.verifier.Verify(ctx, principal.CompanyOf(ctx), func(f verify.Finding) { t.Errorf("%s", f) })
			require.NoError(t, err)
		})
		silent(ctx, t, s)
	})
}

// parsed is a JSON value with all its digits.
func parsed(t require.TestingT, raw string) (value any) {
	decoder := json.NewDecoder(bytes.NewBufferString(raw))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value))

	return value
}
