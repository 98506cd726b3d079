package modeling

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// MissingTarget is what is wrong with a reference to a module that is not there.
const MissingTarget = "There is no module with the module uuid."

// DraftField makes the row of a field in a module that has just been changed or made, and says what
// is wrong with it by itself.
func (s *Service) DraftField(module definition.ModuleRow, spec definition.NewField, number int) (row definition.FieldRow, found definition.Problems) {
	row = definition.FieldRow{
		ID: definition.OrNew(spec.ID), ModuleID: module.ID, Number: number, Position: number, Version: 1,
		Key: definition.NormalKey(spec.Key), Label: naming.Normal(spec.Label), Type: spec.Type, Required: spec.Required,
		Help: naming.Normal(spec.Help), Section: naming.Normal(spec.Section), IsUnique: spec.Unique, ReadOnly: spec.ReadOnly, Sensitive: spec.Sensitive,
		CreatedAt: module.UpdatedAt, CreatedBy: module.UpdatedBy, UpdatedAt: module.UpdatedAt, UpdatedBy: module.UpdatedBy,
	}
	if problem := definition.CheckKey(row.Key, s.settings.MaxKeyLength); problem != "" {
		found.Add("key", problem)
	}
	if row.Label == "" {
		row.Label = naming.Label(row.Key)
	} else if problem := naming.Check("label", row.Label, s.settings.MaxNameLength); problem != "" {
		found.Add("label", problem)
	}
	if _, known := s.definitions.Types[spec.Type]; !known {
		found.Add("type", naming.UnknownKey(string(spec.Type), " as a type", s.definitions.Types.Names()))

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
func (s *Service) checkTraits(row *definition.FieldRow, spec definition.NewField, found *definition.Problems) {
	if utf8.RuneCountInString(row.Help) > mostHelp {
		found.Add("help", fmt.Sprintf("The help must not be longer than %d characters.", mostHelp))
	}
	if row.Section != "" {
		if problem := naming.Check("section", row.Section, s.settings.MaxNameLength); problem != "" {
			found.Add("section", problem)
		}
	}
	s.checkComputed(*row, spec, found)
	s.checkItemTypes(*row, found)
	if spec.Sensitive && spec.Searchable {
		found.Add("searchable", "A sensitive field cannot be searchable.")
	}
	if typ, _ := s.definitions.Types.Of(*row); spec.Unique && typ.Index == "" {
		found.Add("unique", "A field of the type "+typ.Name+" cannot be unique.")
	}
	if row.Options == nil || len(rawjson.OrNothing(spec.Default)) == 0 {
		return
	}
	if spec.Sensitive {
		found.Add("default", "A sensitive field cannot have a default: everyone would see it.")

		return
	}
	values, err := s.definitions.Types.Values(row.Type, row.Options)
	if err != nil {
		return // said already
	}
	typ, _ := s.definitions.Types.Of(*row)
	if word, relative := definition.RelativePreset(typ, values, spec.Default); relative {
		row.DefaultValue = &word

		return
	}
	preset, err := values.Parse(spec.Default)
	_, refers := values.(definition.Referring)
	_, computed := values.(field.Computed)
	if refers || computed || definition.NamesItems(values) {
		err = field.Error("cannot be given for a field of this type.")
	}
	if err != nil {
		found.Add("default", cmp.Or(definition.CheckPreset(typ, spec.Default), "The default "+err.Error()))

		return
	}
	row.DefaultValue = new(rawjson.Object(preset.JSON))
}

// CheckDefault finds a default that names nobody.
func (s *Service) CheckDefault(ctx context.Context, row definition.FieldRow, found *definition.Problems) error {
	if row.DefaultValue == nil || row.Options == nil {
		return nil
	}
	values, err := s.definitions.Types.Values(row.Type, row.Options)
	if err != nil {
		return err
	}
	preset, err := values.Parse(*row.DefaultValue)
	if _, names := values.(field.UserNamer); err != nil || !names {
		return nil //nolint:nilerr // said already
	}
	person, _ := preset.Key.(uuid.UUID)
	_, err = s.others.Users.User(ctx, principal.CompanyOf(ctx), person)
	if errs.KindOf(err) == errs.NotFound {
		found.Add("default", "The default does not exist: it must be the UUID of a user of the company.")

		return nil
	}

	return err
}

// options returns the options of a field, every one with its value.
func (s *Service) options(spec definition.NewField, found *definition.Problems) rawjson.Object {
	values, err := s.definitions.Types.Values(spec.Type, spec.Options)
	if wrong, ok := errors.AsType[field.OptionError](err); ok {
		path := "options"
		if wrong.Option != "" {
			path += "." + wrong.Option
		}
		found.Add(path, wrong.Problem)

		return nil
	}
	text, err := json.Marshal(values)
	if err != nil {
		found.Add("options", "The options cannot be stored.")
	}

	return text
}

// missingTargets returns the positions of the fields that refer to a module which the company does
// not have.
func (s *Service) missingTargets(ctx context.Context, fields ...definition.FieldRow) ([]int, error) {
	targets := map[int]uuid.UUID{}
	var ids []uuid.UUID
	for i, row := range fields {
		if row.Options == nil {
			continue // said already
		}
		values, err := s.definitions.Types.Values(row.Type, row.Options)
		if err != nil {
			return nil, err
		}
		if refers, ok := values.(definition.Referring); ok {
			targets[i] = refers.Target()
			ids = append(ids, refers.Target())
		}
	}
	there, err := s.repo.ExistingModules(ctx, ids)
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
func (s *Service) giveSlot(row *definition.FieldRow, module *definition.ModuleRow, asked bool, others []definition.FieldRow) string {
	typ, known := s.definitions.Types.Of(*row)
	if !known || (!asked && !typ.AlwaysIndexed) {
		return ""
	}
	if typ.Index == "" {
		return "A field of the type " + typ.Name + " cannot be indexed." + s.insteadOfIndex(*row)
	}
	taken, room := []definition.Slot{}, s.settings.MaxIndexed
	for _, other := range others {
		if other.Slot != nil {
			taken = append(taken, *other.Slot)
			room--
		}
	}
	switch {
	case room > 0:
	case asked:
		return fmt.Sprintf("The module has %d indexed fields, the maximum.", len(taken))
	default:
		return ""
	}
	row.TakeSlot(module, typ.Index, taken)

	return ""
}

// insteadOfIndex says how records are found by a field that cannot be indexed.
func (s *Service) insteadOfIndex(row definition.FieldRow) string {
	values, err := s.definitions.Types.Values(row.Type, row.Options)
	if _, has := values.(field.Worded); err != nil || !has || row.Sensitive {
		return ""
	}

	return " With searchable: true, q= finds records by its words."
}
