package fieldchange

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
)

// completeChange ends a change that has gone through all records, unless it has ended otherwise.
func (s *Service) completeChange(ctx context.Context, id uuid.UUID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.repo.HoldChange(ctx, id)
		if err != nil || row.State != definition.ChangeApplying {
			return err
		}

		return s.complete(ctx, &row)
	})
}

// complete ends a change: from the new revision of the module on, the field is
// what it was to become.
func (s *Service) complete(ctx context.Context, row *definition.ChangeRow) error {
	row.State = definition.ChangeApplied
	switch row.Kind {
	case definition.ChangeType:
		if err := s.takePlace(ctx, row); err != nil {
			return err
		}
	case definition.ChangeUnique:
		in, err := s.repo.Advance(ctx, row.ModuleID, s.records.Change(ctx))
		if err != nil {
			return err
		}
		field, err := s.repo.Field(ctx, in.ID, row.FieldID)
		if err != nil {
			return err
		}
		field.Checking = false
		if err := s.repo.UpdateField(ctx, field); err != nil {
			return err
		}
	case definition.ChangeRequired, definition.ChangeDelete:
	}

	if err := s.repo.SaveChange(ctx, row, s.clock.Now()); err != nil {
		return err
	}

	return s.changeOver(ctx, *row)
}

// takePlace puts an incoming field in the place of the one that it replaces.
func (s *Service) takePlace(ctx context.Context, row *definition.ChangeRow) error {
	in, err := s.repo.Advance(ctx, row.ModuleID, s.records.Change(ctx))
	if err != nil {
		return err
	}
	before, err := s.repo.Field(ctx, in.ID, row.FieldID)
	if err != nil {
		return err
	}
	after, err := s.repo.IncomingField(ctx, *row.IncomingID)
	if err != nil {
		return err
	}
	if err := s.modeling.ClearAway(ctx, &in, before); err != nil {
		return err
	}
	change := s.records.Change(ctx)
	after.Touch(change.At, change.By)
	after.Key, after.Incoming, after.Required, after.Position = before.Key, false, before.Required, before.Position
	after.SlotReady = after.Slot != nil
	if before.Searchable {
		if problem := s.modeling.GiveSearch(&after, &in, true, false); problem == "" {
			if err := s.modeling.ReindexWords(ctx, in, after.ID); err != nil {
				return err
			}
		}
	}
	if err := s.repo.UpdateField(ctx, after); err != nil {
		return err
	}
	if in.TitleField != nil && *in.TitleField == before.ID && s.modeling.Indexable(after) {
		in.TitleField = &after.ID
	} else if in.TitleField != nil && *in.TitleField == before.ID {
		in.TitleField = nil
	}
	if err := s.repo.UpdateModule(ctx, in); err != nil {
		return err
	}
	if err := s.modeling.RecomputeFrom(ctx, in, &after, after.Key); err != nil {
		return err
	}

	return s.modeling.RecordField(ctx, &before, after)
}
