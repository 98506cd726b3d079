package packaging

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// findModules looks for the modules of the pack, and those outside, among those of the company: by what the caller
// binds, by their origin, and by name. Ids are given to all that is not there.
func (p *packImport) findModules(ctx context.Context) error {
	var names []string
	var ids []uuid.UUID
	for _, m := range p.Pack.Modules {
		names = append(names, naming.Fold(p.nameOf(m)))
	}
	for _, o := range p.Pack.Outside {
		names = append(names, naming.Fold(naming.Normal(o.Name)))
	}
	for _, id := range p.Bind {
		ids = append(ids, id)
	}
	rows, err := p.service.repo.ModulesOfPack(ctx, p.Pack.Name, names, ids)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(m definition.ModuleRow) bool { return !m.Permissions.Allow(ctx, definition.MayRead) })
	ids = ids[:0]
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	fields, err := p.service.repo.FieldsOf(ctx, ids...)
	if err != nil {
		return err
	}
	for _, m := range p.Pack.Modules {
		if err := p.findModule(m, rows, fields); err != nil {
			return err
		}
	}

	return p.findOutside(rows, fields)
}

// nameOf is what a module of the pack is to be called.
func (p *packImport) nameOf(m packs.Module) string {
	if other := naming.Normal(p.Names[m.Key]); other != "" {
		return other
	}

	return naming.Normal(m.Name)
}

func (p *packImport) findModule(m packs.Module, rows []definition.ModuleRow, fields []definition.FieldRow) error {
	planned := packs.ModulePlan{Key: m.Key, Name: p.nameOf(m), Action: packs.Create, Changes: []packs.Difference{}, Kept: []packs.Difference{}, Fields: []packs.FieldPlan{}}
	row, named, err := p.matchModule(m, rows)
	if err != nil {
		return err
	}
	id := newID()
	if row != nil {
		if p.moduleKeys[row.ID] != "" {
			return definition.ErrInvalidPack.WithField("bind."+m.Key, "Two modules of the pack cannot be bound to the same module.")
		}
		present := &presentModule{row: *row, named: named}
		for _, f := range fields {
			if f.ModuleID == row.ID {
				present.fields = append(present.fields, f)
			}
		}
		if row.Origin.From(p.Pack.Name, m.Key) {
			present.base, planned.FromVersion = row.Origin.Base(), row.Origin.PackVersion
		}
		p.there[m.Key], id, planned.Action = present, row.ID, packs.Equal
	}
	planned.ModuleUUID = &id
	p.plan.Modules = append(p.plan.Modules, planned)
	p.addModule(m.Key, id)
	for _, f := range m.Fields {
		p.addField(m.Key, f.Key, definition.OrNew(p.there[m.Key].fieldFor(f.Key).ID))
	}
	if row != nil {
		p.nameOthers(m.Key, p.there[m.Key])
	}

	return nil
}

// nameOthers gives keys to fields that the pack does not have: those of an earlier version, and the company's own.
func (p *packImport) nameOthers(module string, present *presentModule) {
	if present.base != nil {
		for key, id := range present.base.Fields {
			if p.fieldIDs[module+"."+key] == uuid.Nil {
				p.addField(module, key, id)
			}
		}
	}
	for _, f := range present.fields {
		if p.fieldKeys[f.ID] == "" {
			p.fieldKeys[f.ID] = f.Key
		}
	}
}

// matchModule is the module of the company that one of the pack is, nil if there is none, and whether it is known by
// its name alone.
func (p *packImport) matchModule(m packs.Module, rows []definition.ModuleRow) (row *definition.ModuleRow, named bool, err error) {
	id, bound := p.Bind[m.Key]
	for i := range rows {
		switch r := &rows[i]; {
		case bound && r.ID == id, !bound && r.Origin.From(p.Pack.Name, m.Key):
			return r, false, nil
		case !bound && r.NameKey == naming.Fold(p.nameOf(m)) && r.Origin.PackName == nil:
			row, named = r, true
		}
	}
	if bound {
		return nil, false, definition.ErrInvalidPack.WithField("bind."+m.Key, modeling.MissingTarget)
	}

	return row, named, nil
}

// fieldFor returns the field that one of the pack is: the one that an earlier version made, whatever it is called
// by now, or the one of the key. It is the zero row if there is none.
func (m *presentModule) fieldFor(key string) definition.FieldRow {
	if m == nil {
		return definition.FieldRow{}
	}
	if m.base != nil {
		for _, f := range m.fields {
			if id, made := m.base.Fields[key]; made && f.ID == id {
				return f
			}
		}
	}
	for _, f := range m.fields {
		if f.Key == definition.NormalKey(key) {
			return f
		}
	}

	return definition.FieldRow{}
}

func (p *packImport) findOutside(rows []definition.ModuleRow, fields []definition.FieldRow) error {
	p.plan.Outside = []packs.OutsideFound{}
	for _, o := range p.Pack.Outside {
		found := packs.OutsideFound{Key: o.Key, Name: o.Name}
		id, bound := p.Bind[o.Key]
		for _, row := range rows {
			if bound && row.ID == id || !bound && row.NameKey == naming.Fold(naming.Normal(o.Name)) {
				found.ModuleUUID = new(row.ID)
			}
		}
		if bound && found.ModuleUUID == nil {
			return definition.ErrInvalidPack.WithField("bind."+o.Key, modeling.MissingTarget)
		}
		p.plan.Outside = append(p.plan.Outside, found)
		if found.ModuleUUID == nil {
			p.addModule(o.Key, newID())

			continue
		}
		p.addModule(o.Key, *found.ModuleUUID)
		for _, f := range fields {
			if f.ModuleID == *found.ModuleUUID {
				p.addField(o.Key, f.Key, f.ID)
			}
		}
	}

	return nil
}
