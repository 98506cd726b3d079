package modeling

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// mostFormulas is how many formulas a module may have.
const mostFormulas = 50

// checkComputed says what a field whose values nobody sets cannot have.
func (s *Service) checkComputed(row definition.FieldRow, spec definition.NewField, found *definition.Problems) {
	values, err := s.definitions.Types.Values(row.Type, row.Options)
	if _, computes := values.(field.Computed); err != nil || !computes {
		return
	}
	if spec.Required {
		found.Add("required", "A field of the type "+string(row.Type)+" cannot be required.")
	}
	if _, isFormula := values.(*formula.Options); isFormula && spec.Unique {
		found.Add("unique", "A formula cannot be unique, since its values change with it. Make the fields that it uses unique instead.")
	}
	if _, is := values.(definition.Derived); is && spec.Unique {
		found.Add("unique", "A "+string(row.Type)+" cannot be unique.")
	}
}

// CheckFormulas finds what is wrong with the formulas of a module whose fields are these, of which one has
// just come or changed.
func (s *Service) CheckFormulas(ctx context.Context, in definition.ModuleRow, rows []definition.FieldRow, changed uuid.UUID, found *definition.Problems) error {
	s.checkReads(ctx, in.Permissions.Item(), rows, changed, found)
	wrong, err := s.wrongFormulas(in.Permissions.Item(), rows)
	if err != nil {
		return err
	}
	if len(wrong) > 0 && wrong[0].field == nil {
		found.Add("type", wrong[0].problem)
	}
	for _, w := range wrong {
		switch {
		case w.field == nil:
		case w.field.ID == changed:
			found.Add("options.formula", "The formula "+w.problem)
		default:
			found.Add("formulas."+w.field.Key, "The formula of "+w.field.Key+" "+w.problem)
		}
	}

	return nil
}

// checkFormulasWith is CheckFormulas for a field that changes, which may close a circle over the rollups and lookups of other modules.
func (s *Service) checkFormulasWith(ctx context.Context, in definition.ModuleRow, changed definition.FieldRow, rows []definition.FieldRow, found *definition.Problems) error {
	if err := s.CheckFormulas(ctx, in, rows, changed.ID, found); err != nil || changed.FormulaText() == "" || !found.None() {
		return err
	}

	return s.findCircle(ctx, in.ID, changed, rows, "options.formula", found)
}

// wrongFormula is what is wrong with the formula of a field; without a field, with the lot of them.
type wrongFormula struct {
	field   *definition.ModuleField
	problem string
}

// wrongFormulas compiles the formulas of a module whose fields are these: of people, or of items of a type.
func (s *Service) wrongFormulas(itemType string, rows []definition.FieldRow) (found []wrongFormula, err error) {
	var fields []*definition.ModuleField
	formulas := 0
	for _, row := range rows {
		if row.Options == nil {
			continue // said already
		}
		f, err := s.definitions.Types.Compile(row)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", row.ID, err)
		}
		if _, ok := f.Values.(*formula.Options); ok {
			formulas++
			if itemType == "" && strings.Contains(strings.Join(formula.NamesIn(row.FormulaText()), " "), formula.Own) {
				found = append(found, wrongFormula{f, "uses a name with " + formula.Own + " before it: use the fields of a module only by their keys."})
			}
		}
		fields = append(fields, f)
	}
	if formulas > mostFormulas {
		found = append(found, wrongFormula{problem: fmt.Sprintf("A module must not have more than %d formulas.", mostFormulas)})
	}
	for _, f := range s.definitions.StructFields(itemType) {
		fields = append(fields, definition.MirrorField(f))
	}
	_, wrong := definition.CompileFormulas(fields)
	for _, f := range fields {
		if problem := wrong[f]; problem != nil {
			found = append(found, wrongFormula{field: f, problem: problem.Error()})
		}
	}

	return found, nil
}

// ReplaceField returns rows with the changed one in its place.
func ReplaceField(rows []definition.FieldRow, before, after definition.FieldRow) []definition.FieldRow {
	all := slices.Clone(rows)
	for i, row := range all {
		if row.ID != before.ID {
			if before.Key != after.Key && row.Reads(before.Key) {
				all[i].Options = row.WithRenamed(before.Key, after.Key)
			}

			continue
		}
		after.ID = before.ID // a draft has one of its own
		all[i] = after
	}

	return all
}

// checkShape finds changes of options that would make other values of a computed field.
func (s *Service) checkShape(before, after definition.FieldRow, found *definition.Problems) {
	old, known := s.definitions.Types.Of(before)
	if now, ok := s.definitions.Types.Of(after); !known || !ok || after.Options == nil || old.Index == now.Index && old.Filter == now.Filter {
		return
	}
	option := "result"
	switch before.Type {
	case definition.TypeName(definition.AutoNumberType.Name):
		option = "template"
	case definition.RollupName:
		option = "function"
	case definition.LookupName:
		option = "field"
	}
	found.Add("options."+option, "The values of the field cannot be converted.")
}

// renameInFormulas lets formulas follow a field to its new key.
func (s *Service) renameInFormulas(ctx context.Context, before, after definition.FieldRow, others []definition.FieldRow) error {
	if before.Key == after.Key {
		return nil
	}
	change := s.records.Change(ctx)
	for _, row := range others {
		if row.ID != after.ID && row.Reads(before.Key) {
			row.Options = row.WithRenamed(before.Key, after.Key)
			row.Touch(change.At, change.By)
			if err := s.repo.UpdateField(ctx, row); err != nil {
				return err
			}
		}
	}

	return nil
}

// usedByFormula returns ErrFieldInUse for a field that formulas use.
func usedByFormula(row definition.FieldRow, others []definition.FieldRow) error {
	for _, other := range others {
		if other.ID != row.ID && other.Reads(row.Key) {
			return definition.ErrFieldInUse.WithMessage("The formula of %s uses the field.", other.Key).WithDetail("field", other.Key)
		}
	}

	return nil
}

// recomputeAfter has the records that are there computed anew, after a formula came or changed: a job goes
// through them, and until it is done queries do not go by the index of the field. Formulas that use it
// follow in the same way.
func (s *Service) recomputeAfter(ctx context.Context, in definition.ModuleRow, before definition.FieldRow, row *definition.FieldRow) error {
	if row.FormulaText() == "" || rawjson.Equal(before.Options, row.Options) {
		return nil
	}
	return s.RecomputeFrom(ctx, in, row, row.Key)
}

// RecomputeFrom has the formula of a field computed anew, if it has one, and those that use a field of a key.
func (s *Service) RecomputeFrom(ctx context.Context, in definition.ModuleRow, row *definition.FieldRow, key string) error {
	rows, err := s.repo.FieldsOf(ctx, in.ID)
	if err != nil {
		return err
	}
	stale := map[string]bool{key: true}
	for range rows { // as often as a chain of formulas can be long
		for _, other := range rows {
			if slices.ContainsFunc(other.ReadKeys(), func(key string) bool { return stale[key] }) {
				stale[other.Key] = true
			}
		}
	}
	for _, other := range rows {
		if !stale[other.Key] || other.FormulaText() == "" {
			continue
		}
		if other.Slot != nil {
			other.SlotSince, other.SlotReady = new(in.Revision), false
			if err := s.repo.UpdateField(ctx, other); err != nil {
				return err
			}
		}
		if other.ID == row.ID {
			row.SlotSince, row.SlotReady = other.SlotSince, other.SlotReady
		}
		if err := s.Jobs.Enqueue(ctx, BuildIndex{Module: in.ID, Field: other.ID, Since: in.Revision}); err != nil {
			return err
		}
	}

	return nil
}

// recompute leaves to the end of the transaction to store what the formulas of a record come to now, unless
// it has another version by then. It makes no version of it: nobody changed the record.
func (s *Service) recompute(ctx context.Context, d *definition.Definition, row definition.RecordRow) (definition.Draft, error) {
	made := d.Recomputed(row.Data)
	if len(d.Programs) == 0 || len(d.Diff(row.Data, made.Document)) == 0 {
		return made, nil
	}

	if err := s.records.MarkChanged(ctx, d, row.ID, row.Data, made.Document); err != nil {
		return made, err
	}

	return made, s.repo.SetDocument(ctx, row, made.Document)
}
