package rollups

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
)

// errRolledMeanwhile has a record computed again whose rollups another job computed, or whose values changed, meanwhile.
var errRolledMeanwhile = errors.New("the record has just been computed")

// RollUpMarked does the job RollUp. A record that fails does not keep the others waiting.
func (s *Service) RollUpMarked(ctx context.Context, _ records.RollUp) error {
	var failed error
	until := s.clock.Now().Add(records.RollTime)
	last := uuid.Nil
	for {
		rows, err := s.repo.Marks(ctx, last, records.MarksBatch)
		if err != nil || len(rows) == 0 {
			return errors.Join(failed, err)
		}
		for _, m := range ByRecord(rows) {
			if err := s.RollUpRecord(ctx, m); err != nil {
				failed = errors.Join(failed, fmt.Errorf("rollups of record %s: %w", m.Record, err))
			}
			if ctx.Err() != nil {
				return errors.Join(failed, ctx.Err())
			}
		}
		last = rows[len(rows)-1].ID
		if s.clock.Now().After(until) {
			err := s.db.InTx(ctx, func(ctx context.Context) error { return s.Jobs.Enqueue(ctx, records.RollUp{}) })

			return errors.Join(failed, err)
		}
	}
}

// ByRecord puts the marks of each record together.
func ByRecord(rows []store.MarkRow) []records.StaleRecord {
	var all []records.StaleRecord
	at := map[uuid.UUID]int{}
	for _, row := range rows {
		i, known := at[row.RecordID]
		if !known {
			i = len(all)
			at[row.RecordID] = i
			all = append(all, records.StaleRecord{Record: row.RecordID})
		}
		all[i].Marks = append(all[i].Marks, row.ID)
		if !slices.Contains(all[i].References, row.ReferenceID) {
			all[i].References = append(all[i].References, row.ReferenceID)
		}
	}

	return all
}

// RollUpRecord computes rollups and lookups of a record anew and takes their marks away.
func (s *Service) RollUpRecord(ctx context.Context, m records.StaleRecord) error {
	err := errRolledMeanwhile
	for i := 0; i < 2*store.Attempts && (errors.Is(err, errRolledMeanwhile) || errors.Is(err, store.ErrMovedOn)); i++ {
		if i < store.Attempts {
			err = s.tryRollUp(ctx, &m)
		} else { // others are at it, again and again
			err = s.db.InTx(ctx, func(ctx context.Context) error {
				if _, err := s.repo.LockRecord(ctx, m.Record, false); err != nil {
					return err
				}

				return s.tryRollUp(ctx, &m)
			})
		}
	}
	if errors.Is(err, definition.ErrRecordNotFound) || errors.Is(err, definition.ErrModuleNotFound) {
		return s.db.InTx(ctx, func(ctx context.Context) error { return s.repo.RemoveMarks(ctx, m.Marks) }) // what comes back is marked then
	}

	return err
}

// tryRollUp reads the record first, then those that refer to it, and stores what comes of them if nobody else has
// done so meanwhile. What changes after the marks were read has left marks of its own.
func (s *Service) tryRollUp(ctx context.Context, m *records.StaleRecord) error {
	row, err := s.repo.Record(ctx, m.Record)
	if err != nil {
		return err
	}
	d, err := s.definitions.Current(ctx, row.ModuleID)
	if err != nil {
		return err
	}
	if err := s.records.Spread(ctx, d, m); err != nil {
		return err
	}
	values, names, err := s.derivedValues(ctx, d, row, m.References)
	if err != nil {
		return err
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		held, err := s.repo.LockRecord(ctx, m.Record, false)
		switch {
		case err != nil:
			return err
		case held.Rolled != row.Rolled, names && held.Version != row.Version:
			return errRolledMeanwhile
		case held.Revision != d.Revision:
			return store.ErrMovedOn
		}
		if err := s.storeRolled(ctx, d, held, values); err != nil {
			return err
		}

		return s.repo.RemoveMarks(ctx, m.Marks)
	})
}

// storeRolled writes the rollups and lookups of a record that is held, and the formulas that use them. It makes no version of
// it: nobody changed the record.
func (s *Service) storeRolled(ctx context.Context, d *definition.Definition, row definition.RecordRow, values map[int]field.Value) error {
	made := d.WithValues(definition.Draft{Document: row.Data}, values)
	if err := s.records.MarkChanged(ctx, d, row.ID, row.Data, made.Document); err != nil {
		return err
	}
	if len(d.Diff(row.Data, made.Document)) > 0 {
		if err := s.modeling.Fill(ctx, d, row, made); err != nil {
			return err
		}
	}

	return s.repo.SetRolled(ctx, row, made.Document, s.clock.Now())
}

// derivedValues computes the rollups and lookups of a record by some references, and reports whether there are lookups: these go
// by what the record names.
func (s *Service) derivedValues(ctx context.Context, d *definition.Definition, row definition.RecordRow, references []uuid.UUID) (map[int]field.Value, bool, error) {
	if len(references) == 0 {
		return nil, false, nil
	}
	values, err := s.RolledValues(ctx, d, row.ID, d.Rollups(references...))
	if err != nil {
		return nil, false, err
	}
	at := d.LookupsBy(references...)
	found, err := s.records.LookUp(ctx, d, row.Data, at, nil, false)
	maps.Copy(values, found)

	return values, len(at) > 0, err
}

// RolledValues computes rollups of a record, each reference once.
func (s *Service) RolledValues(ctx context.Context, d *definition.Definition, record uuid.UUID, at []int) (map[int]field.Value, error) {
	values := map[int]field.Value{}
	byReference := map[uuid.UUID][]int{}
	for _, i := range at {
		r, _ := d.Fields[i].Values.(*definition.Rollup)
		byReference[r.Reference] = append(byReference[r.Reference], i)
	}
	for reference, group := range byReference {
		first, _ := d.Fields[group[0]].Values.(*definition.Rollup)
		over, err := s.definitions.Current(ctx, first.Module)
		if errors.Is(err, definition.ErrModuleNotFound) {
			continue // restoring it computes anew
		}
		if err != nil {
			return nil, err
		}
		sums := make([]*definition.RolledUp, len(group))
		for n, i := range group {
			r, _ := d.Fields[i].Values.(*definition.Rollup)
			sums[n] = definition.NewRolledUp(r, over)
		}
		if err := s.goThrough(ctx, record, reference, sums); err != nil {
			return nil, err
		}
		for n, i := range group {
			values[i] = sums[n].Value()
		}
	}

	return values, nil
}

// goThrough gives every record that refers to one to all rollups.
func (s *Service) goThrough(ctx context.Context, record, reference uuid.UUID, sums []*definition.RolledUp) error {
	fields := []*definition.ModuleField{}
	position := func(f *definition.ModuleField) int {
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
		places[i] = [2]int{position(u.Of), position(u.Where)}
	}
	last := uuid.Nil
	for {
		rows, err := s.repo.Rollable(ctx, record, reference, fields, last, records.RollBatch)
		if err != nil {
			return err
		}
		for _, row := range rows {
			var parts []json.RawMessage
			if err := json.Unmarshal([]byte(row.Parts), &parts); err != nil {
				return fmt.Errorf("record %s: %w", row.RecordID, err)
			}
			for i, u := range sums {
				u.AddRecord(partAt(parts, places[i][0]), partAt(parts, places[i][1]))
			}
		}
		if len(rows) < records.RollBatch {
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
