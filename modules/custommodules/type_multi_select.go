package custommodules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/list"
)

const errChoices = valueError("must be a list of ids of options.")

// choicesOf is any number of the options of its field, in the order of the options. A list cannot be
// indexed, and is searched for one id at a time.
type choicesOf struct {
	Options choices `json:"options"`
}

func choicesType() fieldType {
	return fieldType{
		name: "multi_select",
		about: `Any of options, as a list of their ids: ["red", "blue"]. Options are those of select. ` +
			"like finds the records that have an option. It cannot be indexed.",
		filter:    list.Text,
		operators: []list.Operator{list.Like, list.Null},
		options:   func() valueType { return &choicesOf{Options: choices{}} },
	}
}

func (c *choicesOf) offers() choices { return c.Options }

func (c *choicesOf) check() error { return c.Options.check() }

func (c *choicesOf) parse(raw []byte) (value, error) { return c.parseOver(raw, nil) }

func (c *choicesOf) parseOver(raw, before []byte) (value, error) {
	var given []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &given) != nil {
		return value{}, errChoices
	}
	kept := idsIn(before)
	chosen := map[string]bool{}
	for _, one := range given {
		id, err := parseString(one)
		if err != nil {
			return value{}, errChoices
		}
		option := c.Options.byID(id)
		switch {
		case option == nil:
			return value{}, valueError("must be a list of " + c.Options.open() + ".")
		case option.Archived && !slices.Contains(kept, option.ID):
			return value{}, valueError(fmt.Sprintf("must not have %s any more, which is archived.", option.ID))
		}
		chosen[option.ID] = true
	}

	return c.value(chosen)
}

// value is the normal form of a set of options.
func (c *choicesOf) value(chosen map[string]bool) (value, error) {
	var ids, quoted []string
	for _, id := range c.Options.ids() {
		if chosen[id] {
			ids, quoted = append(ids, id), append(quoted, string(quote(id)))
		}
	}

	return value{json: []byte("[" + strings.Join(quoted, ",") + "]"), key: strings.Join(ids, listSeparator)}, nil
}

func (*choicesOf) comparable(text string) (any, error) { return comparableText(text) }

// part is an id as it stands in a list.
func (c *choicesOf) part(text string) (string, error) {
	option := c.Options.byID(text)
	if option == nil {
		return "", valueError("is none of the options " + c.Options.all() + ".")
	}

	return string(quote(option.ID)), nil
}

func (c *choicesOf) schema() map[string]any {
	return map[string]any{
		"type": "array", "items": map[string]any{"type": "string", "enum": c.Options.ids()},
	}
}

// listSeparator is between the items of a list in one cell.
const listSeparator = ";"

func (*choicesOf) csv(json []byte) string { return strings.Join(idsIn(json), listSeparator) }

// fromCSV takes labels of options for their ids.
func (c *choicesOf) fromCSV(cell string) ([]byte, error) {
	if _, err := validText(cell, nil); err != nil {
		return nil, err
	}
	var ids []string
	for text := range strings.SplitSeq(cell, listSeparator) {
		if id := c.Options.meant(text); id != "" {
			ids = append(ids, string(quote(id)))
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
