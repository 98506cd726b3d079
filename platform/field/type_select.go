package field

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// SelectOptions is one of the options of its field, by the option's id.
type SelectOptions struct {
	Options Choices `json:"options"`
}

var selectType = Type{
	Name: "select",
	About: `One of options, by its id: [{"id": "red", "label": "Red", "color": "#cc0000", "archived": false}, …]. ` +
		"An id is derived from the label if omitted, and stays when the label changes. Records keep archived " +
		"options, but new values cannot use them.",
	Index:     TextIndex,
	Filter:    kind.Text,
	Operators: named,
	Sortable:  true,
	New:       func() Values { return &SelectOptions{Options: Choices{}} },
}

// Offers implements Offering.
func (c *SelectOptions) Offers() Choices { return c.Options }

// Check implements Values.
func (c *SelectOptions) Check() error { return c.Options.check() }

// Parse implements Values.
func (c *SelectOptions) Parse(raw []byte) (Value, error) { return c.ParseOver(raw, nil) }

// ParseOver implements Keeper.
func (c *SelectOptions) ParseOver(raw, before []byte) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	option := c.Options.byID(given)
	switch {
	case option == nil:
		return Value{}, Error("must be one of " + c.Options.open() + ".")
	case option.Archived && rawjson.Text(before) != option.ID:
		return Value{}, Error(fmt.Sprintf("can no longer be %s: the option is archived.", option.ID))
	}

	return Value{JSON: rawjson.Quote(option.ID), Key: option.ID}, nil
}

// Comparable implements Values.
func (c *SelectOptions) Comparable(text string) (any, error) {
	option := c.Options.byID(text)
	if option == nil {
		return nil, Error("must be one of " + c.Options.all() + ".")
	}

	return option.ID, nil
}

// Schema implements Values.
func (c *SelectOptions) Schema() map[string]any { return c.Options.schema() }

// CSV implements Values.
func (*SelectOptions) CSV(raw []byte) string { return rawjson.Text(raw) }

// FromCSV takes the label of an option for its id.
func (c *SelectOptions) FromCSV(cell string) ([]byte, error) {
	id, err := ValidCell(cell, []byte(c.Options.optionID(cell)))
	if err != nil || len(id) == 0 {
		return []byte("null"), err
	}

	return rawjson.Quote(string(id)), nil
}

const errChoices = Error("must be a list of ids of options.")

// MultiSelectOptions is any number of the options of its field, in the order of the options. A list cannot be
// indexed, and is searched for one id at a time.
type MultiSelectOptions struct {
	Options Choices `json:"options"`
}

var multiSelectType = Type{
	Name: "multi_select",
	About: `Any of the options, as a list of their ids: ["red", "blue"]. options are as in select. ` +
		"like finds the records that have an option. It cannot be indexed.",
	Filter:    kind.Text,
	Operators: []list.Operator{list.Like, list.Null},
	New:       func() Values { return &MultiSelectOptions{Options: Choices{}} },
}

// Offers implements Offering.
func (c *MultiSelectOptions) Offers() Choices { return c.Options }

// Check implements Values.
func (c *MultiSelectOptions) Check() error { return c.Options.check() }

// Parse implements Values.
func (c *MultiSelectOptions) Parse(raw []byte) (Value, error) { return c.ParseOver(raw, nil) }

// ParseOver implements Keeper.
func (c *MultiSelectOptions) ParseOver(raw, before []byte) (Value, error) {
	var given []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &given) != nil {
		return Value{}, errChoices
	}
	kept := idsIn(before)
	chosen := map[string]bool{}
	for _, one := range given {
		id, err := parseString(one)
		if err != nil {
			return Value{}, errChoices
		}
		option := c.Options.byID(id)
		switch {
		case option == nil:
			return Value{}, Error("must be a list of " + c.Options.open() + ".")
		case option.Archived && !slices.Contains(kept, option.ID):
			return Value{}, Error(fmt.Sprintf("can no longer have %s: the option is archived.", option.ID))
		}
		chosen[option.ID] = true
	}

	return c.value(chosen)
}

// value is the normal form of a set of options.
func (c *MultiSelectOptions) value(chosen map[string]bool) (Value, error) {
	var ids, quoted []string
	for _, id := range c.Options.IDs() {
		if chosen[id] {
			ids, quoted = append(ids, id), append(quoted, string(rawjson.Quote(id)))
		}
	}

	return Value{JSON: []byte("[" + strings.Join(quoted, ",") + "]"), Key: strings.Join(ids, listSeparator)}, nil
}

// Comparable implements Values.
func (*MultiSelectOptions) Comparable(text string) (any, error) { return ComparableText(text) }

// Part is an id as it stands in a list.
func (c *MultiSelectOptions) Part(text string) (string, error) {
	option := c.Options.byID(text)
	if option == nil {
		return "", Error("is not one of the options " + c.Options.all() + ".")
	}

	return string(rawjson.Quote(option.ID)), nil
}

// Schema implements Values.
func (c *MultiSelectOptions) Schema() map[string]any {
	return map[string]any{"type": "array", "items": c.Options.schema()}
}

// listSeparator is between the items of a list in one cell.
const listSeparator = ";"

// CSV implements Values.
func (*MultiSelectOptions) CSV(raw []byte) string { return strings.Join(idsIn(raw), listSeparator) }

// FromCSV takes labels of options for their ids.
func (c *MultiSelectOptions) FromCSV(cell string) ([]byte, error) {
	if _, err := ValidCell(cell, nil); err != nil {
		return nil, err
	}
	var ids []string
	for text := range strings.SplitSeq(cell, listSeparator) {
		if id := c.Options.optionID(text); id != "" {
			ids = append(ids, string(rawjson.Quote(id)))
		}
	}
	if ids == nil {
		return []byte("null"), nil
	}

	return []byte("[" + strings.Join(ids, ",") + "]"), nil
}

// idsIn returns the ids of a stored list.
func idsIn(stored []byte) []string {
	var ids []string
	if json.Unmarshal(stored, &ids) != nil {
		return nil
	}

	return ids
}
