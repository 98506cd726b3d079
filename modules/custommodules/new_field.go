package custommodules

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const missingTarget = "The module uuid is of no module."

// newField is a field that is to be.
type newField struct {
	// ID is fixed where a field comes with the service; uuid.Nil asks for a new one.
	ID uuid.UUID `json:"-"`
	// Position is where a field that comes later stands; 0 is at the end.
	Position   int             `json:"-"`
	Key        string          `json:"key" doc:"What payloads call the field: snake_case, unique in the module." example:"pickup_date"`
	Label      string          `json:"label,omitempty" doc:"What people call the field. Without it, one is made of the key." example:"Pickup date"`
	Type       typeName        `json:"type"`
	Help       string          `json:"help,omitempty" doc:"What people are told about the field."`
	Section    string          `json:"section,omitempty" doc:"Under which heading the field is shown." example:"Pickup"`
	Required   bool            `json:"required,omitempty" doc:"Whether every new record needs a value."`
	Unique     bool            `json:"unique,omitempty" doc:"Whether no two records have the same value. Any number of them may have none."`
	ReadOnly   bool            `json:"read_only,omitempty" doc:"Whether callers cannot set the field; other areas can."`
	Sensitive  bool            `json:"sensitive,omitempty" doc:"Whether values are for those alone who have the scope custom_modules:sensitive."`
	Default    json.RawMessage `json:"default,omitempty" doc:"The value of a new record whose payload does not mention the field; null in a payload is no value. That of a date or time may be counted from the present: today+7d. That of a user may be me, who makes the record."`
	Indexed    bool            `json:"indexed,omitempty" doc:"Whether filters and sorts by the field are fast in a module of any size. A reference always is, up to the limit of indexed fields."`
	Searchable bool            `json:"searchable,omitempty" doc:"Whether q= of a list of records looks into the field, in a module of any size."`
	Options    rawjson.Object  `json:"options,omitempty" doc:"Options of the type; see type."`
}

// typeName is the name of a field type.
type typeName string

// Schema implements huma.SchemaProvider: the types with what they are.
func (typeName) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, typ := range fieldTypes(defaults()) {
		s.Enum = append(s.Enum, typ.Name)
		s.Description += "- `" + typ.Name + "`: " + typ.About + "\n"
	}

	return s
}

// draftField makes the row of a field in a module that has just been changed or made, and says what
// is wrong with it by itself.
func (s *service) draftField(module moduleRow, spec newField, number int) (row fieldRow, found problems) {
	row = fieldRow{
		ID: orNew(spec.ID), ModuleID: module.ID, Number: number, Position: number, Version: 1,
		Key: normalKey(spec.Key), Label: naming.Normal(spec.Label), Type: spec.Type, Required: spec.Required,
		Help: naming.Normal(spec.Help), Section: naming.Normal(spec.Section), IsUnique: spec.Unique, ReadOnly: spec.ReadOnly, Sensitive: spec.Sensitive,
		CreatedAt: module.UpdatedAt, CreatedBy: module.UpdatedBy, UpdatedAt: module.UpdatedAt, UpdatedBy: module.UpdatedBy,
	}
	if problem := checkKey(row.Key, s.settings.MaxKeyLength); problem != "" {
		found.add("key", problem)
	}
	if row.Label == "" {
		row.Label = naming.Label(row.Key)
	} else if problem := naming.Check("label", row.Label, s.settings.MaxNameLength); problem != "" {
		found.add("label", problem)
	}
	if _, known := s.definitions.types[spec.Type]; !known {
		found.add("type", naming.Unknown(string(spec.Type), " as a type", s.definitions.types.names()))

		return row, found
	}
	row.Options = s.options(spec, &found)
	s.checkTraits(&row, spec, &found)
	s.checkOwn(module, row, &found)

	return row, found
}

// mostHelp bounds the help of a field, in characters.
const mostHelp = 1_000

// checkTraits says what is wrong with what a field of any type can have.
func (s *service) checkTraits(row *fieldRow, spec newField, found *problems) {
	if utf8.RuneCountInString(row.Help) > mostHelp {
		found.add("help", fmt.Sprintf("The help must not be longer than %d characters.", mostHelp))
	}
	if row.Section != "" {
		if problem := naming.Check("section", row.Section, s.settings.MaxNameLength); problem != "" {
			found.add("section", problem)
		}
	}
	s.checkComputed(*row, spec, found)
	s.checkItemTypes(*row, found)
	if spec.Sensitive && spec.Searchable {
		found.add("searchable", "A sensitive field cannot be searched for by its words.")
	}
	if typ, _ := s.definitions.types.of(*row); spec.Unique && typ.Index == "" {
		found.add("unique", "A field of the type "+typ.Name+" cannot be unique.")
	}
	if row.Options == nil || len(rawjson.OrNothing(spec.Default)) == 0 {
		return
	}
	if spec.Sensitive {
		found.add("default", "The default of a sensitive field would be seen by everybody.")

		return
	}
	values, err := s.definitions.types.values(row.Type, row.Options)
	if err != nil {
		return // said already
	}
	typ, _ := s.definitions.types.of(*row)
	if word, relative := relativePreset(typ, values, spec.Default); relative {
		row.DefaultValue = &word

		return
	}
	preset, err := values.Parse(spec.Default)
	_, refers := values.(referring)
	_, computed := values.(field.Computed)
	if refers || computed || namesItems(values) {
		err = field.Error("cannot be given for a field of this type.")
	}
	if err != nil {
		found.add("default", cmp.Or(checkPreset(typ, spec.Default), "The default "+err.Error()))

		return
	}
	row.DefaultValue = new(rawjson.Object(preset.JSON))
}

// checkDefault finds a default that names nobody.
func (s *service) checkDefault(ctx context.Context, row fieldRow, found *problems) error {
	if row.DefaultValue == nil || row.Options == nil {
		return nil
	}
	values, err := s.definitions.types.values(row.Type, row.Options)
	if err != nil {
		return err
	}
	preset, err := values.Parse(*row.DefaultValue)
	if _, names := values.(field.UserNamer); err != nil || !names {
		return nil //nolint:nilerr // said already
	}
	person, _ := preset.Key.(uuid.UUID)
	_, err = s.others.users.User(ctx, principal.CompanyOf(ctx), person)
	if errs.KindOf(err) == errs.NotFound {
		found.add("default", "The default does not exist: it must be the UUID of a user of the company.")

		return nil
	}

	return err
}

// options returns the options of a field, every one with its value.
func (s *service) options(spec newField, found *problems) rawjson.Object {
	values, err := s.definitions.types.values(spec.Type, spec.Options)
	if wrong, ok := errors.AsType[field.OptionError](err); ok {
		path := "options"
		if wrong.Option != "" {
			path += "." + wrong.Option
		}
		found.add(path, wrong.Problem)

		return nil
	}
	text, err := json.Marshal(values)
	if err != nil {
		found.add("options", "The options cannot be kept.")
	}

	return text
}

// missingTargets returns the positions of the fields that refer to a module which the company does
// not have.
func (s *service) missingTargets(ctx context.Context, fields ...fieldRow) ([]int, error) {
	targets := map[int]uuid.UUID{}
	var ids []uuid.UUID
	for i, row := range fields {
		if row.Options == nil {
			continue // said already
		}
		values, err := s.definitions.types.values(row.Type, row.Options)
		if err != nil {
			return nil, err
		}
		if refers, ok := values.(referring); ok {
			targets[i] = refers.target()
			ids = append(ids, refers.target())
		}
	}
	there, err := s.repo.existingModules(ctx, ids)
	var missing []int
	for i, id := range targets {
		if !there[id] {
			missing = append(missing, i)
		}
	}

	return missing, err
}

// giveSlot gives a field a free slot, or one beside the records when none of its kind is free. It counts from
// the module's revision on. A field whose type is always indexed goes without when the module has as many
// as it may and nobody asked for one; else giveSlot says why there is none. The slot is ready if no record can have a value in it, neither of this field nor of one before.
func (s *service) giveSlot(row *fieldRow, module *moduleRow, asked bool, others []fieldRow) string {
	typ, known := s.definitions.types.of(*row)
	if !known || (!asked && !typ.AlwaysIndexed) {
		return ""
	}
	if typ.Index == "" {
		return "A field of the type " + typ.Name + " cannot be indexed." + s.insteadOfIndex(*row)
	}
	taken, room := []slot{}, s.settings.MaxIndexed
	for _, other := range others {
		if other.Slot != nil {
			taken = append(taken, *other.Slot)
			room--
		}
	}
	switch {
	case room > 0:
	case asked:
		return fmt.Sprintf("The module has %d indexed fields; more are not allowed.", len(taken))
	default:
		return ""
	}
	row.takeSlot(module, typ.Index, taken)

	return ""
}

// insteadOfIndex says how records are found by a field that cannot be indexed.
func (s *service) insteadOfIndex(row fieldRow) string {
	values, err := s.definitions.types.values(row.Type, row.Options)
	if _, has := values.(field.Worded); err != nil || !has || row.Sensitive {
		return ""
	}

	return " With searchable: true, q= finds records by its words."
}

// takeSlot gives a field a slot of a kind that is not taken.
func (f *fieldRow) takeSlot(module *moduleRow, kind field.Index, taken []slot) {
	free := freeSlot(kind, taken)
	if free == "" {
		free = overflowSlot(kind, f.Number)
	}
	f.Slot, f.SlotSince = &free, new(module.Revision)
	f.SlotReady = !module.used(free)
	module.use(free)
}

// sameKey reports whether two fields have the same key.
func (f fieldRow) sameKey(other fieldRow) bool { return f.Key == other.Key }

// orNew returns the id, or a new one where there is none.
func orNew(id uuid.UUID) uuid.UUID {
	if id == uuid.Nil {
		return database.NewID()
	}

	return id
}
