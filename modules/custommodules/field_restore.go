package custommodules

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// restoreField brings a field back that was removed, as if it were added anew, with the values that records have of it
// still. Its errors are errModuleNotFound, errNotPermitted, errFieldNotFound and those of addField.
func (s *service) restoreField(ctx context.Context, module, id uuid.UUID) (row fieldRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		in, err := s.repo.advance(ctx, module, s.change(ctx))
		if err != nil {
			return err
		}
		if err := in.Permissions.permit(ctx, mayDefine); err != nil {
			return err
		}
		if err := s.noChangeRuns(ctx, module); err != nil {
			return err
		}
		before, err := s.repo.deletedField(ctx, module, id)
		if err != nil {
			return err
		}
		if row, err = s.fitField(ctx, &in, before); err != nil {
			return err
		}
		if err := s.repo.updateField(ctx, row); err != nil {
			return err
		}
		if err := s.fillAgain(ctx, in, &row); err != nil {
			return err
		}

		return s.recordField(ctx, &before, row)
	})
	if err != nil {
		return row, fmt.Errorf("field %s: %w", id, err)
	}

	return row, nil
}

// fitField makes the row of a field that comes back to a module.
func (s *service) fitField(ctx context.Context, in *moduleRow, before fieldRow) (fieldRow, error) {
	others, err := s.repo.fieldsOf(ctx, in.ID)
	if err != nil {
		return before, err
	}
	spec := before.spec()
	spec.ID, spec.Unique, spec.Searchable, spec.Indexed = before.ID, false, false, false
	row, err := s.checkField(ctx, in, spec, others)
	if err != nil {
		return before, err
	}
	row.Number, row.Replaces, row.Version = before.Number, before.Replaces, before.Version
	row.CreatedAt, row.CreatedBy = before.CreatedAt, before.CreatedBy
	change := s.change(ctx)
	row.touch(change.at, change.by)
	if row.Slot != nil { // the values that are there have to be copied
		row.SlotSince, row.SlotReady = new(in.Revision), false
	}

	return row, nil
}

// fillAgain brings up to date what is kept of a field beside the documents, and what is computed.
func (s *service) fillAgain(ctx context.Context, in moduleRow, row *fieldRow) error {
	f, err := s.definitions.types.compile(*row)
	if err != nil {
		return err
	}
	if f.refers() {
		if err := s.repo.linkAgain(ctx, *row, f); err != nil {
			return err
		}
	}
	if err := s.rollAfter(ctx, in, fieldRow{}, row); err != nil {
		return err
	}
	if err := s.indexUnlessRolling(ctx, in, *row); err != nil {
		return err
	}

	return s.recomputeAfter(ctx, in, fieldRow{}, row)
}
