package custommodules

import (
	"context"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/search"
)

// Searched implements resource.Own.
func (o ownSet) Searched() bool {
	return slices.ContainsFunc(o.d.fields, func(f *moduleField) bool { return f.searchable })
}

// Lines implements resource.Own. The line of a field is that of its number, which it has for good.
func (o ownSet) Lines(document []byte) []search.Line {
	var lines []search.Line
	for _, f := range o.d.fields {
		worded, has := f.values.(field.Worded)
		raw := rawjson.OrNothing(rawjson.Member(document, f.number))
		if !f.searchable || !has || len(raw) == 0 {
			continue
		}
		line := search.Line{Text: worded.Words(raw)}
		if raw[0] == '"' {
			line = search.Line{Text: rawjson.Text(raw), More: line.Text}
		}
		number, err := strconv.Atoi(f.number)
		if err != nil {
			continue // a copy of a field of the struct, which has a line there
		}
		lines = append(lines, make([]search.Line, number-len(lines))...)
		lines[number-1] = line
	}

	return lines
}

// LineKey implements resource.Own.
func (o ownSet) LineKey(line int) string {
	if i, there := o.d.byNumber[strconv.Itoa(line+1)]; there && o.d.fields[i].searchable {
		return o.d.fields[i].key
	}

	return ""
}

// searchAnew has the rows of an area entered anew into the index by which they are found, when a change of a field is over
// that has changed records and not rows. Changes of the type have that done by takePlace.
func (s *service) searchAnew(ctx context.Context, row changeRow) error {
	if row.Kind != changeRequired && row.Kind != changeUnique {
		return nil
	}
	in, err := s.repo.module(ctx, row.ModuleID)
	if err != nil || in.ItemType == "" {
		return err
	}
	of, err := s.repo.field(ctx, row.ModuleID, row.FieldID)
	if err != nil || !of.Searchable {
		return err
	}

	return s.reindexWords(ctx, in, of.ID)
}
