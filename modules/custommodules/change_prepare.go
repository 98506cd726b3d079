package custommodules

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// prepare makes the definition such that from its revision on all writes are right under the old definition
// and the new one.
func (s *service) prepare(ctx context.Context, in *moduleRow, row *changeRow, before fieldRow, rows []fieldRow) error {
	after, change := before, s.change(ctx)
	after.touch(change.at, change.by)
	switch row.Kind {
	case changeType:
		if err := s.usedByRollup(ctx, before); err != nil { // it names the field, and another takes its place
			return err
		}

		return s.bringIn(ctx, in, row, before, rows)
	case changeDelete:
		return s.dropField(ctx, in, before)
	case changeRequired:
		after.Required = true
	case changeUnique:
		after.IsUnique, after.Checking = true, true
	}
	if err := s.repo.updateField(ctx, after); err != nil {
		return err
	}

	return s.recordField(ctx, &before, after)
}

// bringIn adds the field that is to take the place of another one. Nobody sees it, and all writes fill it.
func (s *service) bringIn(ctx context.Context, in *moduleRow, row *changeRow, before fieldRow, rows []fieldRow) error {
	var found problems
	made, err := s.draftIncoming(ctx, *in, before, row.spec(), rows, &found)
	if err != nil {
		return err
	}
	if err := found.as(errInvalidChange, "change"); err != nil {
		return err
	}
	decided := row.decision()
	made.Key = incomingKey(made.Number)
	made.Incoming, made.Replaces, made.OnFailure, made.Required = true, &before.ID, decided.OnFailure, false
	if decided.Default != nil {
		made.Fallback = new(rawjson.Object(decided.Default))
	}
	if typ, _ := s.definitions.types.of(made); before.Slot != nil && typ.Index != "" {
		var taken []slot
		for _, other := range rows {
			if other.Slot != nil {
				taken = append(taken, *other.Slot)
			}
		}
		made.takeSlot(in, typ.Index, taken)
		made.SlotReady = false
	}
	row.IncomingID = &made.ID
	if err := s.repo.insertField(ctx, made); err != nil {
		return err
	}

	return s.repo.setUsedSlots(ctx, *in)
}

// incomingKey is the key of a field that is yet to take the place of another one. No field that people see can
// have it.
func incomingKey(number int) string { return "~" + strconv.Itoa(number) }

// undo leaves a field as it was before a change that does not come to its end. Records that were gone through
// keep the versions that they got.
func (s *service) undo(ctx context.Context, row *changeRow) error {
	in, err := s.repo.advance(ctx, row.ModuleID, s.change(ctx))
	if err != nil {
		return err
	}
	switch row.Kind {
	case changeType:
		err = s.takeOut(ctx, &in, row)
	case changeRequired, changeUnique:
		err = s.loosen(ctx, row)
	case changeDelete:
	}
	if err != nil {
		return err
	}
	rows, err := s.repo.fieldsOf(ctx, row.ModuleID)
	row.Fingerprint = fingerprint(rows)

	return err
}

// takeOut removes an incoming field.
func (s *service) takeOut(ctx context.Context, in *moduleRow, row *changeRow) error {
	incoming, err := s.repo.incomingField(ctx, *row.IncomingID)
	if err != nil {
		return err
	}
	row.IncomingID = nil

	return s.clearAway(ctx, in, incoming)
}

// loosen takes back what a field has just been made: required, or unique.
func (s *service) loosen(ctx context.Context, row *changeRow) error {
	before, err := s.repo.field(ctx, row.ModuleID, row.FieldID)
	if err != nil {
		return err
	}
	after, change := before, s.change(ctx)
	after.touch(change.at, change.by)
	if row.Kind == changeRequired {
		after.Required = false
	} else {
		after.IsUnique, after.Checking = false, false
		if err := s.releaseValues(ctx, row.FieldID); err != nil {
			return err
		}
	}
	if err := s.repo.updateField(ctx, after); err != nil {
		return err
	}

	return s.recordField(ctx, &before, after)
}

// releaseValues gives the values free that a field has kept from others, now and when those have ended who are
// writing at present.
func (s *service) releaseValues(ctx context.Context, field uuid.UUID) error {
	if err := s.repo.releaseValues(ctx, field); err != nil {
		return err
	}

	return s.jobs.Enqueue(ctx, releaseField{Field: field})
}

// releaseField is the job that gives the values of a field free that were kept while it ceased to be unique.
type releaseField struct {
	Field uuid.UUID `json:"field"`
}

// Kind implements jobs.Args.
func (releaseField) Kind() string { return "custom_modules.release_field" }

// release does such a job, unless the field is unique again.
func (s *service) release(ctx context.Context, job releaseField) error {
	if err := s.awaitWriters(ctx); err != nil {
		return fmt.Errorf("values of field %s: %w", job.Field, err)
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		unique, err := s.repo.holdsUnique(ctx, job.Field)
		if err != nil || unique {
			return err
		}

		return s.repo.releaseValues(ctx, job.Field)
	})
}
