package custommodules

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// mostFormulas is how many formulas a module may have.
const mostFormulas = 50

// checkComputed says what a field whose values nobody sets cannot have.
func (s *service) checkComputed(row fieldRow, spec newField, found *problems) {
	values, err := s.definitions.types.values(row.Type, row.Options)
	if _, computes := values.(field.Computed); err != nil || !computes {
		return
	}
	if spec.Required {
		found.add("required", "A field of the type "+string(row.Type)+" cannot be required.")
	}
	if _, isFormula := values.(*formula.Options); isFormula && spec.Unique {
		found.add("unique", "A formula cannot be unique, since its values change with it. The fields that it uses can be.")
	}
	if _, is := values.(derived); is && spec.Unique {
		found.add("unique", "A "+string(row.Type)+" cannot be unique.")
	}
}

// checkFormulas finds what is wrong with the formulas of a module whose fields are these, of which one has
// just come or changed.
func (s *service) checkFormulas(ctx context.Context, in moduleRow, rows []fieldRow, changed uuid.UUID, found *problems) error {
	s.checkReads(ctx, in.Permissions.item(), rows, changed, found)
	wrong, err := s.wrongFormulas(in.Permissions.item(), rows)
	if err != nil {
		return err
	}
	if len(wrong) > 0 && wrong[0].field == nil {
		found.add("type", wrong[0].problem)
	}
	for _, w := range wrong {
		switch {
		case w.field == nil:
		case w.field.id == changed:
			found.add("options.formula", "The formula "+w.problem)
		default:
			found.add("formulas."+w.field.key, "The formula of "+w.field.key+" "+w.problem)
		}
	}

	return nil
}

// checkFormulasWith is checkFormulas for a field that changes, which may close a circle over the rollups and lookups of other modules.
func (s *service) checkFormulasWith(ctx context.Context, in moduleRow, changed fieldRow, rows []fieldRow, found *problems) error {
	if err := s.checkFormulas(ctx, in, rows, changed.ID, found); err != nil || changed.formulaText() == "" || !found.none() {
		return err
	}

	return s.findCircle(ctx, in.ID, changed, rows, "options.formula", found)
}

// wrongFormula is what is wrong with the formula of a field; without a field, with the lot of them.
type wrongFormula struct {
	field   *moduleField
	problem string
}

// wrongFormulas compiles the formulas of a module whose fields are these: of people, or of items of a type.
func (s *service) wrongFormulas(itemType string, rows []fieldRow) (found []wrongFormula, err error) {
	var fields []*moduleField
	formulas := 0
	for _, row := range rows {
		if row.Options == nil {
			continue // said already
		}
		f, err := s.definitions.types.compile(row)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", row.ID, err)
		}
		if _, ok := f.values.(*formula.Options); ok {
			formulas++
			if itemType == "" && strings.Contains(strings.Join(formula.NamesIn(row.formulaText()), " "), formula.Own) {
				found = append(found, wrongFormula{f, "uses a name with " + formula.Own + " before it: the fields of a module go by their keys alone."})
			}
		}
		fields = append(fields, f)
	}
	if formulas > mostFormulas {
		found = append(found, wrongFormula{problem: fmt.Sprintf("A module must not have more than %d formulas.", mostFormulas)})
	}
	for _, f := range s.definitions.structFields(itemType) {
		fields = append(fields, mirror(f))
	}
	_, wrong := programs(fields)
	for _, f := range fields {
		if problem := wrong[f]; problem != nil {
			found = append(found, wrongFormula{field: f, problem: problem.Error()})
		}
	}

	return found, nil
}

// replaced returns rows with the changed one in its place.
func replaced(rows []fieldRow, before, after fieldRow) []fieldRow {
	all := slices.Clone(rows)
	for i, row := range all {
		if row.ID != before.ID {
			if before.Key != after.Key && row.reads(before.Key) {
				all[i].Options = row.withRenamed(before.Key, after.Key)
			}

			continue
		}
		after.ID = before.ID // a draft has one of its own
		all[i] = after
	}

	return all
}

// checkShape finds changes of options that would make other values of a computed field.
func (s *service) checkShape(before, after fieldRow, found *problems) {
	old, known := s.definitions.types.of(before)
	if now, ok := s.definitions.types.of(after); !known || !ok || after.Options == nil || old.Index == now.Index && old.Filter == now.Filter {
		return
	}
	option := "result"
	switch before.Type {
	case typeName(autoNumberType().Name):
		option = "template"
	case rollupName:
		option = "function"
	case lookupName:
		option = "field"
	}
	found.add("options."+option, "The values of the field cannot become something else.")
}

// formulaText is the formula of a field, "" if it is none.
func (f fieldRow) formulaText() string {
	if f.Type != typeName(formula.Type().Name) {
		return ""
	}

	return rawjson.Text(rawjson.Member(f.Options, "formula"))
}

// readKeys are the keys of the fields that a formula reads, own ones or those of a struct.
func (f fieldRow) readKeys() []string {
	keys := formula.NamesIn(f.formulaText())
	for i, name := range keys {
		keys[i] = strings.TrimPrefix(name, formula.Own)
	}

	return keys
}

// reads reports whether a formula reads the field of a key.
func (f fieldRow) reads(key string) bool { return slices.Contains(f.readKeys(), key) }

// withRenamed returns the options with another name for a field in the formula.
func (f fieldRow) withRenamed(from, to string) rawjson.Object {
	text := formula.Rename(formula.Rename(f.formulaText(), from, to), formula.Own+from, formula.Own+to)

	return rawjson.Object(merged(f.Options, append(append([]byte(`{"formula":`), rawjson.Quote(text)...), '}')))
}

// renameInFormulas lets formulas follow a field to its new key.
func (s *service) renameInFormulas(ctx context.Context, before, after fieldRow, others []fieldRow) error {
	if before.Key == after.Key {
		return nil
	}
	change := s.change(ctx)
	for _, row := range others {
		if row.ID != after.ID && row.reads(before.Key) {
			row.Options = row.withRenamed(before.Key, after.Key)
			row.touch(change.at, change.by)
			if err := s.repo.updateField(ctx, row); err != nil {
				return err
			}
		}
	}

	return nil
}

// usedByFormula returns errFieldInUse for a field that formulas use.
func usedByFormula(row fieldRow, others []fieldRow) error {
	for _, other := range others {
		if other.ID != row.ID && other.reads(row.Key) {
			return errFieldInUse.WithMessage("The formula of %s uses the field.", other.Key).WithDetail("field", other.Key)
		}
	}

	return nil
}

// recomputeAfter has the records that are there computed anew, after a formula came or changed: a job goes
// through them, and until it is done queries do not go by the index of the field. Formulas that use it
// follow in the same way.
func (s *service) recomputeAfter(ctx context.Context, in moduleRow, before fieldRow, row *fieldRow) error {
	if row.formulaText() == "" || rawjson.Same(before.Options, row.Options) {
		return nil
	}
	return s.recomputeFrom(ctx, in, row, row.Key)
}

// recomputeFrom has the formula of a field computed anew, if it has one, and those that use a field of a key.
func (s *service) recomputeFrom(ctx context.Context, in moduleRow, row *fieldRow, key string) error {
	rows, err := s.repo.fieldsOf(ctx, in.ID)
	if err != nil {
		return err
	}
	stale := map[string]bool{key: true}
	for range rows { // as often as a chain of formulas can be long
		for _, other := range rows {
			if slices.ContainsFunc(other.readKeys(), func(key string) bool { return stale[key] }) {
				stale[other.Key] = true
			}
		}
	}
	for _, other := range rows {
		if !stale[other.Key] || other.formulaText() == "" {
			continue
		}
		if other.Slot != nil {
			other.SlotSince, other.SlotReady = new(in.Revision), false
			if err := s.repo.updateField(ctx, other); err != nil {
				return err
			}
		}
		if other.ID == row.ID {
			row.SlotSince, row.SlotReady = other.SlotSince, other.SlotReady
		}
		if err := s.jobs.Enqueue(ctx, buildIndex{Module: in.ID, Field: other.ID, Since: in.Revision}); err != nil {
			return err
		}
	}

	return nil
}

// recompute leaves to the end of the transaction to store what the formulas of a record come to now, unless
// it has another version by then. It makes no version of it: nobody changed the record.
func (s *service) recompute(ctx context.Context, d *definition, row recordRow) (draft, error) {
	made := d.recomputed(row.Data)
	if len(d.programs) == 0 || len(d.diff(row.Data, made.document)) == 0 {
		return made, nil
	}

	if err := s.markChanged(ctx, d, row.ID, row.Data, made.document); err != nil {
		return made, err
	}

	return made, s.repo.setDocument(ctx, row, made.document)
}
