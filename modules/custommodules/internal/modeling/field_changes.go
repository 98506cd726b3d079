package modeling

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// FieldChanges are what a request changes of a field; nil leaves it as it is.
type FieldChanges struct {
	Key, Label, Help, Section   *string
	Searchable                  *bool
	Required, ReadOnly, Indexed *bool
	Sensitive                   *bool
	Position                    *int
	// preset and options are JSON, nil where they stay; a preset may be null.
	Preset, Options json.RawMessage
}

// ChangeField changes a field. Values that are there stay unchanged, also where the field would not
// take them any more. Its errors are ErrModuleNotFound, ErrFieldNotFound, ErrInvalidDefinition,
// ErrFieldKeyTaken, ErrNoFreeSlot, and those of the condition.
func (s *Service) ChangeField(ctx context.Context, module, id uuid.UUID, c records.Condition, changes FieldChanges) (row definition.FieldRow, err error) {
	err = s.inField(ctx, module, id, c, func(ctx context.Context, in *definition.ModuleRow, before definition.FieldRow) error {
		others, err := s.repo.FieldsOf(ctx, module)
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
			if err := s.repo.ShiftFields(ctx, module, before.Position, row.Position); err != nil {
				return err
			}
		}
		if err := s.repo.UpdateField(ctx, row); err != nil {
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
			if err := s.ReindexWords(ctx, *in, id); err != nil {
				return err
			}
		}

		if err := s.recomputeAfter(ctx, *in, before, &row); err != nil {
			return err
		}

		return s.RecordField(ctx, &before, row)
	})

	return row, err
}

// inField runs fn with a field of a module, whose revision is raised and which is held until the
// transaction ends.
func (s *Service) inField(
	ctx context.Context, module, id uuid.UUID, c records.Condition, fn func(context.Context, *definition.ModuleRow, definition.FieldRow) error,
) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
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
		row, err := s.repo.Field(ctx, module, id)
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
func (s *Service) applyChanges(ctx context.Context, in *definition.ModuleRow, row *definition.FieldRow, c FieldChanges, others []definition.FieldRow) error {
	spec := row.Spec()
	assignGiven(&spec.Key, c.Key)
	assignGiven(&spec.Label, c.Label)
	assignGiven(&spec.Help, c.Help)
	assignGiven(&spec.Section, c.Section)
	assignGiven(&spec.Required, c.Required)
	assignGiven(&spec.ReadOnly, c.ReadOnly)
	assignGiven(&spec.Searchable, c.Searchable)
	assignGiven(&spec.Sensitive, c.Sensitive)
	if c.Preset != nil {
		spec.Default = c.Preset
	}
	if c.Options != nil {
		spec.Options = rawjson.Object(definition.MergePatch(spec.Options, c.Options))
	}
	made, found := s.DraftField(*in, spec, row.Number)
	made.ID = row.ID
	if made.Sensitive != row.Sensitive && !definition.SeesSensitive(ctx) {
		found.Add("sensitive", "Changing this requires the scope "+definition.SensitiveScope+".")
	}
	if c.Position != nil && (*c.Position < 1 || *c.Position > len(others)) {
		found.Add("position", fmt.Sprintf("The position must be between 1 and %d.", len(others)))
	}
	if s.targetOf(*row) != s.targetOf(made) {
		found.Add("options.module_uuid", "The module that a field refers to cannot be changed.")
	}
	computing := ctx
	if rawjson.Equal(row.Options, made.Options) { // what it is computed of stays as somebody defined it who may read that
		computing = definition.WithDefined(ctx)
	}
	if err := s.checkRollup(computing, &made, ReplaceField(others, *row, made), &found); err != nil {
		return err
	}
	if err := s.checkRolled(ctx, *row, made, &found); err != nil {
		return err
	}
	s.checkShape(*row, made, &found)
	if found.None() {
		if err := s.checkFormulasWith(ctx, *in, made, ReplaceField(others, *row, made), &found); err != nil {
			return err
		}
	}
	if err := s.checkOffers(ctx, *row, made, &found); err != nil {
		return err
	}
	if err := s.CheckDefault(ctx, made, &found); err != nil {
		return err
	}
	if err := s.checkTexts(ctx, *row, made, &found); err != nil {
		return err
	}
	if err := found.ErrorAs(definition.ErrInvalidDefinition, "key"); err != nil {
		return err
	}
	row.Key, row.Label, row.Help, row.Section = made.Key, made.Label, made.Help, made.Section
	row.Sensitive = made.Sensitive
	row.Required, row.ReadOnly, row.Options, row.DefaultValue = made.Required, made.ReadOnly, made.Options, made.DefaultValue
	assignGiven(&row.Position, c.Position)
	change := s.records.Change(ctx)
	row.Touch(change.At, change.By)

	if problem := s.GiveSearch(row, in, spec.Searchable, false); problem != "" {
		return definition.ErrInvalidDefinition.WithField("searchable", problem)
	}

	return s.changeIndex(in, row, c.Indexed, others)
}

// changeIndex gives a field a slot or takes it away.
func (s *Service) changeIndex(in *definition.ModuleRow, row *definition.FieldRow, indexed *bool, others []definition.FieldRow) error {
	switch {
	case indexed == nil || *indexed == (row.Slot != nil):
		return nil
	case !*indexed:
		row.Slot, row.SlotSince, row.SlotReady = nil, nil, false

		return nil
	}
	if problem := s.giveSlot(row, in, true, others); problem != "" {
		return definition.ErrNoFreeSlot.WithField("indexed", problem)
	}
	row.SlotReady = false // the values that are there have to be copied

	return nil
}

// DeleteField removes a field. Its values stay in the documents of records and are not shown; the
// number of the field is never used again.
func (s *Service) DeleteField(ctx context.Context, module, id uuid.UUID, c records.Condition) error {
	return s.inField(ctx, module, id, c, func(ctx context.Context, in *definition.ModuleRow, before definition.FieldRow) error {
		if err := before.MayLoseValues(ctx); err != nil {
			return err
		}

		return s.DropField(ctx, in, before)
	})
}

// DropField is deleteField for a field of a module whose revision has been raised.
func (s *Service) DropField(ctx context.Context, in *definition.ModuleRow, before definition.FieldRow) error {
	others, err := s.repo.FieldsOf(ctx, in.ID)
	if err != nil {
		return err
	}
	if err := usedByFormula(before, others); err != nil {
		return err
	}
	if err := s.UsedByRollup(ctx, before); err != nil {
		return err
	}
	if err := s.repo.ShiftFields(ctx, in.ID, before.Position, len(others)); err != nil {
		return err
	}
	if err := s.ClearAway(ctx, in, before); err != nil {
		return err
	}
	if in.TitleField != nil && *in.TitleField == before.ID {
		in.TitleField = nil
		if err := s.repo.UpdateModule(ctx, *in); err != nil {
			return err
		}
	}
	row := before
	row.DeletedAt, row.Slot = new(s.clock.Now()), nil

	return s.RecordField(ctx, &before, row)
}

// ClearAway marks a field as deleted, and takes away what is kept of it beside the documents.
func (s *Service) ClearAway(ctx context.Context, in *definition.ModuleRow, before definition.FieldRow) error {
	row, change := before, s.records.Change(ctx)
	row.Touch(change.At, change.By)
	row.DeletedAt, row.Slot, row.SlotSince, row.SlotReady = &change.At, nil, nil, false
	if row.Searchable {
		if err := s.ReindexWords(ctx, *in, row.ID); err != nil {
			return err
		}
	}
	if err := s.repo.UpdateField(ctx, row); err != nil {
		return err
	}
	if err := s.repo.ForgetField(ctx, row.ID); err != nil {
		return err
	}
	if err := s.Jobs.Enqueue(ctx, records.ForgetField{Field: row.ID}); err != nil {
		return err
	}

	return s.unindex(ctx, before, row)
}

// targetOf returns the module that a field refers to, uuid.Nil if it refers to none.
func (s *Service) targetOf(row definition.FieldRow) uuid.UUID {
	values, err := s.definitions.Types.Values(row.Type, row.Options)
	if err != nil {
		return uuid.Nil
	}
	if refers, ok := values.(definition.Referring); ok {
		return refers.Target()
	}

	return uuid.Nil
}

// checkOffers finds options that are taken away from a field while records may have them.
func (s *Service) checkOffers(ctx context.Context, before, after definition.FieldRow, found *definition.Problems) error {
	gone := s.offersOf(before)
	for _, o := range s.offersOf(after) {
		gone = slices.DeleteFunc(gone, func(g field.Choice) bool { return g.ID == o.ID })
	}
	if len(gone) == 0 {
		return nil
	}
	some, err := s.repo.HoldsMoreThan(ctx, before.ModuleID, 0)
	if some {
		found.Add("options.options", "The option "+gone[0].ID+" cannot be removed while there are records: set its archived to true.")
	}

	return err
}

// checkTexts finds options of texts by which the values that are there would count as others.
func (s *Service) checkTexts(ctx context.Context, before, after definition.FieldRow, found *definition.Problems) error {
	was, is := s.textOf(before), s.textOf(after)
	trims, folds := is.Trim && !was.Trim, is.Fold != was.Fold && before.IsUnique
	if !trims && !folds {
		return nil
	}
	some, err := s.repo.HoldsMoreThan(ctx, before.ModuleID, 0)
	const instead = " changes the values of existing records. Plan it instead: POST …/plan with change: type and the options."
	if some && trims {
		found.Add("options.trim", "The trim"+instead)
	}
	if some && folds {
		found.Add("options.fold", "The fold of a unique field"+instead)
	}

	return err
}

// rawjson.Name returns the options of a field of text, none of another one.
func (s *Service) textOf(row definition.FieldRow) field.TextOptions {
	values, err := s.definitions.Types.Values(row.Type, row.Options)
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

func (s *Service) offersOf(row definition.FieldRow) field.Choices {
	values, err := s.definitions.Types.Values(row.Type, row.Options)
	if err != nil {
		return nil
	}
	if o, ok := values.(field.Offering); ok {
		return o.Offers()
	}

	return nil
}

// assignGiven sets what is given.
func assignGiven[T any](to *T, given *T) {
	if given != nil {
		*to = *given
	}
}
