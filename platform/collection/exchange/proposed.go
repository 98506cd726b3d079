package exchange

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// proposedField is a field that a column could go to, if there were one.
type proposedField struct {
	Column   string     `json:"column"`
	Field    fieldDraft `json:"field" doc:"The body of the operation that adds the field."`
	Examples []string   `json:"examples" nullable:"false" doc:"Cells of the column."`
	Cells    int64      `json:"cells" doc:"Cells that are not empty, of which the first 10,000 are looked at."`
	Fits     int64      `json:"fits" doc:"How many of them the field would take."`
}

// fieldDraft is what adding a field takes.
type fieldDraft struct {
	Key     string         `json:"key"`
	Label   string         `json:"label"`
	Type    string         `json:"type"`
	Options map[string]any `json:"options,omitempty"`
}

const (
	// mostExamples is how many cells a proposal shows.
	mostExamples = 3
	longestKey   = 40
	longestLabel = 100
)

// proposedFields are fields for the columns that go nowhere, where the company defines the fields of the collection.
func (row *importRow) proposedFields(t described) []proposedField {
	all := []proposedField{}
	if t.FreeKey == nil || row.lines() {
		return all
	}
	taken := map[string]bool{}
	for i, name := range row.Header {
		if row.Mapping[i] != "" || i >= len(row.Seen) || row.Seen[i].Guess.Cells == 0 || slices.Contains(everyRow, name) {
			continue
		}
		g := &row.Seen[i].Guess
		p := proposedField{Column: name, Examples: g.Values[:min(len(g.Values), mostExamples)], Cells: g.Cells}
		p.Field.Type, p.Field.Options, p.Fits = g.Kind(name, t.locale)
		p.Field.Label = readers.Truncate(naming.Normal(name), longestLabel)
		p.Field.Key = freeKey(name, func(key string) bool { return !taken[key] && t.FreeKey(key) })
		taken[p.Field.Key] = true
		all = append(all, p)
	}

	return all
}

// everyRow are the columns of exports and reports that are no fields.
var everyRow = []string{
	nameUUID, nameVersion, nameCreated, nameCreator, nameUpdated, nameUpdater, reportRow, reportLine, reportProblem,
}

// freeKey makes a key of the name of a column: "Gate code (inches)" is gate_code_in.
func freeKey(name string, free func(string) bool) string {
	h := naming.ReadHeading(name)
	words := slices.DeleteFunc(append(slices.Clone(h.Words), h.Unit), func(word string) bool {
		return !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	})
	key := strings.TrimRight(readers.Truncate(strings.Join(words, "_"), longestKey), "_")
	if !strings.ContainsFunc(key[:min(len(key), 1)], unicode.IsLetter) && (key == "" || key[0] < 0x80) {
		key = strings.TrimRight("field_"+key, "_")
	}
	made := key
	for n := 2; !free(made) && n < 1_000; n++ {
		made = fmt.Sprintf("%s_%d", key, n)
	}

	return made
}
