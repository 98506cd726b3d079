package packaging

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// packNames are the keys by which a pack names modules and fields, and their ids in the company.
type packNames struct {
	moduleKeys map[uuid.UUID]string
	moduleIDs  map[string]uuid.UUID
	// fieldKeys are the keys of fields, fieldIDs the ids by "module.field".
	fieldKeys map[uuid.UUID]string
	fieldIDs  map[string]uuid.UUID
}

func newPackNames() packNames {
	return packNames{
		moduleKeys: map[uuid.UUID]string{}, moduleIDs: map[string]uuid.UUID{},
		fieldKeys: map[uuid.UUID]string{}, fieldIDs: map[string]uuid.UUID{},
	}
}

func (n packNames) addModule(key string, id uuid.UUID) {
	n.moduleKeys[id], n.moduleIDs[key] = key, id
}

func (n packNames) addField(module, key string, id uuid.UUID) {
	n.fieldKeys[id], n.fieldIDs[module+"."+key] = key, id
}

// spec is a field of a module of a pack as the definitions want it: options name others by id.
func (n packNames) spec(in string, f packs.Field) definition.NewField {
	options := map[string]json.RawMessage{}
	named := packs.ReferenceOptions(f.Type)
	module, _ := f.Text(named.Module)
	for name, raw := range f.Options {
		switch {
		case name == named.Module:
			options[name+packs.IDSuffix] = rawjson.Quote(n.moduleIDs[module].String())
		case namesField(named, name) && rawjson.OrNothing(raw) != nil:
			key, _ := f.Text(name)
			options[name+packs.IDSuffix] = rawjson.Quote(n.fieldIDs[module+"."+key].String())
		case slices.Contains(named.Own, name):
			key, _ := f.Text(name)
			options[name+packs.IDSuffix] = rawjson.Quote(n.fieldIDs[in+"."+key].String())
		default:
			options[name] = raw
		}
	}

	return definition.NewField{
		Key: f.Key, Label: f.Label, Type: definition.TypeName(f.Type), Help: f.Help, Section: f.Section, Required: f.Required, Unique: f.Unique,
		ReadOnly: f.ReadOnly, Sensitive: f.Sensitive, Indexed: f.Indexed, Searchable: f.Searchable,
		Default: rawjson.OrNothing(f.Default), Options: rawjson.Object(packs.EncodeJSON(options)),
	}
}

func namesField(named packs.Naming, option string) bool {
	return slices.Contains(named.Fields, option)
}

// idIn is the id that an option holds, uuid.Nil for none.
func idIn(raw []byte) uuid.UUID {
	id, err := uuid.Parse(rawjson.Text(rawjson.OrNothing(raw)))
	if err != nil {
		return uuid.Nil
	}

	return id
}

// field is a definition's field as packs have it, with all of its options.
func (n packNames) field(row definition.FieldRow) packs.Field {
	f := packs.Field{
		Key: row.Key, Label: row.Label, Type: string(row.Type), Help: row.Help, Section: row.Section, Required: row.Required,
		Unique: row.IsUnique, ReadOnly: row.ReadOnly, Sensitive: row.Sensitive, Indexed: row.Slot != nil, Searchable: row.Searchable,
		Options: map[string]json.RawMessage{},
	}
	if row.DefaultValue != nil {
		f.Default = json.RawMessage(*row.DefaultValue)
	}
	named := packs.ReferenceOptions(f.Type)
	for name, raw := range rawjson.Members(row.Options) {
		option := rawjson.Name(name)
		of, isID := strings.CutSuffix(option, packs.IDSuffix)
		id := idIn(raw)
		switch {
		case isID && of == named.Module:
			f.Set(of, n.moduleKeys[id])
		case isID && (namesField(named, of) || slices.Contains(named.Own, of)):
			if key := n.fieldKeys[id]; key != "" {
				f.Set(of, key)
			}
		case slices.Contains(definition.DerivedNames, string(row.Type)) && option == "result",
			row.Type == definition.LookupName && option == "scale": // the service decides it
		default:
			f.Options[option] = json.RawMessage(raw)
		}
	}

	return f
}

// module is a definition as packs have it, without its fields.
func (n packNames) module(key string, row definition.ModuleRow) packs.Module {
	m := packs.Module{Key: key, Name: row.Name, Description: row.Description}
	if row.TitleField != nil {
		m.TitleField = n.fieldKeys[*row.TitleField]
	}
	for a, roles := range row.Permissions {
		if m.Permissions == nil {
			m.Permissions = map[string][]string{}
		}
		m.Permissions[string(a)] = roles
	}

	return m
}
