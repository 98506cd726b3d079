package exchange

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/collection/exchange/cell"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
)

// rule is how the cells of a column are read.
type rule struct {
	Format cell.Format `json:"format,omitempty"`
	// Empty is what an empty cell does, "" for what the import says.
	Empty emptyCell `json:"empty,omitempty"`
	// Bad is what a cell does that is no value of the field.
	Bad badCell `json:"bad,omitempty"`
	// Doubt says why the column was proposed for no field though its name is like that of one.
	Doubt string `json:"doubt,omitempty"`
	// Left says that the caller has the column go nowhere.
	Left bool `json:"left,omitempty"`
}

// emptyCell is what an empty cell does.
type emptyCell string

const (
	clears      emptyCell = "clear"
	keeps       emptyCell = "keep"
	refuseEmpty emptyCell = "refuse"
)

// badCell is what a cell does that cannot be read.
type badCell string

const (
	refuses    badCell = "refuse"
	leaveEmpty badCell = "leave_empty"
)

// rule returns that of a column.
func (row *importRow) rule(i int) rule {
	var r rule
	if i < len(row.Rules) {
		r = row.Rules[i]
	}
	if r.Empty == "" {
		r.Empty = clears
		if row.KeepEmpty {
			r.Empty = keeps
		}
	}
	if r.Bad == "" {
		r.Bad = refuses
	}

	return r
}

// seen returns what was counted of a column.
func (row *importRow) tallied(i int) cell.Tally {
	if i < len(row.Seen) {
		return row.Seen[i].Tally
	}

	return cell.Tally{}
}

// Destination is where the values of a column go, and how its cells are read: the key of a field alone, null for
// nowhere, or an object.
type Destination struct {
	// moved says that Field was given.
	moved bool
	Field *string
	// Format, Empty and Bad are nil if they were not given. A format of "" is none.
	Format     *cell.Format
	Empty, Bad *string
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *Destination) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		d.moved = true

		return json.Unmarshal(text, &d.Field)
	}
	var members map[string]*string
	if err := json.Unmarshal(text, &members); err != nil {
		return errors.New("a destination is the key of a field, null, or an object of strings")
	}
	d.Field, d.moved = members["field"], hasKey(members, "field")
	d.Empty, d.Bad = memberOf(members, "empty"), memberOf(members, "bad")
	if format, given := members["format"]; given {
		d.Format = new(cell.Format)
		if format != nil {
			*d.Format = cell.Format(*format)
		}
	}

	return nil
}

// memberOf returns a member, "" for null and nil for one that is not there.
func memberOf(members map[string]*string, key string) *string {
	value := members[key]
	if value == nil && hasKey(members, key) {
		value = new(string)
	}

	return value
}

func hasKey(members map[string]*string, key string) bool {
	_, is := members[key]

	return is
}

// Schema implements huma.SchemaProvider.
func (Destination) Schema(huma.Registry) *huma.Schema {
	text := func(about string, values ...any) *huma.Schema {
		return &huma.Schema{Type: "string", Nullable: true, Description: about, Enum: values}
	}

	return &huma.Schema{AnyOf: []*huma.Schema{
		{Type: "string", Nullable: true, Description: "The key of a field, uuid, version, or null for nowhere."},
		{
			Type: "object", AdditionalProperties: false, Description: "What is left out stays unchanged.",
			Properties: map[string]*huma.Schema{
				"field":  text("The key of a field, uuid, version, or null for nowhere."),
				"format": text("How cells write what can be read in more than one way: YYYY-MM-DD, MM/DD/YYYY, DD/MM/YYYY or MM.DD.YYYY for dates, 1,234.56 or 1.234,56 for numbers (with % behind it, 12.5% is 0.125), a country (US) for phone numbers. null takes only what can be read in one way. Where the field changes and this is left out, what the cells of the file say is taken."),
				"empty":  text("What an empty cell does: no value, the value stays (a new row gets the field's default), or the row is refused. null is what empty_cells says.", "clear", "keep", "refuse", nil),
				"bad":    text("What a cell does that is no value of the field: the row is refused (the default), or the cell is taken for an empty one, which is counted and noted.", "refuse", "leave_empty", nil),
			},
		},
	}}
}

// apply changes a column, and says what is wrong with it.
func (d Destination) apply(row *importRow, i int, t described) (problem string) {
	for len(row.Rules) <= i {
		row.Rules = append(row.Rules, rule{})
	}
	r := &row.Rules[i]
	if d.moved {
		r.Doubt = ""
		to, problem := t.target(d.Field)
		if problem != "" {
			return problem
		}
		r.Left = to == ""
		if to != row.Mapping[i] {
			row.Mapping[i] = to
			r.Format = row.proposal(i, t).Format
		}
	}
	if d.Empty != nil {
		r.Empty = emptyCell(*d.Empty)
	}
	if d.Bad != nil {
		r.Bad = badCell(*d.Bad)
	}
	if d.Format == nil {
		return ""
	}
	r.Format = *d.Format

	return row.checkFormat(i, t)
}

// checkFormat says what is wrong with the format of a column.
func (row *importRow) checkFormat(i int, t described) string {
	f, c := row.rule(i).Format, t.column(row.Mapping[i])
	if c == nil || f == cell.Any {
		return ""
	}
	if _, ok := cell.NewReader(c.Type, f, t.locale); ok {
		return ""
	}
	var known []string
	for _, one := range cell.Formats(c.Type) {
		known = append(known, string(one))
	}
	if c.Type == "phone" {
		known = []string{"countries of ISO 3166 in two letters"}
	}
	if known == nil {
		return "Values of the type " + c.Type + " have no format. Leave it out."
	}

	return "The format must be one of " + strings.Join(known, ", ") + "; not " + readers.Shorten(string(f)) + "."
}

// proposal is how a column seems to write the values of its field.
func (row *importRow) proposal(i int, t described) cell.Proposal {
	c := t.column(row.Mapping[i])
	if c == nil || row.lines() {
		return cell.Proposal{}
	}

	return row.tallied(i).Propose(c.Type, t.locale)
}

// proposeFormats takes for each column the format that its cells seem to have.
func (row *importRow) proposeFormats(t described) {
	for i := range row.Rules {
		row.Rules[i].Format = row.proposal(i, t).Format
	}
}

// says reports whether a column has values that may be meant for a field.
func (row *importRow) says(i int) bool {
	if slices.Contains(everyRow, row.Header[i]) {
		return false
	}

	return row.lines() || i < len(row.Seen) && row.Seen[i].Filled
}

// mappingNotes are why columns go nowhere, and the notes of the formats that were taken as they were proposed.
func (row *importRow) mappingNotes(t described) []string {
	var all []string
	for i := range row.Mapping {
		switch doubt := row.rule(i).Doubt; {
		case doubt != "":
			all = append(all, row.Header[i]+": "+doubt)
		case row.Mapping[i] == "" && !row.rule(i).Left && row.says(i):
			all = append(all, row.Header[i]+": The column goes to no field, so that its values are not imported.")
		}
		if p := row.proposal(i, t); p.Note != "" && row.rule(i).Format == p.Format {
			all = append(all, row.Header[i]+": "+p.Note)
		}
	}

	return slices.Clip(all)
}
