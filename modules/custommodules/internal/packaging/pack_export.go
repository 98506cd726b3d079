package packaging

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// ExportPack makes a pack of modules, in the order in which they are named. The head says what the pack is to
// be called; without a name it is called after the first module. Its errors are ErrModuleNotFound and
// ErrInvalidPack.
func (s *Service) ExportPack(ctx context.Context, head packs.Pack, ids []uuid.UUID) (packs.Pack, error) {
	made := head
	made.Format, made.Version = packs.Format, max(head.Version, 1)
	var rows []definition.ModuleRow
	for _, id := range ids {
		row, err := s.modeling.ReadableModule(ctx, id)
		if err != nil {
			return made, fmt.Errorf("module %s: %w", id, err)
		}
		rows = append(rows, row)
	}
	if made.Name == "" {
		made.Name = slug(rows[0].Name)
	}
	fields, err := s.repo.FieldsOf(ctx, ids...)
	if err != nil {
		return made, err
	}
	slices.SortStableFunc(fields, func(a, b definition.FieldRow) int { return a.Position - b.Position })
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
func packNamesOf(pack string, rows []definition.ModuleRow, fields []definition.FieldRow) packNames {
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
func (s *Service) outsideOf(ctx context.Context, names packNames, fields []definition.FieldRow) ([]packs.Outside, error) {
	var ids []uuid.UUID
	for _, f := range fields {
		if id := s.namedModule(f); id != uuid.Nil && names.moduleKeys[id] == "" {
			ids = append(ids, id)
		}
	}
	there, err := s.repo.ExistingModules(ctx, ids)
	if err != nil {
		return nil, err
	}
	var found definition.Problems
	for _, f := range fields {
		if id := s.namedModule(f); id != uuid.Nil && names.moduleKeys[id] == "" && !there[id] {
			found.Add("fields."+f.Key, "The field "+f.Key+" refers to a module that does not exist or that you may not read.")
		}
	}
	if err := found.ErrorAs(definition.ErrInvalidPack, "fields"); err != nil {
		return nil, err
	}
	called, err := s.repo.ModuleNames(ctx, ids)
	if err != nil {
		return nil, err
	}
	others, err := s.repo.FieldsOf(ctx, ids...)
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
func (s *Service) namedModule(row definition.FieldRow) uuid.UUID {
	named := packs.ReferenceOptions(string(row.Type))
	if named.Module == "" {
		return uuid.Nil
	}

	return idIn(rawjson.Member(row.Options, named.Module+packs.IDSuffix))
}

// withoutDefaults leaves the options out that say what their type says without them.
func (s *Service) withoutDefaults(f packs.Field) packs.Field {
	typ, known := s.definitions.Types[definition.TypeName(f.Type)]
	if !known {
		return f
	}
	text, err := json.Marshal(typ.New())
	if err != nil {
		return f
	}
	for name, raw := range rawjson.Members(text) {
		if option := rawjson.Name(name); packs.EqualJSON(f.Options[option], raw) {
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

// packProblems is ErrInvalidPack with problems, nil if there are none.
func packProblems(under string, wrong []packs.Problem) error {
	var found definition.Problems
	for _, p := range wrong {
		found.Add(under+p.Path, p.Message)
	}

	return found.ErrorAs(definition.ErrInvalidPack, under+"modules")
}
