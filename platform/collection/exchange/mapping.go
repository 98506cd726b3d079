package exchange

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// byUUID is the target of a column with the ids of records, atVersion of one with their versions.
const (
	byUUID    target = nameUUID
	atVersion target = nameVersion
)

// foldName returns what names have in common that people take for the same: "Pickup date", "pickup_date".
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '.', '_', '\u00a0':
			return -1
		}

		return r
	}, strings.ToLower(norm.NFKC.String(name)))
}

// MappingPatch is the body of a change of where columns go.
type MappingPatch struct {
	Mapping    map[string]Destination `json:"mapping,omitempty" doc:"By the names of columns: the key of the field that the values go to, uuid, version, or null for nowhere; or an object with it as field, and with format, empty and bad. Columns that are left out stay unchanged."`
	Mode       *mode                  `json:"mode,omitempty" enum:"create,upsert" doc:"Whether each row makes a record, or changes the one that has its value in by, if there is one."`
	By         *string                `json:"by,omitempty" doc:"What an upsert goes by: uuid, or the key of a unique field. A column goes to it."`
	EmptyCells *string                `json:"empty_cells,omitempty" enum:"clear,keep" doc:"Whether an empty cell means no value, or leaves the value as it is (and a new record the field's default)."`
}

// apply changes where columns go, and says what is wrong with it.
func (p MappingPatch) apply(row *importRow, t described) error {
	refusal := ErrMapping
	for name, to := range p.Mapping {
		i := slices.Index(row.Header, norm.NFC.String(strings.TrimSpace(name)))
		if i < 0 {
			refusal = refusal.WithField("mapping."+readers.Shorten(name), "The file has no such column; it has "+listNames(row.Header)+".")

			continue
		}
		if problem := to.apply(row, i, t); problem != "" {
			refusal = refusal.WithField("mapping."+readers.Shorten(name), problem)
		}
	}
	if p.Mode != nil {
		row.Mode = *p.Mode
	}
	if p.By != nil {
		to, problem := t.target(p.By)
		if problem != "" {
			refusal = refusal.WithField("by", problem)
		}
		row.MatchBy = to
	}
	if row.Mode == creates && p.By == nil {
		row.MatchBy = ""
	}
	if p.EmptyCells != nil {
		row.KeepEmpty = *p.EmptyCells == "keep"
	}
	if len(refusal.Fields) > 0 {
		return refusal
	}

	return row.check(t)
}

// target finds what a key names, and says what is wrong with it.
func (t described) target(key *string) (target, string) {
	if key == nil || *key == "" {
		return "", ""
	}
	if *key == nameUUID || *key == nameVersion {
		return target(*key), ""
	}
	var known []string
	for _, c := range t.Fields {
		if c.Key == norm.NFC.String(*key) {
			if !c.Settable {
				return "", "The field " + c.Key + " cannot be set."
			}

			return target(c.ID), ""
		}
		if c.Settable {
			known = append(known, c.Key)
		}
	}

	return "", "The " + t.Noun + " has no field " + readers.Shorten(*key) + "; it has " + listNames(known) + "."
}

// checkFor is check for what needs the columns: an undo does not.
func (row *importRow) checkFor(to Status, t described) error {
	if to == undoing {
		return nil
	}

	return row.check(t)
}

// check returns ErrMapping if an import cannot be done as its columns go.
func (row *importRow) check(t described) error {
	refusal, used := ErrMapping, map[target]int{}
	add := func(i int, problem string) {
		refusal = refusal.WithField("mapping."+readers.Shorten(row.Header[i]), problem)
	}
	for i, to := range row.Mapping {
		if to == "" {
			continue
		}
		if first, twice := used[to]; twice {
			add(i, fmt.Sprintf("The column %q goes there already.", readers.Shorten(row.Header[first])))
		}
		used[to] = i
		switch c := t.column(to); {
		case to == byUUID && row.MatchBy != byUUID:
			add(i, `Only an upsert by "uuid" takes a column with uuids. Map it to null, or set by to "uuid".`)
		case to == atVersion && row.Mode != upserts:
			add(i, "Only an upsert takes a column with versions. Map it to null.")
		case to != byUUID && to != atVersion && c == nil:
			add(i, "The field that the column goes to is no longer there, or has another type.")
		case c != nil && !c.Settable:
			add(i, "The field "+c.Key+" can no longer be set.")
		}
		if problem := row.checkFormat(i, t); problem != "" {
			add(i, problem)
		}
		if of, is := t.parts[string(to)]; is && slices.Contains(row.Mapping, target(of.list.ID)) {
			add(i, "Another column goes to all of "+of.list.Key+". Map one of the two to null.")
		}
	}
	if problem := row.checkMatch(t, used); problem != "" {
		refusal = refusal.WithField("by", problem)
	}
	if len(used) == 0 {
		refusal = refusal.WithField("mapping", "No column goes to a field. The "+t.Noun+" has "+listNames(t.keys())+".")
	}
	if len(refusal.Fields) == 0 {
		return nil
	}

	return refusal
}

// checkMatch says what is wrong with what an upsert goes by.
func (row *importRow) checkMatch(t described, used map[target]int) string {
	if row.Mode == creates {
		if row.MatchBy != "" {
			return "`by` is for the mode upsert."
		}

		return ""
	}
	if row.MatchBy == "" {
		return "`by` is required: uuid, or the key of a unique field (" + listNames(t.uniqueKeys()) + ")."
	}
	if c := t.column(row.MatchBy); row.MatchBy != byUUID && (c == nil || !c.Unique) {
		return "`by` must be uuid or the key of a unique field (" + listNames(t.uniqueKeys()) + ")."
	}
	if _, mapped := used[row.MatchBy]; !mapped {
		return "No column goes to it."
	}

	return ""
}

// warnings says what will keep rows from becoming records.
func (row *importRow) warnings(t described) []string {
	var all []string
	for _, c := range t.Fields {
		if c.Required && c.Settable && !slices.ContainsFunc(row.Mapping, func(to target) bool {
			of, is := t.parts[string(to)]

			return to == target(c.ID) || is && of.list.ID == c.ID
		}) {
			all = append(all, "The field "+c.Key+" is required, and no column goes to it: unless it has a default, new records will be refused.")
		}
	}

	return append(all, row.mappingNotes(t)...)
}

// column returns the column of a target, nil if it is no field that there is.
func (t described) column(to target) *collection.Field {
	for i := range t.Fields {
		if t.Fields[i].ID == string(to) {
			return &t.Fields[i]
		}
	}

	return nil
}

// name returns what a caller calls a target, nil for nowhere.
func (t described) name(to target) *string {
	if to == byUUID || to == atVersion {
		return new(string(to))
	}
	if c := t.column(to); c != nil {
		return &c.Key
	}

	return nil
}

func (t described) keys() []string {
	var keys []string
	for _, c := range t.Fields {
		keys = append(keys, c.Key)
	}

	return keys
}

func (t described) uniqueKeys() []string {
	var keys []string
	for _, c := range t.Fields {
		if c.Unique {
			keys = append(keys, c.Key)
		}
	}

	return keys
}

// mostNames is how many names a message has.
const mostNames = 30

// listNames names things, and says if there are none or more.
func listNames(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	shown := make([]string, min(len(names), mostNames))
	for i := range shown {
		shown[i] = readers.Shorten(names[i])
	}
	text := strings.Join(shown, ", ")
	if len(names) > mostNames {
		text += fmt.Sprintf(" and %d more", len(names)-mostNames)
	}

	return text
}

// hideCollectionError turns the area's answer for a module that the caller does not see into that for an import.
func hideCollectionError(err error) error {
	if errs.KindOf(err) == errs.NotFound {
		return ErrImportNotFound
	}

	return err
}
