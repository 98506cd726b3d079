package fieldchange

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// checkChange says everything that is wrong with a change that is asked for.
func (s *Service) checkChange(ctx context.Context, in definition.ModuleRow, before definition.FieldRow, spec ChangeSpec, rows []definition.FieldRow) error {
	if err := before.MayLoseValues(ctx); err != nil {
		return err
	}
	var found definition.Problems
	typ, known := s.definitions.Types.Of(before)
	values, err := s.definitions.Types.Values(before.Type, before.Options)
	if err != nil {
		return err
	}
	if spec.Change != definition.ChangeType && (spec.Type != "" || spec.Options != nil || spec.Default != nil) {
		found.Add("change", "A type, options and a default are only for the change type.")
	}
	_, computes := values.(field.Computed)
	switch spec.Change {
	case definition.ChangeType:
		if _, err := s.draftIncoming(ctx, in, before, spec, rows, &found); err != nil {
			return err
		}
	case definition.ChangeRequired:
		if before.Required || computes {
			found.Add("change", "The field is already required, or its values cannot be set.")
		}
	case definition.ChangeUnique:
		if before.IsUnique || computes || !known || typ.Index == "" {
			found.Add("change", "The field is already unique, or its type cannot be unique.")
		}
	case definition.ChangeDelete:
	default:
		found.Add("change", "The change must be type, required, unique or delete.")
	}

	return found.ErrorAs(definition.ErrInvalidChange, "change")
}

// draftIncoming makes the row of the field that is to take the place of another one, and finds what is wrong.
func (s *Service) draftIncoming(
	ctx context.Context, in definition.ModuleRow, before definition.FieldRow, spec ChangeSpec, rows []definition.FieldRow, found *definition.Problems,
) (row definition.FieldRow, err error) {
	if _, known := s.definitions.Types[spec.Type]; !known {
		found.Add("type", naming.UnknownKey(string(spec.Type), " as a type", s.definitions.Types.Names()))

		return row, nil
	}
	how, possible := field.ConversionOf(string(before.Type), string(spec.Type))
	if !possible {
		found.Add("type", "Values of the type "+string(before.Type)+" cannot become "+string(spec.Type)+". "+field.ConvertibleTo(string(before.Type)))

		return row, nil
	}
	wanted := before.Spec()
	wanted.Type, wanted.Options, wanted.Default = spec.Type, spec.Options, nil
	wanted.Default = s.convertedDefault(how, before, spec, found)
	row, wrong := s.modeling.DraftField(in, wanted, in.NextNumber-1)
	found.Merge(wrong)
	if before.Type == spec.Type && rawjson.Equal(before.Options, row.Options) {
		found.Add("type", "The field already has this type and these options.")
	}
	if !found.None() {
		return row, nil
	}
	if err := s.modeling.CheckDefault(ctx, row, found); err != nil {
		return row, err
	}
	row.Position = before.Position

	return row, s.modeling.CheckFormulas(ctx, in, modeling.ReplaceField(rows, before, row), row.ID, found)
}

// convertedDefault is the default of the field that is to be, nil for none.
func (s *Service) convertedDefault(how field.Conversion, before definition.FieldRow, spec ChangeSpec, found *definition.Problems) json.RawMessage {
	switch {
	case spec.Default != nil:
		return spec.Default
	case before.DefaultValue == nil:
		return nil
	}
	old, err := s.definitions.Types.Values(before.Type, before.Options)
	made, wrong := s.definitions.Types.Values(spec.Type, spec.Options)
	if err != nil || wrong != nil {
		return nil // said elsewhere
	}
	if word, relative := definition.RelativePreset(s.definitions.Types[spec.Type].Shaped(made), made, *before.DefaultValue); relative {
		return json.RawMessage(word)
	}
	v, _, err := field.Converter{Conversion: how, Old: old, New: made}.Convert(*before.DefaultValue)
	if err != nil {
		found.Add("default", "The present default "+err.Error()+" Give another one, or null for none.")

		return nil
	}

	return json.RawMessage(v.JSON)
}

// FieldUse is something that a field is used for.
type FieldUse struct {
	Kind   string `json:"kind" enum:"formula,rollup,lookup,title,reference,unique,index,search,view"`
	Name   string `json:"name" doc:"The key of the formula, rollup or lookup."`
	Count  int64  `json:"count" doc:"The records that use the field as a reference, or the views that use it."`
	Blocks bool   `json:"blocks" doc:"Whether this blocks the change."`
}

// usesOf finds out what a field is used for.
func (s *Service) usesOf(ctx context.Context, row definition.FieldRow, spec ChangeSpec, rows []definition.FieldRow) ([]FieldUse, error) {
	uses := []FieldUse{}
	for _, other := range rows {
		if other.ID != row.ID && other.Reads(row.Key) {
			uses = append(uses, FieldUse{Kind: "formula", Name: other.Key, Blocks: spec.Change == definition.ChangeDelete})
		}
	}
	using, err := s.modeling.DerivedUsing(ctx, row)
	if err != nil {
		return nil, err
	}
	for _, other := range using {
		uses = append(uses, FieldUse{Kind: string(other.Type), Name: other.Key, Blocks: spec.Change == definition.ChangeDelete || spec.Change == definition.ChangeType})
	}
	in, err := s.repo.Module(ctx, row.ModuleID)
	if err != nil {
		return nil, err
	}
	if in.TitleField != nil && *in.TitleField == row.ID {
		uses = append(uses, FieldUse{Kind: "title"})
	}
	for kind, used := range map[string]bool{"unique": row.IsUnique, "index": row.Slot != nil, "search": row.Searchable} {
		if used {
			uses = append(uses, FieldUse{Kind: kind})
		}
	}
	views, err := s.others.Views.CountNaming(ctx, definition.CollectionOf(row.ModuleID), row.ID)
	if err != nil {
		return nil, err
	}
	if views > 0 {
		uses = append(uses, FieldUse{Kind: "view", Count: views})
	}
	count, err := s.repo.LinksBy(ctx, row.ID)
	if count > 0 {
		uses = append(uses, FieldUse{Kind: "reference", Count: count})
	}
	slices.SortFunc(uses, func(a, b FieldUse) int { return cmp.Compare(a.Kind+" "+a.Name, b.Kind+" "+b.Name) })

	return uses, err
}
