package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// examination is what is kept of a batch of records of one module, to be compared.
type examination struct {
	of *verification

	definition *definition.Definition
	// since says from which revision of the module on the slot of a field is filled.
	since   map[uuid.UUID]int64
	parts   store.RecordParts
	missing map[uuid.UUID]bool
	found   []Finding
}

// examine returns what is wrong with records of a module.
func (v *verification) examine(ctx context.Context, module uuid.UUID, rows []store.VerifiableRow) ([]Finding, error) {
	e := examination{of: v}
	var err error
	if e.definition, e.since, err = v.service.definitions.LoadWithDeleted(ctx, module); err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	if e.parts, err = v.service.repo.PartsOf(ctx, ids); err != nil {
		return nil, err
	}
	drafts := make([]definition.Draft, len(rows))
	var links []definition.Link
	for i, row := range rows {
		if !isObject(row.Data) {
			continue
		}
		drafts[i] = e.definition.Reread(row.Data)
		if row.DeletedAt == nil {
			links = append(links, drafts[i].Links...)
		}
	}
	gone, err := v.service.repo.MissingRecords(ctx, links)
	if err != nil {
		return nil, err
	}
	e.missing = map[uuid.UUID]bool{}
	for _, l := range gone {
		e.missing[l.Record] = true
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

func (e *examination) add(row store.VerifiableRow, kind FindingKind, fieldName, problem string) {
	e.found = append(e.found, Finding{
		Company: e.of.company, Module: row.ModuleID, Record: row.ID, Kind: kind, Field: fieldName, Problem: problem,
	})
}

func (e *examination) record(row store.VerifiableRow, made definition.Draft) {
	e.history(row)
	e.words(row)
	if row.SchemaRevision > e.definition.Revision {
		e.add(row, wrongRevision, "", fmt.Sprintf("The record is of revision %d and its module at %d.", row.SchemaRevision, e.definition.Revision))
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
func (e *examination) values(row store.VerifiableRow) {
	for i, raw := range e.definition.Values(row.Data) {
		f := e.definition.Fields[i]
		if f.Typ.Index != "" && len(rawjson.OrNothing(raw)) > 0 && f.Kept(raw).Key == nil {
			e.add(row, wrongDocument, f.Key, "The document holds something that is no "+f.Typ.Name+".")
		}
	}
}

// slots compares the columns of fields. A record that was written before the field had its column is
// passed over until the index is ready.
func (e *examination) slots(row store.VerifiableRow, made definition.Draft) {
	var have []*string
	if err := json.Unmarshal([]byte(row.Slots), &have); err != nil || len(have) != definition.SlotCount {
		e.add(row, wrongSlot, "", "The slots cannot be read.")

		return
	}
	for _, f := range e.definition.Fields {
		if f.Slot == "" || f.Overflow || e.awaits(row, f) {
			continue
		}
		if !sameSlot(f.Slot.Kind(), have[f.Position], definition.BindKey(e.of.service.repo.DB.Dialect(), f.Slot.Kind(), made.Keys[f.Position])) {
			e.add(row, wrongSlot, f.Key, "The column "+string(f.Slot)+" has not the value of the document.")
		}
	}
}

// awaits reports whether the record was written before the field had its index, which is not ready.
func (e *examination) awaits(row store.VerifiableRow, f *definition.ModuleField) bool {
	return !f.Indexed && row.SchemaRevision < e.since[f.ID]
}

// indexed compares what is kept beside the record. Rows of a field that has lost its index wait for the job
// that takes them away.
func (e *examination) indexed(row store.VerifiableRow, made definition.Draft) {
	have := map[uuid.UUID]store.IndexRow{}
	for _, i := range e.parts.Indexed[row.ID] {
		have[i.FieldID] = i
	}
	if row.DeletedAt != nil {
		for id := range have {
			e.add(row, wrongIndex, e.keyOf(id), "The record is deleted, and the index still has a value of it.")
		}

		return
	}
	want := map[*definition.ModuleField]any{}
	for _, v := range made.Overflow {
		want[v.Field] = definition.BindKey(e.of.service.repo.DB.Dialect(), v.Field.Slot.Kind(), v.Key)
	}
	for _, f := range e.definition.OverflowFields() {
		if there, ok := have[f.ID]; !e.awaits(row, f) && !sameIndexed(f.Slot.Kind(), there, ok, want[f]) {
			e.add(row, wrongIndex, f.Key, "The index has not the value of the document.")
		}
	}
}

// sameIndexed compares a row, if it is there, with the value that should be in it, and no other.
func sameIndexed(kind field.Index, row store.IndexRow, there bool, want any) bool {
	if !there {
		return want == nil
	}
	var have []*string
	if err := json.Unmarshal([]byte(row.Values), &have); err != nil || len(have) != len(field.Indexes) || want == nil {
		return false
	}
	for i, k := range field.Indexes {
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

func (e *examination) links(row store.VerifiableRow, made definition.Draft) {
	have := map[definition.LinkRow]bool{}
	for _, l := range e.parts.Links[row.ID] {
		have[definition.LinkRow{FieldID: l.FieldID, TargetID: l.TargetID}] = true
	}
	for _, l := range made.Links {
		key := definition.LinkRow{FieldID: l.Field.ID, TargetID: l.Record}
		if !have[key] {
			e.add(row, wrongLink, l.Field.Key, "The reference has no row of its own.")
		}
		delete(have, key)
		if row.DeletedAt == nil && e.missing[l.Record] {
			e.add(row, wrongReference, l.Field.Key, "The reference is to a record that is not there.")
		}
	}
	for l := range have {
		e.add(row, wrongLink, e.keyOf(l.FieldID), "There is a row of a reference that the document has not.")
	}
}

func (e *examination) uniques(row store.VerifiableRow, made definition.Draft) {
	have := map[definition.UniqueRow]bool{}
	for _, u := range e.parts.Uniques[row.ID] {
		have[definition.UniqueRow{ModuleID: u.ModuleID, FieldID: u.FieldID, Value: u.Value}] = true
	}
	if row.DeletedAt == nil {
		for _, u := range made.Uniques {
			key := definition.UniqueRow{ModuleID: row.ModuleID, FieldID: u.Field.ID, Value: u.Value}
			if !have[key] && !u.Field.Checking {
				e.add(row, wrongUnique, u.Field.Key, "The value is not kept from being given to another record.")
			}
			delete(have, key)
		}
	}
	for u := range have {
		e.add(row, wrongUnique, e.keyOf(u.FieldID), "A value is kept from others that the record has not.")
	}
}

// history finds versions that are missing: all but the first have a row.
func (e *examination) history(row store.VerifiableRow) {
	h := e.parts.Versions[row.ID]
	whole := h.Count == row.Version-1
	if h.Count > 0 {
		whole = whole && h.First == 2 && h.Last == row.Version
	}
	if !whole {
		e.add(row, wrongHistory, "", fmt.Sprintf("The history does not have each of the versions 2 to %d once.", row.Version))
	}
	if (row.DeletedAt != nil) != (h.LastVerb == definition.Deleted) {
		e.add(row, wrongHistory, "", "The history does not end as the record is: deleted or not.")
	}
}

// keyOf is the key of a field, or else its id.
func (e *examination) keyOf(id uuid.UUID) string {
	if f := e.definition.FieldByID(id); f != nil {
		return f.Key
	}

	return id.String()
}
