package custommodules

import (
	"context"

	"github.com/google/uuid"
)

// completeChange ends a change that has gone through all records, unless it has ended otherwise.
func (s *service) completeChange(ctx context.Context, id uuid.UUID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.repo.holdChange(ctx, id)
		if err != nil || row.State != changeApplying {
			return err
		}

		return s.complete(ctx, &row)
	})
}

// complete ends a change: from the new revision of the module on, the field is
// what it was to become.
func (s *service) complete(ctx context.Context, row *changeRow) error {
	row.State = changeApplied
	switch row.Kind {
	case changeType:
		if err := s.takePlace(ctx, row); err != nil {
			return err
		}
	case changeUnique:
		in, err := s.repo.advance(ctx, row.ModuleID, s.change(ctx))
		if err != nil {
			return err
		}
		field, err := s.repo.field(ctx, in.ID, row.FieldID)
		if err != nil {
			return err
		}
		field.Checking = false
		if err := s.repo.updateField(ctx, field); err != nil {
			return err
		}
	case changeRequired, changeDelete:
	}

	if err := s.repo.saveChange(ctx, row, s.clock.Now()); err != nil {
		return err
	}

	return s.changeOver(ctx, *row)
}

// takePlace puts an incoming field in the place of the one that it replaces.
func (s *service) takePlace(ctx context.Context, row *changeRow) error {
	in, err := s.repo.advance(ctx, row.ModuleID, s.change(ctx))
	if err != nil {
		return err
	}
	before, err := s.repo.field(ctx, in.ID, row.FieldID)
	if err != nil {
		return err
	}
	after, err := s.repo.incomingField(ctx, *row.IncomingID)
	if err != nil {
		return err
	}
	if err := s.clearAway(ctx, &in, before); err != nil {
		return err
	}
	change := s.change(ctx)
	after.touch(change.at, change.by)
	after.Key, after.Incoming, after.Required, after.Position = before.Key, false, before.Required, before.Position
	after.SlotReady = after.Slot != nil
	if before.Searchable {
		if problem := s.giveSearch(&after, &in, true, false); problem == "" {
			if err := s.reindexWords(ctx, in, after.ID); err != nil {
				return err
			}
		}
	}
	if err := s.repo.updateField(ctx, after); err != nil {
		return err
	}
	if in.TitleField != nil && *in.TitleField == before.ID && s.indexable(after) {
		in.TitleField = &after.ID
	} else if in.TitleField != nil && *in.TitleField == before.ID {
		in.TitleField = nil
	}
	if err := s.repo.updateModule(ctx, in); err != nil {
		return err
	}
	if err := s.recomputeFrom(ctx, in, &after, after.Key); err != nil {
		return err
	}

	return s.recordField(ctx, &before, after)
}
