package custommodules

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// step is what a change does to one record.
type step struct {
	change   changeRow
	decision changeDecision
	// definition is that of the module, and at the position of the field: of the incoming one for a change of
	// the type, -1 for one that is deleted.
	definition *definition
	at         int
	fill       field.Value
}

// stepOf makes ready what a change does to records.
func (d *definition) stepOf(row changeRow) (step, error) {
	id := row.FieldID
	if row.IncomingID != nil {
		id = *row.IncomingID
	}
	t := step{change: row, decision: row.decision(), definition: d, at: -1}
	for i, f := range d.fields {
		if f.id == id {
			t.at = i
		}
	}
	if t.at < 0 && row.Kind != changeDelete {
		return t, errFieldNotFound
	}
	if t.decision.Fill == nil {
		return t, nil
	}
	var err error
	t.fill, err = d.fields[t.at].values.Parse(t.decision.Fill)

	return t, err
}

// applyOne changes a record that is held, as a new version, if there is something to change. Failed says that it
// had a value which the change breaks, and what was decided about those was done. The error is broken if
// nothing was.
func (s *service) applyOne(ctx context.Context, t step, row recordRow) (made, failed bool, err error) {
	next, touched, problem := t.next(row.Data)
	if problem != "" {
		if t.decision.OnFailure == refuseFailing {
			return false, false, broken{row.ID, problem}
		}
		failed = true
	}
	if !touched && t.change.Kind != changeUnique {
		return false, failed, s.settleSlots(ctx, t, row, next)
	}
	err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.applyVersion(ctx, t, row, next, touched) })
	if !errors.Is(err, errValueTaken) {
		return touched, failed, err
	}
	if t.decision.OnFailure != clearFailing {
		return false, false, broken{row.ID, "The " + t.definition.fields[t.at].spoken + " is that of another record."}
	}
	cleared := t.cleared(row.Data)

	return true, true, s.db.Savepoint(ctx, func(ctx context.Context) error { return s.applyVersion(ctx, t, row, cleared, true) })
}

// next is what a record becomes, whether that differs, and what is wrong with its value.
func (t step) next(document []byte) (made draft, touched bool, problem string) {
	d := t.definition
	switch t.change.Kind {
	case changeType:
		f := d.fields[t.at]
		if _, _, err := f.arrival.Convert(rawjson.OrNothing(rawjson.Member(document, f.arrival.from.number))); err != nil {
			problem = "The " + f.spoken + " " + err.Error()
		}
		made = d.refreshed(document)
		had, has := rawjson.Member(document, f.number), rawjson.Member(made.document, f.number)
		touched = !rawjson.Same(had, has) || had == nil && has != nil // also when it comes to nothing
	case changeRequired:
		made = d.reread(document)
		if d.fields[t.at].kept(rawjson.Member(document, d.fields[t.at].number)).Empty() {
			if t.fill.JSON == nil {
				return made, false, "The " + d.fields[t.at].spoken + " is required."
			}
			made, touched = d.withValues(made, map[int]field.Value{t.at: t.fill}), true
		}
	case changeUnique:
		made = d.reread(document)
	case changeDelete:
		made, touched = d.refreshed(document), len(d.aside(document, nil, nil)) > 0
	}

	return made, touched, problem
}

// cleared is what a record becomes whose value another one has.
func (t step) cleared(document []byte) draft {
	d := t.definition
	made := d.refreshed(document)
	values := d.keptAll(made.document)
	values[t.at] = field.Value{JSON: []byte("null")}
	made.uniques, made.keys, made.overflow = nil, [slotCount]any{}, nil
	d.compute(values, &made)
	d.assemble(&made, values)

	return made
}

// applyVersion stores what a record becomes: as a new version, or if nothing is touched, just the value that no
// other record may have.
func (s *service) applyVersion(ctx context.Context, t step, row recordRow, made draft, touched bool) error {
	if t.change.Kind == changeUnique {
		if err := s.claimField(ctx, t, row, made); err != nil || !touched {
			return err
		}
	}
	w := s.nextVersion(ctx, updated, t.definition, row, made)
	w.row.Data, w.row.SchemaRevision = made.document, t.definition.revision
	w.changes = t.definition.diff(row.Data, made.document)
	if err := s.repo.update(ctx, w.row, made.keys); err != nil {
		return err
	}
	if err := s.replaceParts(ctx, w); err != nil {
		return err
	}
	if err := s.keepIndexed(ctx, w); err != nil {
		return err
	}
	if err := s.keepWords(ctx, []*writing{w}); err != nil {
		return err
	}
	if err := s.markWritten(ctx, w); err != nil {
		return err
	}

	return s.repo.note(ctx, []historyRow{s.historyOf(history.WithSource(ctx, "field_change:"+t.change.ID.String()), w)})
}

// claimField keeps the value of the field from other records.
func (s *service) claimField(ctx context.Context, t step, row recordRow, made draft) error {
	for _, u := range made.uniques {
		if u.field == t.definition.fields[t.at] {
			row.ModuleID = t.change.ModuleID

			return s.claim(ctx, row, []unique{u})
		}
	}

	return nil
}

// settleSlots fills the slots of a record that has no value to convert: a field that is gone may have left
// something in the one of the incoming field.
func (s *service) settleSlots(ctx context.Context, t step, row recordRow, made draft) error {
	if t.change.Kind != changeType || t.definition.fields[t.at].slot == "" {
		return nil
	}

	return s.fill(ctx, t.definition, row, made)
}

// resumeChanges has the job begin again that applies a change to a module which was away.
func (s *service) resumeChanges(ctx context.Context, module uuid.UUID) error {
	running, err := s.repo.runningChange(ctx, module)
	for _, row := range running {
		err = s.jobs.Enqueue(ctx, changeRecords{Change: row.ID})
	}

	return err
}
