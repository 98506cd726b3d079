package custommodules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/naming"
)

// changeModule makes the next revision of a module: change amends the row, which is held until the
// transaction ends, or refuses. Its errors are errModuleNotFound, errModuleNameTaken, and those of the
// condition and of change.
func (s *service) changeModule(
	ctx context.Context, id uuid.UUID, c condition, change func(ctx context.Context, row *moduleRow) error,
) (row moduleRow, fields []fieldRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.repo.advance(ctx, id, s.change(ctx)); err != nil {
			return err
		}
		if err := row.Permissions.permit(ctx, mayDefine); err != nil {
			return err
		}
		if err := c.Check(row.Revision - 1); err != nil {
			return err
		}
		before := row
		if err := change(ctx, &row); err != nil {
			return err
		}
		if err := s.repo.updateModule(ctx, row); err != nil {
			return err
		}
		if fields, err = s.repo.fieldsOf(ctx, id); err != nil {
			return err
		}

		return s.recordModule(ctx, before, row)
	})
	if err != nil {
		return row, nil, fmt.Errorf("module %s: %w", id, err)
	}

	return row, fields, nil
}

// moduleChanges are what a request changes of a module; nil leaves it as it is.
type moduleChanges struct {
	name, description *string
	title             *uuid.UUID
	titleGiven        bool
	// permissions is a merge patch, nil for none.
	permissions []byte
}

// amendModule changes what people see of a module. Its errors are those of changeModule and
// errInvalidDefinition.
func (s *service) amendModule(ctx context.Context, id uuid.UUID, c condition, m moduleChanges) (moduleRow, []fieldRow, error) {
	return s.changeModule(ctx, id, c, func(ctx context.Context, row *moduleRow) error {
		var found problems
		if m.name != nil {
			row.Name = naming.Normal(*m.name)
			row.NameKey = naming.Fold(row.Name)
			if problem := naming.Check("name", row.Name, s.settings.MaxNameLength); problem != "" {
				found.add("name", problem)
			}
		}
		if m.description != nil {
			row.Description = strings.TrimSpace(*m.description)
			checkDescription(row.Description, &found)
		}
		if m.titleGiven {
			row.TitleField = m.title
		}
		if m.title != nil {
			fields, err := s.repo.fieldsOf(ctx, id)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(fields, func(f fieldRow) bool { return f.ID == *m.title && s.indexable(f) }) {
				found.add("title_field_uuid", "The title field must be a field of the module that can be indexed.")
			}
		}

		if m.permissions != nil {
			var err error
			if row.Permissions, err = s.amendPermissions(ctx, row.Permissions, m.permissions, &found); err != nil {
				return err
			}
		}

		return found.as(errInvalidDefinition, "name")
	})
}

// indexable reports whether a field can have an index.
func (s *service) indexable(row fieldRow) bool {
	typ, _ := s.definitions.types.of(row)

	return typ.Index != ""
}

func checkDescription(description string, found *problems) {
	if utf8.RuneCountInString(description) > mostHelp {
		found.add("description", fmt.Sprintf("The description must not be longer than %d characters.", mostHelp))
	}
}

// archiveModule lets the records of a module neither come nor change; with false it undoes that.
func (s *service) archiveModule(ctx context.Context, id uuid.UUID, c condition, archived bool) (moduleRow, []fieldRow, error) {
	return s.changeModule(ctx, id, c, func(_ context.Context, row *moduleRow) error {
		switch {
		case !archived:
			row.ArchivedAt = nil
		case row.ArchivedAt == nil:
			row.ArchivedAt = new(s.clock.Now())
		}

		return nil
	})
}

// deleteModule deletes a module with its records, so that it can be restored. A module that fields of
// others refer to cannot be deleted: errModuleInUse.
func (s *service) deleteModule(ctx context.Context, id uuid.UUID, c condition) error {
	_, _, err := s.changeModule(ctx, id, c, func(ctx context.Context, row *moduleRow) error {
		if err := s.repo.holdAlone(ctx, id); err != nil {
			return err
		}
		by, err := s.repo.referringFields(ctx, id)
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

// moduleInUse is errModuleInUse, with the fields that refer to the module as far as the caller may know of them.
func (s *service) moduleInUse(ctx context.Context, by []fieldRow) error {
	modules := make([]uuid.UUID, len(by))
	for i, row := range by {
		modules[i] = row.ModuleID
	}
	there, err := s.repo.existingModules(ctx, modules)
	if err != nil {
		return err
	}
	by = slices.DeleteFunc(by, func(row fieldRow) bool { return !there[row.ModuleID] })
	if len(by) == 0 {
		return errModuleInUse
	}
	ids := make([]uuid.UUID, len(by))
	for i, row := range by {
		ids[i] = row.ID
	}

	return errModuleInUse.WithMessage("The field %s of another module refers to the module.", by[0].Key).WithDetail("fields", ids)
}

// restoreModule brings a deleted module back with its records. Its errors are errModuleNotFound,
// errModuleNameTaken, errTooManyModules, and errInvalidDefinition where a field is of a type that is off here.
func (s *service) restoreModule(ctx context.Context, id uuid.UUID) (row moduleRow, fields []fieldRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.roomForModule(ctx); err != nil {
			return err
		}
		before, err := s.repo.deletedModule(ctx, id)
		if errors.Is(err, errModuleNotFound) {
			if _, live := s.readableModule(ctx, id); live == nil {
				return errModuleNotDeleted
			}
		}
		if err != nil {
			return err
		}
		if err := before.Permissions.permit(ctx, mayDefine); err != nil {
			return err
		}
		row = before
		row.DeletedAt = nil
		if err := s.repo.updateModule(ctx, row); err != nil {
			return err
		}
		// What was cached of it before it was deleted is of another revision.
		if row, err = s.repo.advance(ctx, id, s.change(ctx)); err != nil {
			return err
		}
		if fields, err = s.repo.fieldsOf(ctx, id); err != nil {
			return err
		}
		if err := s.rollBackAll(ctx, fields); err != nil {
			return err
		}
		if err := s.fitFiles(ctx, fields); err != nil {
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

// readableModule returns a module, or errModuleNotFound to a caller who may not read it.
func (s *service) readableModule(ctx context.Context, id uuid.UUID) (moduleRow, error) {
	row, err := s.repo.module(ctx, id)
	if err != nil {
		return row, err
	}

	return row, row.Permissions.permit(ctx, mayRead)
}

// countModules is the number on the dashboard.
func (s *service) countModules(ctx context.Context) (int64, error) { return s.repo.countModules(ctx) }

// duplicateModule makes a module with the same fields as another, without records. Its errors are
// errModuleNotFound and those of createModule.
func (s *service) duplicateModule(ctx context.Context, id uuid.UUID, name string) (moduleRow, []fieldRow, error) {
	row, err := s.readableModule(ctx, id)
	if err != nil {
		return row, nil, err
	}
	fields, err := s.repo.fieldsOf(ctx, id)
	if err != nil {
		return row, nil, err
	}
	slices.SortFunc(fields, func(a, b fieldRow) int { return a.Position - b.Position })
	copied := newModule{Name: name, Description: row.Description}
	if copied.Fields, err = s.forCopy(ctx, fields); err != nil {
		return row, nil, err
	}

	return s.createModule(ctx, copied)
}

// spec is a field as it would be asked for.
func (f fieldRow) spec() newField {
	n := newField{
		Key: f.Key, Label: f.Label, Type: f.Type, Help: f.Help, Section: f.Section, Required: f.Required,
		Unique: f.IsUnique, ReadOnly: f.ReadOnly, Searchable: f.Searchable, Sensitive: f.Sensitive, Indexed: f.Slot != nil, Options: f.Options,
	}
	if f.DefaultValue != nil {
		n.Default = []byte(*f.DefaultValue)
	}

	return n
}

// touch marks a row of a field as changed.
func (f *fieldRow) touch(at time.Time, by *uuid.UUID) {
	f.Version, f.UpdatedAt, f.UpdatedBy = f.Version+1, at, by
}
