package custommodules

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds on the options that a field offers.
const (
	mostChoices      = 500
	mostChoiceID     = 64
	mostChoiceLabel  = 120
	choicesPerAnswer = 20
)

var (
	choiceID    = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}\p{M}_.-]*$`)
	choiceColor = regexp.MustCompile(`^#[0-9a-f]{6}$`)
)

// offer is an option that people choose. Its id is what values hold, and never changes.
type offer struct {
	ID       string `json:"id"`
	Label    string `json:"label"`
	Color    string `json:"color,omitempty"`
	Archived bool   `json:"archived"`
}

// choices are the options of a field in the order in which people see them.
type choices []offer

// UnmarshalJSON implements json.Unmarshaler. It refuses keys that an option does not have.
func (c *choices) UnmarshalJSON(text []byte) error {
	var given []json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		return optionError{"options", "The options must be a list."}
	}
	made := make(choices, len(given))
	for i, one := range given {
		at := "options." + strconv.Itoa(i)
		known := []string{"id", "label", "color", "archived"}
		for name := range members(one) {
			if key := textOf(name); !slices.Contains(known, key) {
				return optionError{at + "." + shorten(key), unknownKey(key, " for an option", known)}
			}
		}
		if one[0] != '{' || json.Unmarshal(one, &made[i]) != nil {
			return optionError{at, `The option must be an object: {"id": "red", "label": "Red"}.`}
		}
	}
	*c = made

	return nil
}

// check normalises the options, and makes an id for each that has none.
func (c choices) check() error {
	if len(c) == 0 || len(c) > mostChoices {
		return optionError{"options", fmt.Sprintf("The options must be a list of 1 to %d.", mostChoices)}
	}
	taken := map[string]bool{}
	for i := range c {
		if problem := c[i].check(); problem != nil {
			problem.option = fmt.Sprintf("options.%d.%s", i, problem.option)

			return *problem
		}
		id := foldName(c[i].ID)
		if id != "" && taken[id] {
			return optionError{fmt.Sprintf("options.%d.id", i), "The id " + c[i].ID + " is given to two options."}
		}
		taken[id] = true
	}
	for i := range c {
		if c[i].ID == "" {
			c[i].ID = freeID(c[i].Label, taken)
			taken[foldName(c[i].ID)] = true
		}
	}

	return nil
}

func (o *offer) check() *optionError {
	o.ID, o.Label, o.Color = norm.NFC.String(o.ID), normalName(o.Label), strings.ToLower(o.Color)
	if o.Label == "" {
		o.Label = o.ID
	}
	if problem := checkName("label", o.Label, mostChoiceLabel); problem != "" {
		return &optionError{"label", problem}
	}
	switch {
	case utf8.RuneCountInString(o.ID) > mostChoiceID:
		return &optionError{"id", fmt.Sprintf("The id must not be longer than %d characters.", mostChoiceID)}
	case o.ID != "" && !choiceID.MatchString(o.ID):
		return &optionError{"id", "The id must be letters, digits, underscores, points and hyphens."}
	case o.Color != "" && !choiceColor.MatchString(o.Color):
		return &optionError{"color", "The color must be of the form #cc0000."}
	}

	return nil
}

// freeID makes an id of a label: the same of the same, but for a number where it is taken.
func freeID(label string, taken map[string]bool) string {
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	runes := []rune(norm.NFC.String(strings.Join(words, "_")))
	stem := string(runes[:min(len(runes), mostChoiceID-len("_999"))])
	if stem == "" {
		stem = "option"
	}
	id := stem
	for n := 2; taken[foldName(id)]; n++ {
		id = stem + "_" + strconv.Itoa(n)
	}

	return id
}

// byID returns the option of an id, nil if there is none.
func (c choices) byID(id string) *offer {
	for i := range c {
		if c[i].ID == id {
			return &c[i]
		}
	}
	if !norm.NFC.IsNormalString(id) {
		return c.byID(norm.NFC.String(id))
	}

	return nil
}

// meant returns the id of the option that a cell names by its id or its label, or what the cell says.
func (c choices) meant(cell string) string {
	cell = normalName(cell)
	if c.byID(cell) != nil {
		return cell
	}
	for _, option := range c {
		if foldName(option.Label) == foldName(cell) {
			return option.ID
		}
	}

	return cell
}

// ids are the ids of all options, archived ones too.
func (c choices) ids() []string {
	ids := make([]string, len(c))
	for i, option := range c {
		ids[i] = option.ID
	}

	return ids
}

// all names the options for an answer.
func (c choices) all() string { return someOf(c.ids()) }

// open names the options that are not archived, for an answer.
func (c choices) open() string {
	var ids []string
	for _, option := range c {
		if !option.Archived {
			ids = append(ids, option.ID)
		}
	}

	return someOf(ids)
}

func someOf(names []string) string {
	if len(names) > choicesPerAnswer {
		names = append(slices.Clone(names[:choicesPerAnswer]), "…")
	}

	return strings.Join(names, ", ")
}
