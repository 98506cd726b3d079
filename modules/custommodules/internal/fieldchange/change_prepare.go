package fieldchange

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// prepare makes the definition such that from its revision on all writes are right under the old definition
// and the new one.
func (s *Service) prepare(ctx context.Context, in *definition.ModuleRow, row *definition.ChangeRow, before definition.FieldRow, rows []definition.FieldRow) error {
	after, change := before, s.records.Change(ctx)
	after.Touch(change.At, change.By)
	switch row.Kind {
	case definition.ChangeType:
		if err := s.modeling.UsedByRollup(ctx, before); err != nil { // it names the field, and another takes its place
			return err
		}

		return s.addIncomingField(ctx, in, row, before, rows)
	case definition.ChangeDelete:
		return s.modeling.DropField(ctx, in, before)
	case definition.ChangeRequired:
		after.Required = true
	case definition.ChangeUnique:
		after.IsUnique, after.Checking = true, true
	}
	if err := s.repo.UpdateField(ctx, after); err != nil {
		return err
	}

	return s.modeling.RecordField(ctx, &before, after)
}

// addIncomingField adds the field that is to take the place of another one. Nobody sees it, and all writes fill it.
func (s *Service) addIncomingField(ctx context.Context, in *definition.ModuleRow, row *definition.ChangeRow, before definition.FieldRow, rows []definition.FieldRow) error {
	var found definition.Problems
	made, err := s.draftIncoming(ctx, *in, before, SpecOf(*row), rows, &found)
	if err != nil {
		return err
	}
	if err := found.ErrorAs(definition.ErrInvalidChange, "change"); err != nil {
		return err
	}
	decided := DecisionOf(*row)
	made.Key = incomingKey(made.Number)
	made.Incoming, made.Replaces, made.OnFailure, made.Required = true, &before.ID, decided.OnFailure, false
	if decided.Default != nil {
		made.Fallback = new(rawjson.Object(decided.Default))
	}
	if typ, _ := s.definitions.Types.Of(made); before.Slot != nil && typ.Index != "" {
		var taken []definition.Slot
		for _, other := range rows {
			if other.Slot != nil {
				taken = append(taken, *other.Slot)
			}
		}
		made.TakeSlot(in, typ.Index, taken)
		made.SlotReady = false
	}
	row.IncomingID = &made.ID
	if err := s.repo.InsertField(ctx, made); err != nil {
		return err
	}

	return s.repo.SetUsedSlots(ctx, *in)
}

// incomingKey is the key of a field that is yet to take the place of another one. No field that people see can
// have it.
func incomingKey(number int) string { return "~" + strconv.Itoa(number) }

// undo leaves a field as it was before a change that does not come to its end. Records that were gone through
// keep the versions that they got.
func (s *Service) undo(ctx context.Context, row *definition.ChangeRow) error {
	in, err := s.repo.Advance(ctx, row.ModuleID, s.records.Change(ctx))
	if err != nil {
		return err
	}
	switch row.Kind {
	case definition.ChangeType:
		err = s.takeOut(ctx, &in, row)
	case definition.ChangeRequired, definition.ChangeUnique:
		err = s.loosen(ctx, row)
	case definition.ChangeDelete:
	}
	if err != nil {
		return err
	}
	rows, err := s.repo.FieldsOf(ctx, row.ModuleID)
	row.Fingerprint = fingerprint(rows)

	return err
}

// takeOut removes an incoming field.
func (s *Service) takeOut(ctx context.Context, in *definition.ModuleRow, row *definition.ChangeRow) error {
	incoming, err := s.repo.IncomingField(ctx, *row.IncomingID)
	if err != nil {
		return err
	}
	row.IncomingID = nil

	return s.modeling.ClearAway(ctx, in, incoming)
}

// loosen takes back what a field has just been made: required, or unique.
func (s *Service) loosen(ctx context.Context, row *definition.ChangeRow) error {
	before, err := s.repo.Field(ctx, row.ModuleID, row.FieldID)
	if err != nil {
		return err
	}
	after, change := before, s.records.Change(ctx)
	after.Touch(change.At, change.By)
	if row.Kind == definition.ChangeRequired {
		after.Required = false
	} else {
		after.IsUnique, after.Checking = false, false
		if err := s.releaseValues(ctx, row.FieldID); err != nil {
			return err
		}
	}
	if err := s.repo.UpdateField(ctx, after); err != nil {
		return err
	}

	return s.modeling.RecordField(ctx, &before, after)
}

// releaseValues gives the values free that a field has kept from others, now and when those have ended who are
// writing at present.
func (s *Service) releaseValues(ctx context.Context, field uuid.UUID) error {
	if err := s.repo.ReleaseValues(ctx, field); err != nil {
		return err
	}

	return s.Jobs.Enqueue(ctx, ReleaseField{Field: field})
}

// ReleaseField is the job that gives the values of a field free that were kept while it ceased to be unique.
type ReleaseField struct {
	Field uuid.UUID `json:"field"`
}

// Kind implements jobs.Args.
func (ReleaseField) Kind() string { return "custom_modules.release_field" }

// Release does such a job, unless the field is unique again.
func (s *Service) Release(ctx context.Context, job ReleaseField) error {
	if err := s.records.AwaitWriters(ctx); err != nil {
		return fmt.Errorf("values of field %s: %w", job.Field, err)
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		unique, err := s.repo.HoldsUnique(ctx, job.Field)
		if err != nil || unique {
			return err
		}

		return s.repo.ReleaseValues(ctx, job.Field)
	})
}
