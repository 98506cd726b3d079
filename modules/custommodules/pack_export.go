package custommodules

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// exportPack makes a pack of modules, in the order in which they are named. The head says what the pack is to
// be called; without a name it is called after the first module. Its errors are errModuleNotFound and
// errInvalidPack.
func (s *service) exportPack(ctx context.Context, head packs.Pack, ids []uuid.UUID) (packs.Pack, error) {
	made := head
	made.Format, made.Version = packs.Format, max(head.Version, 1)
	var rows []moduleRow
	for _, id := range ids {
		row, err := s.readableModule(ctx, id)
		if err != nil {
			return made, fmt.Errorf("module %s: %w", id, err)
		}
		rows = append(rows, row)
	}
	if made.Name == "" {
		made.Name = slug(rows[0].Name)
	}
	fields, err := s.repo.fieldsOf(ctx, ids...)
	if err != nil {
		return made, err
	}
	slices.SortStableFunc(fields, func(a, b fieldRow) int { return a.Position - b.Position })
	names := packNamesOf(made.Name, rows, fields)
	if made.Outside, err = s.outsideOf(ctx, names, fields); err != nil {
		return made, err
	}
	for _, row := range rows {
		m := names.module(names.moduleKeys[row.ID], row)
		for _, f := range fields {
			if f.ModuleID == row.ID {
				m.Fields = append(m.Fields, s.withoutDefaults(names.field(f)))
			}
		}
		made.Modules = append(made.Modules, m)
	}

	return made, packProblems("", made.Check())
}

// packNamesOf gives modules and their fields keys: those that they have in the pack already, or new ones.
func packNamesOf(pack string, rows []moduleRow, fields []fieldRow) packNames {
	names := newPackNames()
	for _, row := range rows {
		key := slug(row.Name)
		if row.Origin.PackName != nil && *row.Origin.PackName == pack {
			key = *row.Origin.PackKey
		}
		names.addModule(names.freeKey(key), row.ID)
	}
	for _, f := range fields {
		names.addField(names.moduleKeys[f.ModuleID], f.Key, f.ID)
	}

	return names
}

// outsideOf gives keys to the modules that fields name and that have none yet, and returns them.
func (s *service) outsideOf(ctx context.Context, names packNames, fields []fieldRow) ([]packs.Outside, error) {
	var ids []uuid.UUID
	for _, f := range fields {
		if id := s.namedModule(f); id != uuid.Nil && names.moduleKeys[id] == "" {
			ids = append(ids, id)
		}
	}
	there, err := s.repo.existingModules(ctx, ids)
	if err != nil {
		return nil, err
	}
	var found problems
	for _, f := range fields {
		if id := s.namedModule(f); id != uuid.Nil && names.moduleKeys[id] == "" && !there[id] {
			found.add("fields."+f.Key, "The field "+f.Key+" refers to a module that is not there, or that you may not read.")
		}
	}
	if err := found.as(errInvalidPack, "fields"); err != nil {
		return nil, err
	}
	called, err := s.repo.moduleNames(ctx, ids)
	if err != nil {
		return nil, err
	}
	others, err := s.repo.fieldsOf(ctx, ids...)
	if err != nil {
		return nil, err
	}
	var outside []packs.Outside
	for _, id := range ids {
		if names.moduleKeys[id] == "" {
			names.addModule(names.freeKey(slug(called[id])), id)
			outside = append(outside, packs.Outside{Key: names.moduleKeys[id], Name: called[id]})
		}
	}
	for _, f := range others {
		names.addField(names.moduleKeys[f.ModuleID], f.Key, f.ID)
	}

	return outside, nil
}

// namedModule is the module that the options of a field name, uuid.Nil if they name none.
func (s *service) namedModule(row fieldRow) uuid.UUID {
	named := packs.References(string(row.Type))
	if named.Module == "" {
		return uuid.Nil
	}

	return idIn(rawjson.Member(row.Options, named.Module+packs.IDSuffix))
}

// withoutDefaults leaves the options out that say what their type says without them.
func (s *service) withoutDefaults(f packs.Field) packs.Field {
	typ, known := s.definitions.types[typeName(f.Type)]
	if !known {
		return f
	}
	text, err := json.Marshal(typ.New())
	if err != nil {
		return f
	}
	for name, raw := range rawjson.Members(text) {
		if option := rawjson.Name(name); packs.Same(f.Options[option], raw) {
			delete(f.Options, option)
		}
	}

	return f
}

// freeKey is a key that no module has yet.
func (n packNames) freeKey(key string) string {
	free := key
	for i := 2; n.moduleIDs[free] != uuid.Nil; i++ {
		free = key + "_" + strconv.Itoa(i)
	}

	return free
}

// mostSlug keeps a key, with a number at its end, within what a pack allows.
const mostSlug = 58

// slug makes a key of a name: "Yard check-ins" is yard_check_ins.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	key := strings.Join(words, "_")
	if key == "" || key[0] < 'a' {
		key = "module_" + key
	}

	return strings.TrimRight(key[:min(len(key), mostSlug)], "_")
}

// packProblems is errInvalidPack with problems, nil if there are none.
func packProblems(under string, wrong []packs.Problem) error {
	var found problems
	for _, p := range wrong {
		found.add(under+p.Path, p.Message)
	}

	return found.as(errInvalidPack, under+"modules")
}
