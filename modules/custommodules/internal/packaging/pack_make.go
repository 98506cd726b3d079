package packaging

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// lateField is a field that is made after the modules.
type lateField struct {
	module   string
	field    packs.Field
	position int
}

// makeModules makes the modules that are not there, with the fields that need nothing which is yet to be made.
func (p *packImport) makeModules(ctx context.Context) error {
	ready := map[string]bool{}
	for _, o := range p.plan.Outside {
		ready[o.Key] = o.ModuleUUID != nil
	}
	for key := range p.there {
		ready[key] = true
	}
	for _, m := range p.Pack.Modules {
		if p.there[m.Key] != nil {
			continue
		}
		early, late := p.split(m, ready)
		if err := p.makeModule(ctx, m, early); err != nil {
			return err
		}
		if p.modulePlan(m.Key).Action != packs.Conflict {
			ready[m.Key] = true
			p.left = append(p.left, late...)
		}
	}

	return nil
}

// split parts the fields of a new module into those that can be made with it and the others.
func (p *packImport) split(m packs.Module, ready map[string]bool) (early []packs.Field, late []lateField) {
	waits := map[string]bool{}
	for range m.Fields { // as often as a chain of formulas can be long
		before := len(waits)
		for _, f := range m.Fields {
			module, _ := f.Text(packs.ReferenceOptions(f.Type).Module)
			switch {
			case slices.Contains(definition.DerivedNames, f.Type), module != "" && !ready[module],
				slices.ContainsFunc(p.formulaNames(m.Key, f), func(name string) bool { return waits[name] }):
				waits[f.Key] = true
			}
		}
		if len(waits) == before {
			break
		}
	}
	for i, f := range m.Fields {
		if waits[f.Key] {
			late = append(late, lateField{module: m.Key, field: f, position: i + 1})
		} else {
			early = append(early, f)
		}
	}

	return early, late
}

// formulaNames are the keys that the formula of a field uses.
func (p *packImport) formulaNames(module string, f packs.Field) []string {
	return formula.NamesIn(p.rows[module+"."+f.Key].FormulaText())
}

func (p *packImport) makeModule(ctx context.Context, m packs.Module, early []packs.Field) error {
	origin, err := definition.NewOrigin(p.Pack, m, p.idsOf(m))
	if err != nil {
		return err
	}
	spec := modeling.NewModule{
		ID: p.moduleIDs[m.Key], Origin: origin, Name: p.nameOf(m), Description: m.Description, Permissions: permissionsPatch(m),
	}
	for _, f := range early {
		field := p.spec(m.Key, f)
		field.ID = p.fieldIDs[m.Key+"."+f.Key]
		spec.Fields = append(spec.Fields, field)
	}
	wrong, err := p.tryStep(ctx, func(ctx context.Context) error {
		_, _, err := p.service.modeling.CreateModule(ctx, spec)

		return err
	})
	if err != nil {
		return err
	}
	planned := p.modulePlan(m.Key)
	for _, f := range m.Fields {
		planned.Fields = append(planned.Fields, packs.FieldPlan{Key: f.Key, Action: packs.Create})
	}
	p.addProblems(m.Key, early, wrong)

	return nil
}

// addProblems notes what is wrong with a new module, and with its fields, which the messages number.
func (p *packImport) addProblems(module string, fields []packs.Field, wrong map[string][]string) {
	planned := p.modulePlan(module)
	for path, messages := range wrong {
		planned.Action = packs.Conflict
		rest, of := strings.CutPrefix(path, "fields.")
		number, about, _ := strings.Cut(rest, ".")
		if i, err := strconv.Atoi(number); of && err == nil && i < len(fields) {
			f := p.fieldPlan(module, fields[i].Key)
			f.Action = packs.Conflict
			f.Problems = withMessages(f.Problems, about, messages)

			continue
		}
		if path == "definition" {
			path = "name"
		}
		planned.Problems = withMessages(planned.Problems, path, messages)
	}
}

func withMessages(all map[string][]string, about string, messages []string) map[string][]string {
	made := maps.Clone(all)
	if made == nil {
		made = map[string][]string{}
	}
	made[about] = messages

	return made
}

// idsOf are the ids of the fields of a module of the pack, by key.
func (p *packImport) idsOf(m packs.Module) map[string]uuid.UUID {
	ids := map[string]uuid.UUID{}
	for _, f := range m.Fields {
		ids[f.Key] = p.fieldIDs[m.Key+"."+f.Key]
	}

	return ids
}

// permissionsPatch gives every action the roles that the pack says, or none to all.
func permissionsPatch(m packs.Module) []byte {
	if len(m.Permissions) == 0 {
		return nil
	}
	patch := map[string]any{}
	for _, a := range definition.Actions {
		patch[string(a)] = nil
	}
	for a, roles := range m.Permissions {
		patch[a] = roles
	}

	return packs.EncodeJSON(patch)
}

// makeFields makes the fields that were left, each after those that it needs.
func (p *packImport) makeFields(ctx context.Context) error {
	waiting := map[string]bool{}
	for _, l := range p.left {
		waiting[l.module+"."+l.field.Key] = true
	}
	for len(p.left) > 0 {
		i := max(0, slices.IndexFunc(p.left, func(l lateField) bool {
			return !slices.ContainsFunc(p.needs(l), func(need string) bool { return waiting[need] })
		}))
		l := p.left[i]
		p.left = slices.Delete(p.left, i, i+1)
		delete(waiting, l.module+"."+l.field.Key)
		if err := p.makeField(ctx, l); err != nil {
			return err
		}
	}

	return nil
}

// needs are the fields that a field is made of, as "module.field".
func (p *packImport) needs(l lateField) []string {
	var needs []string
	for _, name := range p.formulaNames(l.module, l.field) {
		needs = append(needs, l.module+"."+name)
	}
	named := packs.ReferenceOptions(l.field.Type)
	module, _ := l.field.Text(named.Module)
	for _, option := range named.Fields {
		if key, given := l.field.Text(option); given {
			needs = append(needs, module+"."+key)
		}
	}
	for _, option := range named.Own {
		if key, given := l.field.Text(option); given {
			needs = append(needs, l.module+"."+key)
		}
	}

	return needs
}

func (p *packImport) makeField(ctx context.Context, l lateField) error {
	planned := p.fieldPlan(l.module, l.field.Key)
	planned.Action = packs.Create
	if module, _ := l.field.Text(packs.ReferenceOptions(l.field.Type).Module); module != "" && p.isMissing(module) {
		planned.Action = packs.Conflict // said of the module

		return nil
	}
	spec := p.spec(l.module, l.field)
	spec.ID, spec.Position = p.fieldIDs[l.module+"."+l.field.Key], l.position
	wrong, err := p.tryStep(ctx, func(ctx context.Context) error {
		_, err := p.service.modeling.AddField(ctx, p.moduleIDs[l.module], spec)

		return err
	})
	if wrong != nil {
		planned.Action, planned.Problems = packs.Conflict, wrong
	}

	return err
}

// isMissing reports whether a module outside of the pack was not found.
func (p *packImport) isMissing(key string) bool {
	return slices.ContainsFunc(p.plan.Outside, func(o packs.OutsideFound) bool { return o.Key == key && o.ModuleUUID == nil })
}
