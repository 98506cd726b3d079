package custommodules

import (
	"fmt"

	"github.com/dispatchd/dispatchd/platform/list"
)

// choice is one of the options of its field, by the option's id.
type choice struct {
	Options choices `json:"options"`
}

func choiceType() fieldType {
	return fieldType{
		name: "select",
		about: `One of options, by its id: [{"id": "red", "label": "Red", "color": "#cc0000", "archived": false}, …]. ` +
			"An id is made of the label if none is given, and stays when the label changes. " +
			"Archived options are kept where they are and no longer taken.",
		slot:      textSlot,
		filter:    list.Text,
		operators: named(),
		sortable:  true,
		options:   func() valueType { return &choice{Options: choices{}} },
	}
}

func (c *choice) offers() choices { return c.Options }

func (c *choice) check() error { return c.Options.check() }

func (c *choice) parse(raw []byte) (value, error) { return c.parseOver(raw, nil) }

func (c *choice) parseOver(raw, before []byte) (value, error) {
	given, err := parseString(raw)
	if err != nil {
		return value{}, err
	}
	option := c.Options.byID(given)
	switch {
	case option == nil:
		return value{}, valueError("must be one of " + c.Options.open() + ".")
	case option.Archived && stringOf(before) != option.ID:
		return value{}, valueError(fmt.Sprintf("must not be %s any more, which is archived.", option.ID))
	}

	return value{json: quote(option.ID), key: option.ID}, nil
}

func (*choice) comparable(text string) (any, error) { return comparableText(text) }

func (c *choice) schema() map[string]any {
	return map[string]any{"type": "string", "enum": c.Options.ids()}
}

func (*choice) csv(json []byte) string { return stringOf(json) }

// fromCSV takes the label of an option for its id.
func (c *choice) fromCSV(cell string) ([]byte, error) {
	id, err := validText(cell, []byte(c.Options.meant(cell)))
	if err != nil || len(id) == 0 {
		return []byte("null"), err
	}

	return quote(string(id)), nil
}
