package modeling

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// ChangeModule makes the next revision of a module: change amends the row, which is held until the
// transaction ends, or refuses. Its errors are ErrModuleNotFound, ErrModuleNameTaken, and those of the
// condition and of change.
func (s *Service) ChangeModule(
	ctx context.Context, id uuid.UUID, c records.Condition, change func(ctx context.Context, row *definition.ModuleRow) error,
) (row definition.ModuleRow, fields []definition.FieldRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.repo.Advance(ctx, id, s.records.Change(ctx)); err != nil {
			return err
		}
		if err := row.Permissions.Permit(ctx, definition.MayDefine); err != nil {
			return err
		}
		if err := c.Check(row.Revision - 1); err != nil {
			return err
		}
		before := row
		if err := change(ctx, &row); err != nil {
			return err
		}
		if err := s.repo.UpdateModule(ctx, row); err != nil {
			return err
		}
		if fields, err = s.repo.FieldsOf(ctx, id); err != nil {
			return err
		}

		return s.recordModule(ctx, before, row)
	})
	if err != nil {
		return row, nil, fmt.Errorf("module %s: %w", id, err)
	}

	return row, fields, nil
}

// ModuleChanges are what a request changes of a module; nil leaves it as it is.
type ModuleChanges struct {
	Name, Description *string
	Title             *uuid.UUID
	TitleGiven        bool
	// permissions is a merge patch, nil for none.
	Permissions []byte
}

// AmendModule changes what people see of a module. Its errors are those of ChangeModule and
// ErrInvalidDefinition.
func (s *Service) AmendModule(ctx context.Context, id uuid.UUID, c records.Condition, m ModuleChanges) (definition.ModuleRow, []definition.FieldRow, error) {
	return s.ChangeModule(ctx, id, c, func(ctx context.Context, row *definition.ModuleRow) error {
		var found definition.Problems
		if m.Name != nil {
			row.Name = naming.Normal(*m.Name)
			row.NameKey = naming.Fold(row.Name)
			if problem := naming.Check("name", row.Name, s.settings.MaxNameLength); problem != "" {
				found.Add("name", problem)
			}
		}
		if m.Description != nil {
			row.Description = strings.TrimSpace(*m.Description)
			checkDescription(row.Description, &found)
		}
		if m.TitleGiven {
			row.TitleField = m.Title
		}
		if m.Title != nil {
			fields, err := s.repo.FieldsOf(ctx, id)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(fields, func(f definition.FieldRow) bool { return f.ID == *m.Title && s.Indexable(f) }) {
				found.Add("title_field_uuid", "The title field must be a field of the module that can be indexed.")
			}
		}

		if m.Permissions != nil {
			var err error
			if row.Permissions, err = s.amendPermissions(ctx, row.Permissions, m.Permissions, &found); err != nil {
				return err
			}
		}

		return found.ErrorAs(definition.ErrInvalidDefinition, "name")
	})
}

// Indexable reports whether a field can have an index.
func (s *Service) Indexable(row definition.FieldRow) bool {
	typ, _ := s.definitions.Types.Of(row)

	return typ.Index != ""
}

func checkDescription(description string, found *definition.Problems) {
	if utf8.RuneCountInString(description) > mostHelp {
		found.Add("description", fmt.Sprintf("The description must not be longer than %d characters.", mostHelp))
	}
}

// ArchiveModule lets the records of a module neither come nor change; with false it undoes that.
func (s *Service) ArchiveModule(ctx context.Context, id uuid.UUID, c records.Condition, archived bool) (definition.ModuleRow, []definition.FieldRow, error) {
	return s.ChangeModule(ctx, id, c, func(_ context.Context, row *definition.ModuleRow) error {
		switch {
		case !archived:
			row.ArchivedAt = nil
		case row.ArchivedAt == nil:
			row.ArchivedAt = new(s.clock.Now())
		}

		return nil
	})
}

// DeleteModule deletes a module with its records, so that it can be restored. A module that fields of
// others refer to cannot be deleted: ErrModuleInUse.
func (s *Service) DeleteModule(ctx context.Context, id uuid.UUID, c records.Condition) error {
	_, _, err := s.ChangeModule(ctx, id, c, func(ctx context.Context, row *definition.ModuleRow) error {
		if err := s.repo.HoldAlone(ctx, id); err != nil {
			return err
		}
		by, err := s.repo.ReferringFields(ctx, id)
		if err != nil {
			return err
		}
		if len(by) > 0 {
			return s.moduleInUse(ctx, by)
		}
		row.DeletedAt = new(s.clock.Now())

		return nil
	})

	return err
}

// moduleInUse is ErrModuleInUse, with the fields that refer to the module as far as the caller may know of them.
func (s *Service) moduleInUse(ctx context.Context, by []definition.FieldRow) error {
	modules := make([]uuid.UUID, len(by))
	for i, row := range by {
		modules[i] = row.ModuleID
	}
	there, err := s.repo.ExistingModules(ctx, modules)
	if err != nil {
		return err
	}
	by = slices.DeleteFunc(by, func(row definition.FieldRow) bool { return !there[row.ModuleID] })
	if len(by) == 0 {
		return definition.ErrModuleInUse
	}
	ids := make([]uuid.UUID, len(by))
	for i, row := range by {
		ids[i] = row.ID
	}

	return definition.ErrModuleInUse.WithMessage("The field %s of another module refers to the module.", by[0].Key).WithDetail("fields", ids)
}

// RestoreModule brings a deleted module back with its records. Its errors are ErrModuleNotFound,
// ErrModuleNameTaken, ErrTooManyModules, and ErrInvalidDefinition where a field is of a type that is off here.
func (s *Service) RestoreModule(ctx context.Context, id uuid.UUID) (row definition.ModuleRow, fields []definition.FieldRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.roomForModule(ctx); err != nil {
			return err
		}
		before, err := s.repo.DeletedModule(ctx, id)
		if errors.Is(err, definition.ErrModuleNotFound) {
			if _, live := s.ReadableModule(ctx, id); live == nil {
				return definition.ErrModuleNotDeleted
			}
		}
		if err != nil {
			return err
		}
		if err := before.Permissions.Permit(ctx, definition.MayDefine); err != nil {
			return err
		}
		row = before
		row.DeletedAt = nil
		if err := s.repo.UpdateModule(ctx, row); err != nil {
			return err
		}
		// What was cached of it before it was deleted is of another revision.
		if row, err = s.repo.Advance(ctx, id, s.records.Change(ctx)); err != nil {
			return err
		}
		if fields, err = s.repo.FieldsOf(ctx, id); err != nil {
			return err
		}
		if err := s.rollBackAll(ctx, fields); err != nil {
			return err
		}
		if err := s.records.FitFiles(ctx, fields); err != nil {
			return err
		}
		for _, f := range fields { // a job that found no module gave up
			if err := s.index(ctx, row, f); err != nil {
				return err
			}
		}

		if err := s.resumeChanges(ctx, id); err != nil {
			return err
		}

		return s.recordModule(ctx, before, row)
	})
	if err != nil {
		return row, nil, fmt.Errorf("module %s: %w", id, err)
	}

	return row, fields, nil
}

// ReadableModule returns a module, or ErrModuleNotFound to a caller who may not read it.
func (s *Service) ReadableModule(ctx context.Context, id uuid.UUID) (definition.ModuleRow, error) {
	row, err := s.repo.Module(ctx, id)
	if err != nil {
		return row, err
	}

	return row, row.Permissions.Permit(ctx, definition.MayRead)
}

// CountModules is the number on the dashboard.
func (s *Service) CountModules(ctx context.Context) (int64, error) { return s.repo.CountModules(ctx) }

// DuplicateModule makes a module with the same fields as another, without records. Its errors are
// ErrModuleNotFound and those of CreateModule.
func (s *Service) DuplicateModule(ctx context.Context, id uuid.UUID, name string) (definition.ModuleRow, []definition.FieldRow, error) {
	row, err := s.ReadableModule(ctx, id)
	if err != nil {
		return row, nil, err
	}
	fields, err := s.repo.FieldsOf(ctx, id)
	if err != nil {
		return row, nil, err
	}
	slices.SortFunc(fields, func(a, b definition.FieldRow) int { return a.Position - b.Position })
	copied := NewModule{Name: name, Description: row.Description}
	if copied.Fields, err = s.forCopy(ctx, fields); err != nil {
		return row, nil, err
	}

	return s.CreateModule(ctx, copied)
}
