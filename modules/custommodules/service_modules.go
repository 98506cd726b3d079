package custommodules

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// newModule is a module that is to be.
type newModule struct {
	// ID is fixed where a module comes with the service; uuid.Nil asks for a new one.
	ID uuid.UUID `json:"-"`
	// Origin is the pack that the module comes from.
	Origin      packOrigin     `json:"-"`
	Name        string         `json:"name" doc:"What people call the module; unique in the company." example:"Vehicles"`
	Description string         `json:"description,omitempty" doc:"What the module is for."`
	Permissions rawjson.Object `json:"permissions,omitempty" doc:"Which roles may read, write, delete and define: a list of roles for each, without which everybody may who has the scope."`
	Fields      []newField     `json:"fields,omitempty" doc:"The fields, in their order. More can be added later."`
}

// createModule stores a module with its fields. Its errors are errInvalidDefinition, with a message
// for everything that is wrong, errTooManyModules and errModuleNameTaken.
func (s *service) createModule(ctx context.Context, n newModule) (moduleRow, []fieldRow, error) {
	change := s.change(ctx)
	module := moduleRow{
		ID: orNew(n.ID), Name: naming.Normal(n.Name), NameKey: naming.Fold(naming.Normal(n.Name)),
		Description: strings.TrimSpace(n.Description), Origin: n.Origin, Revision: 1, NextNumber: len(n.Fields) + 1,
		CreatedAt: change.at, CreatedBy: change.by, UpdatedAt: change.at, UpdatedBy: change.by,
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
		if err := s.repo.insertModule(ctx, module, fields); err != nil {
			return err
		}
		if err := s.watchTargets(ctx, module.ID, fields); err != nil {
			return err
		}

		return s.recordModule(ctx, moduleRow{}, module)
	})
	if err != nil {
		return module, nil, fmt.Errorf("module %s: %w", module.ID, err)
	}

	return module, fields, nil
}

// roomForModule returns errTooManyModules if the company may have no more.
func (s *service) roomForModule(ctx context.Context) error {
	count, err := s.repo.countModules(ctx)
	if err == nil && count >= int64(s.settings.MaxModules) {
		err = errTooManyModules.WithMessage("The company has %d modules; more are not allowed.", count).
			WithDetail("limit", s.settings.MaxModules)
	}

	return err
}

// checkModule makes the rows of a new module's fields, or says everything that is wrong with it.
func (s *service) checkModule(ctx context.Context, module *moduleRow, n newModule) ([]fieldRow, error) {
	var found problems
	var err error
	if module.Permissions, err = s.amendPermissions(ctx, nil, n.Permissions, &found); err != nil {
		return nil, err
	}
	specs := n.Fields
	if problem := naming.Check("name", module.Name, s.settings.MaxNameLength); problem != "" {
		found.add("name", problem)
	}
	checkDescription(module.Description, &found)
	if len(specs) > s.settings.MaxFields {
		found.add("fields", fmt.Sprintf("A module must not have more than %d fields.", s.settings.MaxFields))

		return nil, found.as(errInvalidDefinition, "fields")
	}
	var fields []fieldRow
	for i, spec := range specs {
		row, wrong := s.draftField(*module, spec, i+1)
		if slices.ContainsFunc(fields, row.sameKey) {
			wrong.add("key", "The key "+naming.Shorten(row.Key)+" is given to two fields.")
		}
		if problem := s.giveSearch(&row, module, spec.Searchable, true); problem != "" {
			wrong.add("searchable", problem)
		}
		if err := s.checkDefault(ctx, row, &wrong); err != nil {
			return nil, err
		}
		found.under("fields."+strconv.Itoa(i), wrong)
		fields = append(fields, row)
	}
	rolled, err := s.settleRollups(ctx, module.ID, fields, func(fieldRow) bool { return true })
	for i, wrong := range rolled {
		found.under("fields."+strconv.Itoa(i), wrong)
	}
	if err != nil {
		return nil, err
	}
	for i := range fields {
		if problem := s.giveSlot(&fields[i], module, specs[i].Indexed, fields[:i]); problem != "" {
			found.add("fields."+strconv.Itoa(i)+".indexed", problem)
		}
	}
	if err := s.checkTargets(ctx, fields, &found); err != nil {
		return nil, err
	}
	if err := s.checkFileFields(ctx, fields, typeOfField, &found); err != nil {
		return nil, err
	}
	wrong, err := s.wrongFormulas("", fields)
	if err != nil {
		return nil, err
	}
	for _, w := range wrong {
		if w.field == nil {
			found.add("fields", w.problem)

			continue
		}
		i := slices.IndexFunc(fields, func(row fieldRow) bool { return row.ID == w.field.id })
		found.add("fields."+strconv.Itoa(i)+".options.formula", "The formula "+w.problem)
	}

	return fields, found.as(errInvalidDefinition, "fields")
}

// checkTargets finds the fields that refer to a module which is not there.
func (s *service) checkTargets(ctx context.Context, fields []fieldRow, found *problems) error {
	missing, err := s.missingTargets(ctx, fields...)
	for _, i := range missing {
		found.add("fields."+strconv.Itoa(i)+".options.module_uuid", missingTarget)
	}

	return err
}

// holdTargets makes sure that the modules which fields refer to are still there, and keeps them from being
// deleted until the transaction ends.
func (s *service) holdTargets(ctx context.Context, fields []fieldRow) error {
	var found problems
	if err := s.checkTargets(ctx, fields, &found); err != nil {
		return err
	}

	return found.as(errInvalidDefinition, "fields")
}

// addField adds a field to a module. Its errors are errModuleNotFound, errInvalidDefinition,
// errTooManyFields, errNoFreeSlot and errFieldKeyTaken.
func (s *service) addField(ctx context.Context, module uuid.UUID, spec newField) (fieldRow, error) {
	var row fieldRow
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		changed, err := s.repo.advance(ctx, module, s.change(ctx))
		if err != nil {
			return err
		}
		if err := changed.Permissions.permit(ctx, mayDefine); err != nil {
			return err
		}
		if err := s.noChangeRuns(ctx, module); err != nil {
			return err
		}
		others, err := s.repo.fieldsOf(ctx, module)
		if err != nil {
			return err
		}
		if row, err = s.checkField(ctx, &changed, spec, others); err != nil {
			return err
		}
		if spec.Position > 0 && spec.Position < row.Position {
			if err := s.repo.shiftFields(ctx, module, row.Position, spec.Position); err != nil {
				return err
			}
			row.Position = spec.Position
		}
		if err := s.repo.insertField(ctx, row); err != nil {
			return err
		}

		if err := s.rollAfter(ctx, changed, fieldRow{}, &row); err != nil {
			return err
		}

		if err := s.indexUnlessRolling(ctx, changed, row); err != nil {
			return err
		}

		if err := s.recomputeAfter(ctx, changed, fieldRow{}, &row); err != nil {
			return err
		}

		return s.recordField(ctx, nil, row)
	})
	if err != nil {
		return row, fmt.Errorf("field of module %s: %w", module, err)
	}

	return row, nil
}

// checkField makes the row of a field that comes to others, or says everything that is wrong.
func (s *service) checkField(ctx context.Context, module *moduleRow, spec newField, others []fieldRow) (fieldRow, error) {
	row, found := s.draftField(*module, spec, module.NextNumber-1)
	row.Position = len(others) + 1
	if err := s.checkRollup(ctx, &row, others, &found); err != nil {
		return row, err
	}
	missing, err := s.missingTargets(ctx, row)
	if err != nil {
		return row, err
	}
	if len(missing) > 0 {
		found.add("options.module_uuid", missingTarget)
	}
	if err := s.checkFileFields(ctx, []fieldRow{row}, func(int) string { return "type" }, &found); err != nil {
		return row, err
	}
	if err := s.checkFormulas(ctx, *module, append(slices.Clone(others), row), row.ID, &found); err != nil {
		return row, err
	}
	if err := s.checkDefault(ctx, row, &found); err != nil {
		return row, err
	}
	if problem := s.giveSearch(&row, module, spec.Searchable, true); problem != "" {
		found.add("searchable", problem)
	}
	if err := found.as(errInvalidDefinition, "key"); err != nil {
		return row, err
	}
	if slices.ContainsFunc(others, row.sameKey) {
		return row, errFieldKeyTaken.WithMessage("The module has a field %s already.", row.Key)
	}
	if len(others) >= s.settings.MaxFields {
		return row, errTooManyFields.WithMessage("The module has %d fields; more are not allowed.", len(others)).
			WithDetail("limit", s.settings.MaxFields)
	}
	if problem := s.giveSlot(&row, module, spec.Indexed, others); problem != "" {
		return row, errNoFreeSlot.WithField("indexed", problem)
	}

	return row, nil
}
