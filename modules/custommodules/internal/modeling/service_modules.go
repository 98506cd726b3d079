package modeling

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// NewModule is a module that is to be.
type NewModule struct {
	// ID is fixed where a module comes with the service; uuid.Nil asks for a new one.
	ID uuid.UUID `json:"-"`
	// Origin is the pack that the module comes from.
	Origin      definition.PackOrigin `json:"-"`
	Name        string                `json:"name" doc:"Name of the module; unique in the company." example:"Vehicles"`
	Description string                `json:"description,omitempty" doc:"Purpose of the module."`
	Permissions rawjson.Object        `json:"permissions,omitempty" doc:"Roles that may read, write, delete and define, as a list each. Without a list, everyone with the scope may."`
	Fields      []definition.NewField `json:"fields,omitempty" doc:"The fields, in their order. More can be added later."`
}

// CreateModule stores a module with its fields. Its errors are ErrInvalidDefinition, with a message
// for everything that is wrong, ErrTooManyModules and ErrModuleNameTaken.
func (s *Service) CreateModule(ctx context.Context, n NewModule) (definition.ModuleRow, []definition.FieldRow, error) {
	change := s.records.Change(ctx)
	module := definition.ModuleRow{
		ID: definition.OrNew(n.ID), Name: naming.Normal(n.Name), NameKey: naming.Fold(naming.Normal(n.Name)),
		Description: strings.TrimSpace(n.Description), Origin: n.Origin, Revision: 1, NextNumber: len(n.Fields) + 1,
		CreatedAt: change.At, CreatedBy: change.By, UpdatedAt: change.At, UpdatedBy: change.By,
	}
	fields, err := s.checkModule(ctx, &module, n)
	if err != nil {
		return module, nil, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.roomForModule(ctx); err != nil {
			return err
		}
		if err := s.holdTargets(ctx, fields); err != nil {
			return err
		}
		if err := s.repo.InsertModule(ctx, module, fields); err != nil {
			return err
		}
		if err := s.watchTargets(ctx, module.ID, fields); err != nil {
			return err
		}

		return s.recordModule(ctx, definition.ModuleRow{}, module)
	})
	if err != nil {
		return module, nil, fmt.Errorf("module %s: %w", module.ID, err)
	}

	return module, fields, nil
}

// roomForModule returns ErrTooManyModules if the company may have no more.
func (s *Service) roomForModule(ctx context.Context) error {
	count, err := s.repo.CountModules(ctx)
	if err == nil && count >= int64(s.settings.MaxModules) {
		err = definition.ErrTooManyModules.WithMessage("The company has %d modules, the maximum. Delete one first.", count).
			WithDetail("limit", s.settings.MaxModules)
	}

	return err
}

// checkModule makes the rows of a new module's fields, or says everything that is wrong with it.
func (s *Service) checkModule(ctx context.Context, module *definition.ModuleRow, n NewModule) ([]definition.FieldRow, error) {
	var found definition.Problems
	var err error
	if module.Permissions, err = s.amendPermissions(ctx, nil, n.Permissions, &found); err != nil {
		return nil, err
	}
	specs := n.Fields
	if problem := naming.Check("name", module.Name, s.settings.MaxNameLength); problem != "" {
		found.Add("name", problem)
	}
	checkDescription(module.Description, &found)
	if len(specs) > s.settings.MaxFields {
		found.Add("fields", fmt.Sprintf("A module must not have more than %d fields.", s.settings.MaxFields))

		return nil, found.ErrorAs(definition.ErrInvalidDefinition, "fields")
	}
	var fields []definition.FieldRow
	for i, spec := range specs {
		row, wrong := s.DraftField(*module, spec, i+1)
		if slices.ContainsFunc(fields, row.SameKey) {
			wrong.Add("key", "The key "+naming.Shorten(row.Key)+" is given to two fields.")
		}
		if problem := s.GiveSearch(&row, module, spec.Searchable, true); problem != "" {
			wrong.Add("searchable", problem)
		}
		if err := s.CheckDefault(ctx, row, &wrong); err != nil {
			return nil, err
		}
		found.AddUnder("fields."+strconv.Itoa(i), wrong)
		fields = append(fields, row)
	}
	rolled, err := s.resolveRollups(ctx, module.ID, fields, func(definition.FieldRow) bool { return true })
	for i, wrong := range rolled {
		found.AddUnder("fields."+strconv.Itoa(i), wrong)
	}
	if err != nil {
		return nil, err
	}
	for i := range fields {
		if problem := s.giveSlot(&fields[i], module, specs[i].Indexed, fields[:i]); problem != "" {
			found.Add("fields."+strconv.Itoa(i)+".indexed", problem)
		}
	}
	if err := s.checkTargets(ctx, fields, &found); err != nil {
		return nil, err
	}
	if err := s.records.CheckFileFields(ctx, fields, records.TypeOfField, &found); err != nil {
		return nil, err
	}
	wrong, err := s.wrongFormulas("", fields)
	if err != nil {
		return nil, err
	}
	for _, w := range wrong {
		if w.field == nil {
			found.Add("fields", w.problem)

			continue
		}
		i := slices.IndexFunc(fields, func(row definition.FieldRow) bool { return row.ID == w.field.ID })
		found.Add("fields."+strconv.Itoa(i)+".options.formula", "The formula "+w.problem)
	}

	return fields, found.ErrorAs(definition.ErrInvalidDefinition, "fields")
}

// checkTargets finds the fields that refer to a module which is not there.
func (s *Service) checkTargets(ctx context.Context, fields []definition.FieldRow, found *definition.Problems) error {
	missing, err := s.missingTargets(ctx, fields...)
	for _, i := range missing {
		found.Add("fields."+strconv.Itoa(i)+".options.module_uuid", MissingTarget)
	}

	return err
}

// holdTargets makes sure that the modules which fields refer to are still there, and keeps them from being
// deleted until the transaction ends.
func (s *Service) holdTargets(ctx context.Context, fields []definition.FieldRow) error {
	var found definition.Problems
	if err := s.checkTargets(ctx, fields, &found); err != nil {
		return err
	}

	return found.ErrorAs(definition.ErrInvalidDefinition, "fields")
}

// AddField adds a field to a module. Its errors are ErrModuleNotFound, ErrInvalidDefinition,
// ErrTooManyFields, ErrNoFreeSlot and ErrFieldKeyTaken.
func (s *Service) AddField(ctx context.Context, module uuid.UUID, spec definition.NewField) (definition.FieldRow, error) {
	var row definition.FieldRow
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		changed, err := s.repo.Advance(ctx, module, s.records.Change(ctx))
		if err != nil {
			return err
		}
		if err := changed.Permissions.Permit(ctx, definition.MayDefine); err != nil {
			return err
		}
		if err := s.NoChangeRuns(ctx, module); err != nil {
			return err
		}
		others, err := s.repo.FieldsOf(ctx, module)
		if err != nil {
			return err
		}
		if row, err = s.checkField(ctx, &changed, spec, others); err != nil {
			return err
		}
		if spec.Position > 0 && spec.Position < row.Position {
			if err := s.repo.ShiftFields(ctx, module, row.Position, spec.Position); err != nil {
				return err
			}
			row.Position = spec.Position
		}
		if err := s.repo.InsertField(ctx, row); err != nil {
			return err
		}

		if err := s.rollAfter(ctx, changed, definition.FieldRow{}, &row); err != nil {
			return err
		}

		if err := s.indexUnlessRolling(ctx, changed, row); err != nil {
			return err
		}

		if err := s.recomputeAfter(ctx, changed, definition.FieldRow{}, &row); err != nil {
			return err
		}

		return s.RecordField(ctx, nil, row)
	})
	if err != nil {
		return row, fmt.Errorf("field of module %s: %w", module, err)
	}

	return row, nil
}

// checkField makes the row of a field that comes to others, or says everything that is wrong.
func (s *Service) checkField(ctx context.Context, module *definition.ModuleRow, spec definition.NewField, others []definition.FieldRow) (definition.FieldRow, error) {
	row, found := s.DraftField(*module, spec, module.NextNumber-1)
	row.Position = len(others) + 1
	if err := s.checkRollup(ctx, &row, others, &found); err != nil {
		return row, err
	}
	missing, err := s.missingTargets(ctx, row)
	if err != nil {
		return row, err
	}
	if len(missing) > 0 {
		found.Add("options.module_uuid", MissingTarget)
	}
	if err := s.records.CheckFileFields(ctx, []definition.FieldRow{row}, func(int) string { return "type" }, &found); err != nil {
		return row, err
	}
	if err := s.CheckFormulas(ctx, *module, append(slices.Clone(others), row), row.ID, &found); err != nil {
		return row, err
	}
	if err := s.CheckDefault(ctx, row, &found); err != nil {
		return row, err
	}
	if problem := s.GiveSearch(&row, module, spec.Searchable, true); problem != "" {
		found.Add("searchable", problem)
	}
	if err := found.ErrorAs(definition.ErrInvalidDefinition, "key"); err != nil {
		return row, err
	}
	if slices.ContainsFunc(others, row.SameKey) {
		return row, definition.ErrFieldKeyTaken.WithMessage("The module already has a field %s.", row.Key)
	}
	if len(others) >= s.settings.MaxFields {
		return row, definition.ErrTooManyFields.WithMessage("The module has %d fields, the maximum.", len(others)).
			WithDetail("limit", s.settings.MaxFields)
	}
	if problem := s.giveSlot(&row, module, spec.Indexed, others); problem != "" {
		return row, definition.ErrNoFreeSlot.WithField("indexed", problem)
	}

	return row, nil
}
