package field

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

	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
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

// Choice is an option that people choose. Its id is what values hold, and never changes.
type Choice struct {
	ID       string `json:"id"`
	Label    string `json:"label"`
	Color    string `json:"color,omitempty"`
	Archived bool   `json:"archived"`
}

// Choices are the options of a field in the order in which people see them.
type Choices []Choice

// UnmarshalJSON implements json.Unmarshaler. It refuses keys that an option does not have.
func (c *Choices) UnmarshalJSON(text []byte) error {
	var given []json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		return OptionError{"options", "The options must be a list."}
	}
	made := make(Choices, len(given))
	for i, one := range given {
		at := "options." + strconv.Itoa(i)
		known := []string{"id", "label", "color", "archived"}
		for name := range rawjson.Members(one) {
			if key := rawjson.Name(name); !slices.Contains(known, key) {
				return OptionError{at + "." + naming.Shorten(key), naming.UnknownKey(key, " for an option", known)}
			}
		}
		if one[0] != '{' || json.Unmarshal(one, &made[i]) != nil {
			return OptionError{at, `The option must be an object: {"id": "red", "label": "Red"}.`}
		}
	}
	*c = made

	return nil
}

// check normalises the options, and makes an id for each that has none.
func (c Choices) check() error {
	if len(c) == 0 || len(c) > mostChoices {
		return OptionError{"options", fmt.Sprintf("The options must be a list of 1 to %d.", mostChoices)}
	}
	taken := map[string]bool{}
	for i := range c {
		if problem := c[i].check(); problem != nil {
			problem.Option = fmt.Sprintf("options.%d.%s", i, problem.Option)

			return *problem
		}
		id := naming.Fold(c[i].ID)
		if id != "" && taken[id] {
			return OptionError{fmt.Sprintf("options.%d.id", i), "The id " + c[i].ID + " is given to two options."}
		}
		taken[id] = true
	}
	for i := range c {
		if c[i].ID == "" {
			c[i].ID = freeID(c[i].Label, taken)
			taken[naming.Fold(c[i].ID)] = true
		}
	}

	return nil
}

func (o *Choice) check() *OptionError {
	o.ID, o.Label, o.Color = norm.NFC.String(o.ID), naming.Normal(o.Label), strings.ToLower(o.Color)
	if o.Label == "" {
		o.Label = o.ID
	}
	if problem := naming.Check("label", o.Label, mostChoiceLabel); problem != "" {
		return &OptionError{"label", problem}
	}
	switch {
	case utf8.RuneCountInString(o.ID) > mostChoiceID:
		return &OptionError{"id", fmt.Sprintf("The id must not be longer than %d characters.", mostChoiceID)}
	case o.ID != "" && !choiceID.MatchString(o.ID):
		return &OptionError{"id", "The id must be letters, digits, underscores, points and hyphens."}
	case o.Color != "" && !choiceColor.MatchString(o.Color):
		return &OptionError{"color", "The color must be of the form #cc0000."}
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
	for n := 2; taken[naming.Fold(id)]; n++ {
		id = stem + "_" + strconv.Itoa(n)
	}

	return id
}

// byID returns the option of an id, nil if there is none.
func (c Choices) byID(id string) *Choice {
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

// optionID returns the id of the option that a cell names by its id or its label, or what the cell says.
func (c Choices) optionID(cell string) string {
	cell = naming.Normal(cell)
	if c.byID(cell) != nil {
		return cell
	}
	for _, option := range c {
		if naming.Fold(option.Label) == naming.Fold(cell) {
			return option.ID
		}
	}

	return cell
}

// Labels writes the labels of options for their ids, in the cell of a table that has one or more.
func (c Choices) Labels(cell string) string {
	ids := strings.Split(cell, listSeparator)
	for i, id := range ids {
		if option := c.byID(id); option != nil {
			ids[i] = option.Label
		}
	}

	return strings.Join(ids, listSeparator+" ")
}

// IDs are the ids of all options, archived ones too.
func (c Choices) IDs() []string {
	ids := make([]string, len(c))
	for i, option := range c {
		ids[i] = option.ID
	}

	return ids
}

// schema is of an id. Ids that can be written in another form than the normal one (an ü as a u and two dots, a K as the sign of
// Kelvin) are taken in every form.
func (c Choices) schema() map[string]any {
	exact := map[string]any{"type": "string", "enum": c.IDs()}
	if !slices.ContainsFunc(c.IDs(), hasOtherForm) {
		return exact
	}

	return map[string]any{"anyOf": []any{exact, map[string]any{"type": "string", "pattern": beyondNormal}}}
}

func hasOtherForm(id string) bool {
	return strings.ContainsFunc(id, func(r rune) bool { return r == 'K' || r > unicode.MaxASCII })
}

// all names the options for an answer.
func (c Choices) all() string { return someOf(c.IDs()) }

// open names the options that are not archived, for an answer.
func (c Choices) open() string {
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
