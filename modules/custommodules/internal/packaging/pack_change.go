package packaging

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// changeModules brings the modules that are there up to the pack.
func (p *packImport) changeModules(ctx context.Context) error {
	for _, m := range p.Pack.Modules {
		present := p.there[m.Key]
		if present == nil {
			continue
		}
		if wrong := p.forbidden(ctx, m, present); wrong != nil {
			planned := p.modulePlan(m.Key)
			planned.Action, planned.Problems = packs.Conflict, wrong

			continue
		}
		for _, f := range m.Fields {
			if err := p.changeField(ctx, m, f, present); err != nil {
				return err
			}
		}
		if present.base != nil {
			for _, f := range present.base.Module.Fields {
				if m.Field(f.Key) == nil && present.fieldFor(f.Key).ID != uuid.Nil {
					p.fieldPlan(m.Key, f.Key).Action = packs.Left
				}
			}
		}
	}

	return nil
}

// forbidden says why a module that is there must not be changed, nil if it may.
func (p *packImport) forbidden(ctx context.Context, m packs.Module, present *presentModule) map[string][]string {
	if present.row.Permissions.Permit(ctx, definition.MayDefine) != nil {
		return map[string][]string{"permissions": {"Your role may not change the module."}}
	}
	if v := present.row.Origin.PackVersion; present.base != nil && v != nil && *v > p.Pack.Version && !p.Overwrite {
		return map[string][]string{"version": {fmt.Sprintf("The module has version %d of the pack, which is newer than %d. Send overwrite to go back.", *v, p.Pack.Version)}}
	}
	if present.named && p.differs(m, present) {
		return map[string][]string{"name": {
			"A module with this name exists that is not from the pack: give the new one another name in names, or use the existing one with bind.",
		}}
	}

	return nil
}

// differs reports whether a module is not what the pack says.
func (p *packImport) differs(m packs.Module, present *presentModule) bool {
	changes, _ := p.moduleChanges(m, present)
	if len(changes) > 0 {
		return true
	}
	for _, f := range m.Fields {
		row := present.fieldFor(f.Key)
		if row.ID == uuid.Nil {
			return true
		}
		if changes, _ := p.fieldChanges(m, f, present, row); len(changes) > 0 {
			return true
		}
	}

	return false
}

// moduleChanges compares what a module says itself.
func (p *packImport) moduleChanges(m packs.Module, present *presentModule) (changes, kept []packs.Difference) {
	var base packs.Attributes
	if present.base != nil {
		before := normalModule(present.base.Module)
		base = before.Attributes()
	}
	now, says := p.module(m.Key, present.row), normalModule(m)
	if says.Name = p.nameOf(m); p.Names[m.Key] == "" && present.base == nil {
		says.Name = now.Name // what is bound keeps its name
	}

	return packs.Compare(now.Attributes(), base, says.Attributes(), p.Overwrite)
}

// normalModule is a module of a pack as it would be exported again.
func normalModule(m packs.Module) packs.Module {
	m.Name, m.Description = naming.Normal(m.Name), strings.TrimSpace(m.Description)
	permissions := map[string][]string{}
	for a, roles := range m.Permissions {
		if !slices.Contains(roles, definition.Everybody) {
			permissions[a] = slices.Compact(slices.Sorted(slices.Values(roles)))
		}
	}
	m.Permissions = permissions

	return m
}

// fieldChanges compares a field with the one that is there.
func (p *packImport) fieldChanges(m packs.Module, f packs.Field, present *presentModule, row definition.FieldRow) (changes, kept []packs.Difference) {
	var base packs.Attributes
	if present.base != nil {
		if before := present.base.Module.Field(f.Key); before != nil {
			base = p.normal(m.Key, *before).Attributes()
		}
	}
	now, says := p.field(row), p.field(p.rows[m.Key+"."+f.Key])
	if typ, _ := p.service.definitions.Types.Of(row); typ.AlwaysIndexed {
		says.Indexed = now.Indexed
		if base != nil {
			base["indexed"] = now.Attributes()["indexed"]
		}
	}

	return packs.Compare(now.Attributes(), base, says.Attributes(), p.Overwrite)
}

// normal is a field of a module of a pack as it would be exported again.
func (p *packImport) normal(in string, f packs.Field) *packs.Field {
	row, wrong := p.service.modeling.DraftField(definition.ModuleRow{}, p.spec(in, f), 1)
	if !wrong.None() {
		return &f
	}
	if f.Indexed {
		row.Slot = new(definition.Slot)
	}
	row.Searchable = f.Searchable

	return new(p.field(row))
}

func (p *packImport) changeField(ctx context.Context, m packs.Module, f packs.Field, present *presentModule) error {
	planned := p.fieldPlan(m.Key, f.Key)
	row := present.fieldFor(f.Key)
	if row.ID == uuid.Nil {
		if present.base != nil && present.base.Fields[f.Key] != uuid.Nil && !p.Overwrite {
			planned.Action = packs.Removed

			return nil
		}
		p.left = append(p.left, lateField{module: m.Key, field: f})

		return nil
	}
	planned.Changes, planned.Kept = p.fieldChanges(m, f, present, row)
	if len(planned.Changes) == 0 {
		return nil
	}
	planned.Action = packs.Modify
	changes, wrong := p.patchOf(m.Key, f, planned.Changes)
	var err error
	if wrong == nil {
		wrong, err = p.tryStep(ctx, func(ctx context.Context) error {
			_, err := p.service.modeling.ChangeField(ctx, present.row.ID, row.ID, records.Always{}, changes)

			return err
		})
	}
	if wrong != nil {
		planned.Action, planned.Problems = packs.Conflict, wrong
	}

	return err
}

// patchOf makes a change of a definition, or says which attributes cannot be changed.
func (p *packImport) patchOf(in string, f packs.Field, changes []packs.Difference) (made modeling.FieldChanges, wrong map[string][]string) {
	options := map[string]json.RawMessage{}
	spec := p.spec(in, f)
	for _, c := range changes {
		option, ofOptions := strings.CutPrefix(c.What, "options.")
		switch {
		case ofOptions:
			named := packs.ReferenceOptions(f.Type)
			if option == named.Module || namesField(named, option) || slices.Contains(named.Own, option) {
				option += packs.IDSuffix
				c.After = json.RawMessage(records.OrNull(rawjson.Member(spec.Options, option)))
			}
			options[option] = records.OrNull(c.After)
		case !applyAttribute(&made, c):
			wrong = withMessages(wrong, c.What, []string{"The " + naming.Spaced(c.What) + " of an existing field cannot be changed this way."})
		}
	}
	if len(options) > 0 {
		made.Options = packs.EncodeJSON(options)
	}

	return made, wrong
}

// applyAttribute takes an attribute of a pack, and returns false for one that cannot be changed.
func applyAttribute(c *modeling.FieldChanges, change packs.Difference) bool {
	var text string
	var yes bool
	packs.DecodeJSON(change.After, &text)
	packs.DecodeJSON(change.After, &yes)
	switch change.What {
	case "label":
		c.Label = &text
	case "help":
		c.Help = &text
	case "section":
		c.Section = &text
	case "required":
		c.Required = &yes
	case "read_only":
		c.ReadOnly = &yes
	case "sensitive":
		c.Sensitive = &yes
	case "indexed":
		c.Indexed = &yes
	case "searchable":
		c.Searchable = &yes
	case "default":
		c.Preset = records.OrNull(change.After)
	default:
		return false
	}

	return true
}

// finish sets what modules say of their fields, and notes where they come from.
func (p *packImport) finish(ctx context.Context) error {
	for _, m := range p.Pack.Modules {
		planned := p.modulePlan(m.Key)
		if planned.Action == packs.Conflict {
			continue
		}
		wrong, err := p.tryStep(ctx, func(ctx context.Context) error { return p.finishModule(ctx, m, planned) })
		if err != nil {
			return err
		}
		if wrong != nil {
			planned.Action, planned.Problems = packs.Conflict, wrong
		}
	}

	return nil
}

func (p *packImport) finishModule(ctx context.Context, m packs.Module, planned *packs.ModulePlan) error {
	present := p.there[m.Key]
	if present == nil {
		if m.TitleField == "" {
			return nil
		}
		title := p.fieldIDs[m.Key+"."+m.TitleField]
		_, _, err := p.service.modeling.AmendModule(ctx, p.moduleIDs[m.Key], records.Always{}, modeling.ModuleChanges{Title: &title, TitleGiven: true})

		return err
	}
	changes, kept := p.moduleChanges(m, present)
	planned.Changes, planned.Kept = append(planned.Changes, changes...), append(planned.Kept, kept...)
	if len(changes) > 0 {
		planned.Action = packs.Modify
		if _, _, err := p.service.modeling.AmendModule(ctx, present.row.ID, records.Always{}, p.modulePatch(m, changes)); err != nil {
			return err
		}
	}

	return p.noteOrigin(ctx, m, present, planned)
}

func (p *packImport) modulePatch(m packs.Module, changes []packs.Difference) (made modeling.ModuleChanges) {
	for _, c := range changes {
		switch c.What {
		case "name":
			made.Name = new(p.nameOf(m))
		case "description":
			made.Description = &m.Description
		case "permissions":
			made.Permissions = records.OrNull(permissionsPatch(m))
		case "title_field":
			made.TitleGiven = true
			if m.TitleField != "" {
				made.Title = new(p.fieldIDs[m.Key+"."+m.TitleField])
			}
		}
	}

	return made
}

// noteOrigin keeps what the pack said of a module. One that is the same and has the name alone in common with
// the pack stays the company's own.
func (p *packImport) noteOrigin(ctx context.Context, m packs.Module, present *presentModule, planned *packs.ModulePlan) error {
	ids := p.idsOf(m)
	for key := range ids {
		if p.fieldPlan(m.Key, key).Action == packs.Removed {
			ids[key] = present.base.Fields[key]
		}
	}
	origin, err := definition.NewOrigin(p.Pack, m, ids)
	if err != nil || present.named || origin.Same(present.row.Origin) {
		return err
	}
	if planned.Action == packs.Equal {
		planned.Action = packs.Modify
		planned.Changes = append(planned.Changes, packs.Difference{What: "pack_version", Before: numberOrNull(present.row.Origin.PackVersion), After: numberOrNull(&p.Pack.Version)})
	}
	_, _, err = p.service.modeling.ChangeModule(ctx, present.row.ID, records.Always{}, func(_ context.Context, row *definition.ModuleRow) error {
		row.Origin = origin

		return nil
	})

	return err
}

func numberOrNull(n *int) json.RawMessage {
	if n == nil {
		return json.RawMessage("null")
	}

	return fmt.Appendf(nil, "%d", *n)
}
