package fieldchange

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// step is what a change does to one record.
type step struct {
	change   definition.ChangeRow
	decision ChangeDecision
	// definition is that of the module, and at the position of the field: of the incoming one for a change of
	// the type, -1 for one that is deleted.
	definition *definition.Definition
	at         int
	fill       field.Value
}

// stepOf makes ready what a change does to records.
func stepOf(d *definition.Definition, row definition.ChangeRow) (step, error) {
	id := row.FieldID
	if row.IncomingID != nil {
		id = *row.IncomingID
	}
	t := step{change: row, decision: DecisionOf(row), definition: d, at: -1}
	for i, f := range d.Fields {
		if f.ID == id {
			t.at = i
		}
	}
	if t.at < 0 && row.Kind != definition.ChangeDelete {
		return t, definition.ErrFieldNotFound
	}
	if t.decision.Fill == nil {
		return t, nil
	}
	var err error
	t.fill, err = d.Fields[t.at].Values.Parse(t.decision.Fill)

	return t, err
}

// applyOne changes a record that is held, as a new version, if there is something to change. Failed says that it
// had a value which the change breaks, and what was decided about those was done. The error is broken if
// nothing was.
func (s *Service) applyOne(ctx context.Context, t step, row definition.RecordRow) (made, failed bool, err error) {
	next, touched, problem := t.next(row.Data)
	if problem != "" {
		if t.decision.OnFailure == definition.RefuseFailing {
			return false, false, abortError{row.ID, problem}
		}
		failed = true
	}
	if !touched && t.change.Kind != definition.ChangeUnique {
		return false, failed, s.clearLeftoverSlots(ctx, t, row, next)
	}
	err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.applyVersion(ctx, t, row, next, touched) })
	if !errors.Is(err, definition.ErrValueTaken) {
		return touched, failed, err
	}
	if t.decision.OnFailure != definition.ClearFailing {
		return false, false, abortError{row.ID, "The " + t.definition.Fields[t.at].Spoken + " is already used by another record."}
	}
	cleared := t.cleared(row.Data)

	return true, true, s.db.Savepoint(ctx, func(ctx context.Context) error { return s.applyVersion(ctx, t, row, cleared, true) })
}

// next is what a record becomes, whether that differs, and what is wrong with its value.
func (t step) next(document []byte) (made definition.Draft, touched bool, problem string) {
	d := t.definition
	switch t.change.Kind {
	case definition.ChangeType:
		f := d.Fields[t.at]
		if _, _, err := f.Arrival.Convert(rawjson.OrNothing(rawjson.Member(document, f.Arrival.From.Number))); err != nil {
			problem = "The " + f.Spoken + " " + err.Error()
		}
		made = d.Refreshed(document)
		had, has := rawjson.Member(document, f.Number), rawjson.Member(made.Document, f.Number)
		touched = !rawjson.Equal(had, has) || had == nil && has != nil // also when it comes to nothing
	case definition.ChangeRequired:
		made = d.Reread(document)
		if d.Fields[t.at].Kept(rawjson.Member(document, d.Fields[t.at].Number)).Empty() {
			if t.fill.JSON == nil {
				return made, false, "The " + d.Fields[t.at].Spoken + " is required."
			}
			made, touched = d.WithValues(made, map[int]field.Value{t.at: t.fill}), true
		}
	case definition.ChangeUnique:
		made = d.Reread(document)
	case definition.ChangeDelete:
		made, touched = d.Refreshed(document), len(d.Aside(document, nil, nil)) > 0
	}

	return made, touched, problem
}

// cleared is what a record becomes whose value another one has.
func (t step) cleared(document []byte) definition.Draft {
	d := t.definition
	made := d.Refreshed(document)
	values := d.KeptAll(made.Document)
	values[t.at] = field.Value{JSON: []byte("null")}
	made.Uniques, made.Keys, made.Overflow = nil, [definition.SlotCount]any{}, nil
	d.Compute(values, &made)
	d.Assemble(&made, values)

	return made
}

// applyVersion stores what a record becomes: as a new version, or if nothing is touched, just the value that no
// other record may have.
func (s *Service) applyVersion(ctx context.Context, t step, row definition.RecordRow, made definition.Draft, touched bool) error {
	if t.change.Kind == definition.ChangeUnique {
		if err := s.claimField(ctx, t, row, made); err != nil || !touched {
			return err
		}
	}
	w := s.records.NextVersion(ctx, definition.Updated, t.definition, row, made)
	w.Row.Data, w.Row.SchemaRevision = made.Document, t.definition.Revision
	w.Changes = t.definition.Diff(row.Data, made.Document)
	if err := s.repo.Update(ctx, w.Row, made.Keys); err != nil {
		return err
	}
	if err := s.records.ReplaceParts(ctx, w); err != nil {
		return err
	}
	if err := s.records.KeepIndexed(ctx, w); err != nil {
		return err
	}
	if err := s.records.KeepWords(ctx, []*store.Writing{w}); err != nil {
		return err
	}
	if err := s.records.MarkWritten(ctx, w); err != nil {
		return err
	}

	return s.repo.AddHistory(ctx, []definition.HistoryRow{s.records.HistoryOf(history.WithSource(ctx, "field_change:"+t.change.ID.String()), w)})
}

// claimField keeps the value of the field from other records.
func (s *Service) claimField(ctx context.Context, t step, row definition.RecordRow, made definition.Draft) error {
	for _, u := range made.Uniques {
		if u.Field == t.definition.Fields[t.at] {
			row.ModuleID = t.change.ModuleID

			return s.records.ClaimUnique(ctx, row, []definition.Unique{u})
		}
	}

	return nil
}

// clearLeftoverSlots fills the slots of a record that has no value to convert: a field that is gone may have left
// something in the one of the incoming field.
func (s *Service) clearLeftoverSlots(ctx context.Context, t step, row definition.RecordRow, made definition.Draft) error {
	if t.change.Kind != definition.ChangeType || t.definition.Fields[t.at].Slot == "" {
		return nil
	}

	return s.modeling.Fill(ctx, t.definition, row, made)
}
