package custommodules

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// fieldChanges are what a request changes of a field; nil leaves it as it is.
type fieldChanges struct {
	key, label, help, section   *string
	searchable                  *bool
	required, readOnly, indexed *bool
	sensitive                   *bool
	position                    *int
	// preset and options are JSON, nil where they stay; a preset may be null.
	preset, options json.RawMessage
}

// changeField changes a field. Values that are there stay as they are, also where the field would not
// take them any more. Its errors are errModuleNotFound, errFieldNotFound, errInvalidDefinition,
// errFieldKeyTaken, errNoFreeSlot, and those of the condition.
func (s *service) changeField(ctx context.Context, module, id uuid.UUID, c condition, changes fieldChanges) (row fieldRow, err error) {
	err = s.inField(ctx, module, id, c, func(ctx context.Context, in *moduleRow, before fieldRow) error {
		others, err := s.repo.fieldsOf(ctx, module)
		if err != nil {
			return err
		}
		row = before
		if err := s.applyChanges(ctx, in, &row, changes, others); err != nil {
			return err
		}
		if err := s.renumber(ctx, before, row); err != nil {
			return err
		}
		if err := s.renameInFormulas(ctx, before, row, others); err != nil {
			return err
		}
		if row.Position != before.Position {
			if err := s.repo.shiftFields(ctx, module, before.Position, row.Position); err != nil {
				return err
			}
		}
		if err := s.repo.updateField(ctx, row); err != nil {
			return err
		}
		if err := s.rollAfter(ctx, *in, before, &row); err != nil {
			return err
		}
		if err := s.refitLookups(ctx, before, row); err != nil {
			return err
		}
		if row.Slot != nil && (before.Slot == nil || *before.Slot != *row.Slot) {
			if err := s.indexUnlessRolling(ctx, *in, row); err != nil {
				return err
			}
		}
		if err := s.unindex(ctx, before, row); err != nil {
			return err
		}

		if row.Searchable != before.Searchable {
			if err := s.reindexWords(ctx, *in, id); err != nil {
				return err
			}
		}

		if err := s.recomputeAfter(ctx, *in, before, &row); err != nil {
			return err
		}

		return s.recordField(ctx, &before, row)
	})

	return row, err
}

// inField runs fn with a field of a module, whose revision is raised and which is held until the
// transaction ends.
func (s *service) inField(
	ctx context.Context, module, id uuid.UUID, c condition, fn func(context.Context, *moduleRow, fieldRow) error,
) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
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
		row, err := s.repo.field(ctx, module, id)
		if err != nil {
			return err
		}
		if err := c.Check(row.Version); err != nil {
			return err
		}

		return fn(ctx, &in, row)
	})
	if err != nil {
		return fmt.Errorf("field %s: %w", id, err)
	}

	return nil
}

// applyChanges amends the row of a field, or says everything that is wrong with the changes.
func (s *service) applyChanges(ctx context.Context, in *moduleRow, row *fieldRow, c fieldChanges, others []fieldRow) error {
	spec := row.spec()
	set(&spec.Key, c.key)
	set(&spec.Label, c.label)
	set(&spec.Help, c.help)
	set(&spec.Section, c.section)
	set(&spec.Required, c.required)
	set(&spec.ReadOnly, c.readOnly)
	set(&spec.Searchable, c.searchable)
	set(&spec.Sensitive, c.sensitive)
	if c.preset != nil {
		spec.Default = c.preset
	}
	if c.options != nil {
		spec.Options = rawjson.Object(merged(spec.Options, c.options))
	}
	made, found := s.draftField(*in, spec, row.Number)
	made.ID = row.ID
	if made.Sensitive != row.Sensitive && !seesSensitive(ctx) {
		found.add("sensitive", "Changing this takes the scope "+sensitiveScope+".")
	}
	if c.position != nil && (*c.position < 1 || *c.position > len(others)) {
		found.add("position", fmt.Sprintf("The position must be between 1 and %d.", len(others)))
	}
	if s.targetOf(*row) != s.targetOf(made) {
		found.add("options.module_uuid", "The module that a field refers to cannot be changed.")
	}
	computing := ctx
	if rawjson.Same(row.Options, made.Options) { // what it is computed of stays as somebody defined it who may read that
		computing = withDefined(ctx)
	}
	if err := s.checkRollup(computing, &made, replaced(others, *row, made), &found); err != nil {
		return err
	}
	if err := s.checkRolled(ctx, *row, made, &found); err != nil {
		return err
	}
	s.checkShape(*row, made, &found)
	if found.none() {
		if err := s.checkFormulasWith(ctx, *in, made, replaced(others, *row, made), &found); err != nil {
			return err
		}
	}
	if err := s.checkOffers(ctx, *row, made, &found); err != nil {
		return err
	}
	if err := s.checkDefault(ctx, made, &found); err != nil {
		return err
	}
	if err := s.checkTexts(ctx, *row, made, &found); err != nil {
		return err
	}
	if err := found.as(errInvalidDefinition, "key"); err != nil {
		return err
	}
	row.Key, row.Label, row.Help, row.Section = made.Key, made.Label, made.Help, made.Section
	row.Sensitive = made.Sensitive
	row.Required, row.ReadOnly, row.Options, row.DefaultValue = made.Required, made.ReadOnly, made.Options, made.DefaultValue
	set(&row.Position, c.position)
	change := s.change(ctx)
	row.touch(change.at, change.by)

	if problem := s.giveSearch(row, in, spec.Searchable, false); problem != "" {
		return errInvalidDefinition.WithField("searchable", problem)
	}

	return s.changeIndex(in, row, c.indexed, others)
}

// changeIndex gives a field a slot or takes it away.
func (s *service) changeIndex(in *moduleRow, row *fieldRow, indexed *bool, others []fieldRow) error {
	switch {
	case indexed == nil || *indexed == (row.Slot != nil):
		return nil
	case !*indexed:
		row.Slot, row.SlotSince, row.SlotReady = nil, nil, false

		return nil
	}
	if problem := s.giveSlot(row, in, true, others); problem != "" {
		return errNoFreeSlot.WithField("indexed", problem)
	}
	row.SlotReady = false // the values that are there have to be copied

	return nil
}

// deleteField removes a field. Its values stay in the documents of records and are not shown; the
// number of the field is never used again.
func (s *service) deleteField(ctx context.Context, module, id uuid.UUID, c condition) error {
	return s.inField(ctx, module, id, c, func(ctx context.Context, in *moduleRow, before fieldRow) error {
		if err := before.mayLoseValues(ctx); err != nil {
			return err
		}

		return s.dropField(ctx, in, before)
	})
}

// dropField is deleteField for a field of a module whose revision has been raised.
func (s *service) dropField(ctx context.Context, in *moduleRow, before fieldRow) error {
	others, err := s.repo.fieldsOf(ctx, in.ID)
	if err != nil {
		return err
	}
	if err := usedByFormula(before, others); err != nil {
		return err
	}
	if err := s.usedByRollup(ctx, before); err != nil {
		return err
	}
	if err := s.repo.shiftFields(ctx, in.ID, before.Position, len(others)); err != nil {
		return err
	}
	if err := s.clearAway(ctx, in, before); err != nil {
		return err
	}
	if in.TitleField != nil && *in.TitleField == before.ID {
		in.TitleField = nil
		if err := s.repo.updateModule(ctx, *in); err != nil {
			return err
		}
	}
	row := before
	row.DeletedAt, row.Slot = new(s.clock.Now()), nil

	return s.recordField(ctx, &before, row)
}

// clearAway marks a field as deleted, and takes away what is kept of it beside the documents.
func (s *service) clearAway(ctx context.Context, in *moduleRow, before fieldRow) error {
	row, change := before, s.change(ctx)
	row.touch(change.at, change.by)
	row.DeletedAt, row.Slot, row.SlotSince, row.SlotReady = &change.at, nil, nil, false
	if row.Searchable {
		if err := s.reindexWords(ctx, *in, row.ID); err != nil {
			return err
		}
	}
	if err := s.repo.updateField(ctx, row); err != nil {
		return err
	}
	if err := s.repo.forgetField(ctx, row.ID); err != nil {
		return err
	}
	if err := s.jobs.Enqueue(ctx, forgetField{Field: row.ID}); err != nil {
		return err
	}

	return s.unindex(ctx, before, row)
}

// targetOf returns the module that a field refers to, uuid.Nil if it refers to none.
func (s *service) targetOf(row fieldRow) uuid.UUID {
	values, err := s.definitions.types.values(row.Type, row.Options)
	if err != nil {
		return uuid.Nil
	}
	if refers, ok := values.(referring); ok {
		return refers.target()
	}

	return uuid.Nil
}

// checkOffers finds options that are taken away from a field while records may have them.
func (s *service) checkOffers(ctx context.Context, before, after fieldRow, found *problems) error {
	gone := s.offersOf(before)
	for _, o := range s.offersOf(after) {
		gone = slices.DeleteFunc(gone, func(g field.Choice) bool { return g.ID == o.ID })
	}
	if len(gone) == 0 {
		return nil
	}
	some, err := s.repo.holdsMoreThan(ctx, before.ModuleID, 0)
	if some {
		found.add("options.options", "The option "+gone[0].ID+" cannot be taken away while there are records: set its archived to true.")
	}

	return err
}

// checkTexts finds options of texts by which the values that are there would count as others.
func (s *service) checkTexts(ctx context.Context, before, after fieldRow, found *problems) error {
	was, is := s.textOf(before), s.textOf(after)
	trims, folds := is.Trim && !was.Trim, is.Fold != was.Fold && before.IsUnique
	if !trims && !folds {
		return nil
	}
	some, err := s.repo.holdsMoreThan(ctx, before.ModuleID, 0)
	const instead = " changes the values of records that are there. Plan it instead: POST …/plan with change: type and the options."
	if some && trims {
		found.add("options.trim", "The trim"+instead)
	}
	if some && folds {
		found.add("options.fold", "The fold of a unique field"+instead)
	}

	return err
}

// rawjson.Name returns the options of a field of text, none of another one.
func (s *service) textOf(row fieldRow) field.TextOptions {
	values, err := s.definitions.types.values(row.Type, row.Options)
	if err != nil {
		return field.TextOptions{}
	}
	switch t := values.(type) {
	case *field.TextOptions:
		return *t
	case *field.LongTextOptions:
		return field.TextOptions{TextRules: t.TextRules}
	default:
		return field.TextOptions{}
	}
}

func (s *service) offersOf(row fieldRow) field.Choices {
	values, err := s.definitions.types.values(row.Type, row.Options)
	if err != nil {
		return nil
	}
	if o, ok := values.(field.Offering); ok {
		return o.Offers()
	}

	return nil
}

// set sets what is given.
func set[T any](to *T, given *T) {
	if given != nil {
		*to = *given
	}
}
