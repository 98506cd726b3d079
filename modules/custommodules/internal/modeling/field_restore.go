package modeling

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
)

// RestoreField brings a field back that was removed, as if it were added anew, with the values that records have of it
// still. Its errors are ErrModuleNotFound, ErrNotPermitted, ErrFieldNotFound and those of addField.
func (s *Service) RestoreField(ctx context.Context, module, id uuid.UUID) (row definition.FieldRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		in, err := s.repo.Advance(ctx, module, s.records.Change(ctx))
		if err != nil {
			return err
		}
		if err := in.Permissions.Permit(ctx, definition.MayDefine); err != nil {
			return err
		}
		if err := s.NoChangeRuns(ctx, module); err != nil {
			return err
		}
		before, err := s.repo.DeletedField(ctx, module, id)
		if err != nil {
			return err
		}
		if row, err = s.fitField(ctx, &in, before); err != nil {
			return err
		}
		if err := s.repo.UpdateField(ctx, row); err != nil {
			return err
		}
		if err := s.fillAgain(ctx, in, &row); err != nil {
			return err
		}

		return s.RecordField(ctx, &before, row)
	})
	if err != nil {
		return row, fmt.Errorf("field %s: %w", id, err)
	}

	return row, nil
}

// fitField makes the row of a field that comes back to a module.
func (s *Service) fitField(ctx context.Context, in *definition.ModuleRow, before definition.FieldRow) (definition.FieldRow, error) {
	others, err := s.repo.FieldsOf(ctx, in.ID)
	if err != nil {
		return before, err
	}
	spec := before.Spec()
	spec.ID, spec.Unique, spec.Searchable, spec.Indexed = before.ID, false, false, false
	row, err := s.checkField(ctx, in, spec, others)
	if err != nil {
		return before, err
	}
	row.Number, row.Replaces, row.Version = before.Number, before.Replaces, before.Version
	row.CreatedAt, row.CreatedBy = before.CreatedAt, before.CreatedBy
	change := s.records.Change(ctx)
	row.Touch(change.At, change.By)
	if row.Slot != nil { // the values that are there have to be copied
		row.SlotSince, row.SlotReady = new(in.Revision), false
	}

	return row, nil
}

// fillAgain brings up to date what is kept of a field beside the documents, and what is computed.
func (s *Service) fillAgain(ctx context.Context, in definition.ModuleRow, row *definition.FieldRow) error {
	f, err := s.definitions.Types.Compile(*row)
	if err != nil {
		return err
	}
	if f.Refers() {
		if err := s.repo.LinkAgain(ctx, *row, f); err != nil {
			return err
		}
	}
	if err := s.rollAfter(ctx, in, definition.FieldRow{}, row); err != nil {
		return err
	}
	if err := s.indexUnlessRolling(ctx, in, *row); err != nil {
		return err
	}

	return s.recomputeAfter(ctx, in, definition.FieldRow{}, row)
}
