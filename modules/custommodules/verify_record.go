package custommodules

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// examination is what is kept of a batch of records of one module, to be compared.
type examination struct {
	*verification

	definition *definition
	// since says from which revision of the module on the slot of a field is filled.
	since   map[uuid.UUID]int64
	parts   recordParts
	missing map[uuid.UUID]bool
	found   []finding
}

// examine returns what is wrong with records of a module.
func (v *verification) examine(ctx context.Context, module uuid.UUID, rows []verifiableRow) ([]finding, error) {
	e := examination{verification: v}
	var err error
	if e.definition, e.since, err = v.definitions.whole(ctx, module); err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	if e.parts, err = v.repo.partsOf(ctx, ids); err != nil {
		return nil, err
	}
	drafts := make([]draft, len(rows))
	var links []link
	for i, row := range rows {
		if !isObject(row.Data) {
			continue
		}
		drafts[i] = e.definition.reread(row.Data)
		if row.DeletedAt == nil {
			links = append(links, drafts[i].links...)
		}
	}
	gone, err := v.repo.missingRecords(ctx, links)
	if err != nil {
		return nil, err
	}
	e.missing = map[uuid.UUID]bool{}
	for _, l := range gone {
		e.missing[l.record] = true
	}
	for i, row := range rows {
		e.record(row, drafts[i])
		if err := e.rollups(ctx, row); err != nil {
			return nil, err
		}
	}

	return e.found, nil
}

func isObject(data []byte) bool { return json.Valid(data) && data[0] == '{' }

func (e *examination) add(row verifiableRow, kind findingKind, field, problem string) {
	e.found = append(e.found, finding{
		Company: e.company, Module: row.ModuleID, Record: row.ID, Kind: kind, Field: field, Problem: problem,
	})
}

func (e *examination) record(row verifiableRow, made draft) {
	e.history(row)
	e.words(row)
	if row.SchemaRevision > e.definition.revision {
		e.add(row, wrongRevision, "", fmt.Sprintf("The record is of revision %d and its module at %d.", row.SchemaRevision, e.definition.revision))
	}
	if !isObject(row.Data) {
		e.add(row, wrongDocument, "", "The document is no JSON object.")

		return
	}
	e.links(row, made)
	e.uniques(row, made)
	e.indexed(row, made)
	if row.DeletedAt == nil {
		e.values(row)
		e.slots(row, made)
	}
}

// values finds values of which nothing can be made though others are compared with them.
func (e *examination) values(row verifiableRow) {
	for i, raw := range e.definition.values(row.Data) {
		f := e.definition.fields[i]
		if f.typ.Index != "" && len(rawjson.OrNothing(raw)) > 0 && f.kept(raw).Key == nil {
			e.add(row, wrongDocument, f.key, "The document holds something that is no "+f.typ.Name+".")
		}
	}
}

// slots compares the columns of fields. A record that was written before the field had its column is
// passed over until the index is ready.
func (e *examination) slots(row verifiableRow, made draft) {
	var have []*string
	if err := json.Unmarshal([]byte(row.Slots), &have); err != nil || len(have) != slotCount {
		e.add(row, wrongSlot, "", "The slots cannot be read.")

		return
	}
	for _, f := range e.definition.fields {
		if f.slot == "" || f.overflow || e.awaits(row, f) {
			continue
		}
		if !sameSlot(f.slot.kind(), have[f.position], bindKey(e.repo.db.Dialect(), f.slot.kind(), made.keys[f.position])) {
			e.add(row, wrongSlot, f.key, "The column "+string(f.slot)+" has not the value of the document.")
		}
	}
}

// awaits reports whether the record was written before the field had its index, which is not ready.
func (e *examination) awaits(row verifiableRow, f *moduleField) bool {
	return !f.indexed && row.SchemaRevision < e.since[f.id]
}

// indexed compares what is kept beside the record. Rows of a field that has lost its index wait for the job
// that takes them away.
func (e *examination) indexed(row verifiableRow, made draft) {
	have := map[uuid.UUID]indexRow{}
	for _, i := range e.parts.indexed[row.ID] {
		have[i.FieldID] = i
	}
	if row.DeletedAt != nil {
		for id := range have {
			e.add(row, wrongIndex, e.keyOf(id), "The record is deleted, and the index still has a value of it.")
		}

		return
	}
	want := map[*moduleField]any{}
	for _, v := range made.overflow {
		want[v.field] = bindKey(e.repo.db.Dialect(), v.field.slot.kind(), v.key)
	}
	for _, f := range e.definition.overflowFields() {
		if there, ok := have[f.id]; !e.awaits(row, f) && !sameIndexed(f.slot.kind(), there, ok, want[f]) {
			e.add(row, wrongIndex, f.key, "The index has not the value of the document.")
		}
	}
}

// sameIndexed compares a row, if it is there, with the value that should be in it, and no other.
func sameIndexed(kind field.Index, row indexRow, there bool, want any) bool {
	if !there {
		return want == nil
	}
	var have []*string
	if err := json.Unmarshal([]byte(row.Values), &have); err != nil || len(have) != len(field.Indexes()) || want == nil {
		return false
	}
	for i, k := range field.Indexes() {
		if k != kind && have[i] != nil || k == kind && !sameSlot(kind, have[i], want) {
			return false
		}
	}

	return true
}

// sameSlot compares the text of a column with what should be in it.
func sameSlot(kind field.Index, have *string, want any) bool {
	if have == nil || want == nil {
		return have == nil && want == nil
	}
	text := fmt.Sprint(want)
	switch kind {
	case field.NumericIndex:
		return field.ShortDecimal(*have) == field.ShortDecimal(text)
	case field.TimeIndex:
		return spacedTime(*have) == spacedTime(text)
	case field.BoolIndex:
		return strings.NewReplacer("1", "true", "0", "false").Replace(*have) == text
	case field.TextIndex, field.UUIDIndex:
	}

	return *have == text
}

// spacedTime writes a time as PostgreSQL does.
func spacedTime(text string) string {
	const day = len("2026-12-01")
	text = strings.Replace(text, "T", " ", 1)
	if len(text) == day {
		text += " 00:00:00"
	}

	return text
}

func (e *examination) links(row verifiableRow, made draft) {
	have := map[linkRow]bool{}
	for _, l := range e.parts.links[row.ID] {
		have[linkRow{FieldID: l.FieldID, TargetID: l.TargetID}] = true
	}
	for _, l := range made.links {
		key := linkRow{FieldID: l.field.id, TargetID: l.record}
		if !have[key] {
			e.add(row, wrongLink, l.field.key, "The reference has no row of its own.")
		}
		delete(have, key)
		if row.DeletedAt == nil && e.missing[l.record] {
			e.add(row, wrongReference, l.field.key, "The reference is to a record that is not there.")
		}
	}
	for l := range have {
		e.add(row, wrongLink, e.keyOf(l.FieldID), "There is a row of a reference that the document has not.")
	}
}

func (e *examination) uniques(row verifiableRow, made draft) {
	have := map[uniqueRow]bool{}
	for _, u := range e.parts.uniques[row.ID] {
		have[uniqueRow{ModuleID: u.ModuleID, FieldID: u.FieldID, Value: u.Value}] = true
	}
	if row.DeletedAt == nil {
		for _, u := range made.uniques {
			key := uniqueRow{ModuleID: row.ModuleID, FieldID: u.field.id, Value: u.value}
			if !have[key] && !u.field.checking {
				e.add(row, wrongUnique, u.field.key, "The value is not kept from being given to another record.")
			}
			delete(have, key)
		}
	}
	for u := range have {
		e.add(row, wrongUnique, e.keyOf(u.FieldID), "A value is kept from others that the record has not.")
	}
}

// history finds versions that are missing: all but the first have a row.
func (e *examination) history(row verifiableRow) {
	h := e.parts.versions[row.ID]
	whole := h.Count == row.Version-1
	if h.Count > 0 {
		whole = whole && h.First == 2 && h.Last == row.Version
	}
	if !whole {
		e.add(row, wrongHistory, "", fmt.Sprintf("The history does not have each of the versions 2 to %d once.", row.Version))
	}
	if (row.DeletedAt != nil) != (h.LastVerb == deleted) {
		e.add(row, wrongHistory, "", "The history does not end as the record is: deleted or not.")
	}
}

// keyOf is the key of a field, or else its id.
func (e *examination) keyOf(id uuid.UUID) string {
	if f := e.definition.fieldByID(id); f != nil {
		return f.key
	}

	return id.String()
}
