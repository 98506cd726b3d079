package ownfields

import (
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/search"
)

// Searched implements resource.Own.
func (o ownSet) Searched() bool {
	return slices.ContainsFunc(o.d.Fields, func(f *definition.ModuleField) bool { return f.Searchable })
}

// Lines implements resource.Own. The line of a field is that of its number, which it has for good.
func (o ownSet) Lines(document []byte) []search.Line {
	var lines []search.Line
	for _, f := range o.d.Fields {
		worded, has := f.Values.(field.Worded)
		raw := rawjson.OrNothing(rawjson.Member(document, f.Number))
		if !f.Searchable || !has || len(raw) == 0 {
			continue
		}
		line := search.Line{Text: worded.Words(raw)}
		if raw[0] == '"' {
			line = search.Line{Text: rawjson.Text(raw), More: line.Text}
		}
		number, err := strconv.Atoi(f.Number)
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
	if i, there := o.d.ByNumber[strconv.Itoa(line+1)]; there && o.d.Fields[i].Searchable {
		return o.d.Fields[i].Key
	}

	return ""
}
