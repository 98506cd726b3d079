package custommodules

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// noChangeRuns returns errChangeRunning while a change is being applied to a module's records: until then its
// fields stay as they are.
func (s *service) noChangeRuns(ctx context.Context, module uuid.UUID) error {
	running, err := s.repo.runningChange(ctx, module)
	if err != nil || len(running) == 0 {
		return err
	}

	return errChangeRunning.WithDetail("field_change_uuid", running[0].ID)
}

// checkChange says everything that is wrong with a change that is asked for.
func (s *service) checkChange(ctx context.Context, in moduleRow, before fieldRow, spec changeSpec, rows []fieldRow) error {
	if err := before.mayLoseValues(ctx); err != nil {
		return err
	}
	var found problems
	typ, known := s.definitions.types.of(before)
	values, err := s.definitions.types.values(before.Type, before.Options)
	if err != nil {
		return err
	}
	if spec.Change != changeType && (spec.Type != "" || spec.Options != nil || spec.Default != nil) {
		found.add("change", "A type, options and a default go with the change type alone.")
	}
	_, computes := values.(field.Computed)
	switch spec.Change {
	case changeType:
		if _, err := s.draftIncoming(ctx, in, before, spec, rows, &found); err != nil {
			return err
		}
	case changeRequired:
		if before.Required || computes {
			found.add("change", "The field is required already, or has values that nobody sets.")
		}
	case changeUnique:
		if before.IsUnique || computes || !known || typ.Index == "" {
			found.add("change", "The field is unique already, or of a type that cannot be.")
		}
	case changeDelete:
	default:
		found.add("change", "The change must be type, required, unique or delete.")
	}

	return found.as(errInvalidChange, "change")
}

// mayLoseValues returns errNotPermitted for a caller who may not see what would be changed or lost.
func (f fieldRow) mayLoseValues(ctx context.Context) error {
	if !f.Sensitive || seesSensitive(ctx) {
		return nil
	}

	return errNotPermitted.WithMessage("The field is sensitive: changing its values takes the scope %s.", sensitiveScope).
		WithDetail("permission", sensitiveAction)
}

// draftIncoming makes the row of the field that is to take the place of another one, and finds what is wrong.
func (s *service) draftIncoming(
	ctx context.Context, in moduleRow, before fieldRow, spec changeSpec, rows []fieldRow, found *problems,
) (row fieldRow, err error) {
	if _, known := s.definitions.types[spec.Type]; !known {
		found.add("type", naming.Unknown(string(spec.Type), " as a type", s.definitions.types.names()))

		return row, nil
	}
	how, possible := field.ConversionOf(string(before.Type), string(spec.Type))
	if !possible {
		found.add("type", "Values of the type "+string(before.Type)+" cannot become "+string(spec.Type)+". "+field.Becomes(string(before.Type)))

		return row, nil
	}
	wanted := before.spec()
	wanted.Type, wanted.Options, wanted.Default = spec.Type, spec.Options, nil
	wanted.Default = s.convertedDefault(how, before, spec, found)
	row, wrong := s.draftField(in, wanted, in.NextNumber-1)
	found.merge(wrong)
	if before.Type == spec.Type && rawjson.Same(before.Options, row.Options) {
		found.add("type", "The field has this type and these options already.")
	}
	if !found.none() {
		return row, nil
	}
	if err := s.checkDefault(ctx, row, found); err != nil {
		return row, err
	}
	row.Position = before.Position

	return row, s.checkFormulas(ctx, in, replaced(rows, before, row), row.ID, found)
}

// convertedDefault is the default of the field that is to be, nil for none.
func (s *service) convertedDefault(how field.Conversion, before fieldRow, spec changeSpec, found *problems) json.RawMessage {
	switch {
	case spec.Default != nil:
		return spec.Default
	case before.DefaultValue == nil:
		return nil
	}
	old, err := s.definitions.types.values(before.Type, before.Options)
	made, wrong := s.definitions.types.values(spec.Type, spec.Options)
	if err != nil || wrong != nil {
		return nil // said elsewhere
	}
	if word, relative := relativePreset(s.definitions.types[spec.Type].Shaped(made), made, *before.DefaultValue); relative {
		return json.RawMessage(word)
	}
	v, _, err := field.Converter{Conversion: how, Old: old, New: made}.Convert(*before.DefaultValue)
	if err != nil {
		found.add("default", "The present default "+err.Error()+" Give another one, or null for none.")

		return nil
	}

	return json.RawMessage(v.JSON)
}

// merge adds what was found about another part.
func (p *problems) merge(other problems) {
	for path, messages := range other.messages {
		p.add(path, messages[0])
	}
}

// fieldUse is something that a field is used for.
type fieldUse struct {
	Kind   string `json:"kind" enum:"formula,rollup,lookup,title,reference,unique,index,search,view"`
	Name   string `json:"name" doc:"The key of the formula, rollup or lookup."`
	Count  int64  `json:"count" doc:"The records that refer to others by the field, or the views that name it."`
	Blocks bool   `json:"blocks" doc:"Whether the change cannot be made before this is over."`
}

// usesOf finds out what a field is used for.
func (s *service) usesOf(ctx context.Context, row fieldRow, spec changeSpec, rows []fieldRow) ([]fieldUse, error) {
	uses := []fieldUse{}
	for _, other := range rows {
		if other.ID != row.ID && other.reads(row.Key) {
			uses = append(uses, fieldUse{Kind: "formula", Name: other.Key, Blocks: spec.Change == changeDelete})
		}
	}
	using, err := s.derivedUsing(ctx, row)
	if err != nil {
		return nil, err
	}
	for _, other := range using {
		uses = append(uses, fieldUse{Kind: string(other.Type), Name: other.Key, Blocks: spec.Change == changeDelete || spec.Change == changeType})
	}
	in, err := s.repo.module(ctx, row.ModuleID)
	if err != nil {
		return nil, err
	}
	if in.TitleField != nil && *in.TitleField == row.ID {
		uses = append(uses, fieldUse{Kind: "title"})
	}
	for kind, used := range map[string]bool{"unique": row.IsUnique, "index": row.Slot != nil, "search": row.Searchable} {
		if used {
			uses = append(uses, fieldUse{Kind: kind})
		}
	}
	views, err := s.others.views.CountNaming(ctx, collectionOf(row.ModuleID), row.ID)
	if err != nil {
		return nil, err
	}
	if views > 0 {
		uses = append(uses, fieldUse{Kind: "view", Count: views})
	}
	count, err := s.repo.linksBy(ctx, row.ID)
	if count > 0 {
		uses = append(uses, fieldUse{Kind: "reference", Count: count})
	}
	slices.SortFunc(uses, func(a, b fieldUse) int { return cmp.Compare(a.Kind+" "+a.Name, b.Kind+" "+b.Name) })

	return uses, err
}
