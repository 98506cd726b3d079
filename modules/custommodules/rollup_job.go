package custommodules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
)

const (
	// marksBatch is how many marks are seen to at once, rollBatch how many records are read at once for a value,
	// and rollTime how long one job goes on before the next takes over.
	marksBatch = 500
	rollBatch  = 1_000
	rollTime   = 2 * time.Minute
)

// errRolledMeanwhile says that somebody else has computed the rollups of a record meanwhile.
var errRolledMeanwhile = errs.New(errs.Conflict, "custom_modules.rolled_meanwhile", "The record has just been computed.")

// staleRecord is a record with what has to be computed of it, and the marks that say so.
type staleRecord struct {
	record     uuid.UUID
	references []uuid.UUID
	marks      []uuid.UUID
}

// rollUpMarked does the job rollUp. A record that fails does not keep the others waiting.
func (s *service) rollUpMarked(ctx context.Context, _ rollUp) error {
	var failed error
	until := s.clock.Now().Add(rollTime)
	last := uuid.Nil
	for {
		rows, err := s.repo.marks(ctx, last, marksBatch)
		if err != nil || len(rows) == 0 {
			return errors.Join(failed, err)
		}
		for _, m := range byRecord(rows) {
			if err := s.rollUpRecord(ctx, m); err != nil {
				failed = errors.Join(failed, fmt.Errorf("rollups of record %s: %w", m.record, err))
			}
			if ctx.Err() != nil {
				return errors.Join(failed, ctx.Err())
			}
		}
		last = rows[len(rows)-1].ID
		if s.clock.Now().After(until) {
			err := s.db.InTx(ctx, func(ctx context.Context) error { return s.jobs.Enqueue(ctx, rollUp{}) })

			return errors.Join(failed, err)
		}
	}
}

// byRecord puts the marks of each record together.
func byRecord(rows []markRow) []staleRecord {
	var all []staleRecord
	at := map[uuid.UUID]int{}
	for _, row := range rows {
		i, known := at[row.RecordID]
		if !known {
			i = len(all)
			at[row.RecordID] = i
			all = append(all, staleRecord{record: row.RecordID})
		}
		all[i].marks = append(all[i].marks, row.ID)
		if !slices.Contains(all[i].references, row.ReferenceID) {
			all[i].references = append(all[i].references, row.ReferenceID)
		}
	}

	return all
}

// rollUpRecord computes rollups and lookups of a record anew and takes their marks away.
func (s *service) rollUpRecord(ctx context.Context, m staleRecord) error {
	var err error = errRolledMeanwhile
	for i := 0; i < 2*attempts && (errors.Is(err, errRolledMeanwhile) || errors.Is(err, errMovedOn)); i++ {
		if i < attempts {
			err = s.tryRollUp(ctx, &m)
		} else { // others are at it, again and again
			err = s.db.InTx(ctx, func(ctx context.Context) error {
				if _, err := s.repo.held(ctx, m.record, false); err != nil {
					return err
				}

				return s.tryRollUp(ctx, &m)
			})
		}
	}
	if errors.Is(err, errRecordNotFound) || errors.Is(err, errModuleNotFound) {
		return s.db.InTx(ctx, func(ctx context.Context) error { return s.repo.removeMarks(ctx, m.marks) }) // what comes back is marked then
	}

	return err
}

// tryRollUp reads the record first, then those that refer to it, and stores what comes of them if nobody else has
// done so meanwhile. What changes after the marks were read has left marks of its own.
func (s *service) tryRollUp(ctx context.Context, m *staleRecord) error {
	row, err := s.repo.record(ctx, m.record)
	if err != nil {
		return err
	}
	d, err := s.definitions.present(ctx, row.ModuleID)
	if err != nil {
		return err
	}
	if err := s.spread(ctx, d, m); err != nil {
		return err
	}
	values, names, err := s.derivedValues(ctx, d, row, m.references)
	if err != nil {
		return err
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		held, err := s.repo.held(ctx, m.record, false)
		switch {
		case err != nil:
			return err
		case held.Rolled != row.Rolled, names && held.Version != row.Version:
			return errRolledMeanwhile
		case held.Revision != d.revision:
			return errMovedOn
		}
		if err := s.storeRolled(ctx, d, held, values); err != nil {
			return err
		}

		return s.repo.removeMarks(ctx, m.marks)
	})
}

// storeRolled writes the rollups and lookups of a record that is held, and the formulas that use them. It makes no version of
// it: nobody changed the record.
func (s *service) storeRolled(ctx context.Context, d *definition, row recordRow, values map[int]field.Value) error {
	made := d.withValues(draft{document: row.Data}, values)
	if err := s.markChanged(ctx, d, row.ID, row.Data, made.document); err != nil {
		return err
	}
	if len(d.diff(row.Data, made.document)) > 0 {
		if err := s.fill(ctx, d, row, made); err != nil {
			return err
		}
	}

	return s.repo.setRolled(ctx, row, made.document, s.clock.Now())
}

// derivedValues computes the rollups and lookups of a record by some references, and reports whether there are lookups: these go
// by what the record names.
func (s *service) derivedValues(ctx context.Context, d *definition, row recordRow, references []uuid.UUID) (map[int]field.Value, bool, error) {
	if len(references) == 0 {
		return nil, false, nil
	}
	values, err := s.rolledValues(ctx, d, row.ID, d.rollups(references...))
	if err != nil {
		return nil, false, err
	}
	at := d.lookupsBy(references...)
	found, err := s.lookUp(ctx, d, row.Data, at, nil, false)
	maps.Copy(values, found)

	return values, len(at) > 0, err
}

// rolledValues computes rollups of a record, each reference once.
func (s *service) rolledValues(ctx context.Context, d *definition, record uuid.UUID, at []int) (map[int]field.Value, error) {
	values := map[int]field.Value{}
	byReference := map[uuid.UUID][]int{}
	for _, i := range at {
		r, _ := d.fields[i].values.(*rollup)
		byReference[r.Reference] = append(byReference[r.Reference], i)
	}
	for reference, group := range byReference {
		first, _ := d.fields[group[0]].values.(*rollup)
		over, err := s.definitions.present(ctx, first.Module)
		if errors.Is(err, errModuleNotFound) {
			continue // restoring it computes anew
		}
		if err != nil {
			return nil, err
		}
		sums := make([]*rolledUp, len(group))
		for n, i := range group {
			r, _ := d.fields[i].values.(*rollup)
			sums[n] = newRolledUp(r, over)
		}
		if err := s.goThrough(ctx, record, reference, sums); err != nil {
			return nil, err
		}
		for n, i := range group {
			values[i] = sums[n].value()
		}
	}

	return values, nil
}

// goThrough gives every record that refers to one to all rollups.
func (s *service) goThrough(ctx context.Context, record, reference uuid.UUID, sums []*rolledUp) error {
	fields := []*moduleField{}
	position := func(f *moduleField) int {
		if f == nil {
			return -1
		}
		if i := slices.Index(fields, f); i >= 0 {
			return i
		}
		fields = append(fields, f)

		return len(fields) - 1
	}
	places := make([][2]int, len(sums))
	for i, u := range sums {
		places[i] = [2]int{position(u.of), position(u.where)}
	}
	last := uuid.Nil
	for {
		rows, err := s.repo.rollable(ctx, record, reference, fields, last, rollBatch)
		if err != nil {
			return err
		}
		for _, row := range rows {
			var parts []json.RawMessage
			if err := json.Unmarshal([]byte(row.Parts), &parts); err != nil {
				return fmt.Errorf("record %s: %w", row.RecordID, err)
			}
			for i, u := range sums {
				u.take(partAt(parts, places[i][0]), partAt(parts, places[i][1]))
			}
		}
		if len(rows) < rollBatch {
			return nil
		}
		last = rows[len(rows)-1].RecordID
	}
}

func partAt(parts []json.RawMessage, at int) []byte {
	if at < 0 || at >= len(parts) {
		return nil
	}

	return parts[at]
}
