package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/cell"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// plan is how the rows of an import become records of a table.
type plan struct {
	importRow *importRow

	into    collection.Collection
	under   string
	source  string
	columns []planned
	lookup  lookup
	// by is the key of the field that an upsert goes by, "" for another.
	by string
	// gather is the column whose values say which rows make one record, -1 for none.
	gather int
}

// planned is a column of the file.
type planned struct {
	*collection.Field

	to     target
	rule   rule
	reader cell.Reader
	// name is the quoted key and a colon.
	name []byte
	// named are those that its cells name otherwise than by a UUID.
	named namesakes
	// part is where the field stands in a list, nil for one of the row.
	part *part
}

// planOf returns ErrMapping if columns go to what is no longer there.
func planOf(row *importRow, into collection.Collection, t described) (*plan, error) {
	if err := row.check(t); err != nil {
		return nil, err
	}
	p := &plan{importRow: row, into: into, under: t.Under, source: "import:" + row.ID.String(), columns: make([]planned, len(row.Mapping))}
	for i, to := range row.Mapping {
		p.columns[i] = planned{to: to, Field: t.column(to), rule: row.rule(i)}
		if of, is := t.parts[string(to)]; is {
			p.columns[i].part = &of
		}
		if c := p.columns[i].Field; c != nil {
			quoted, err := json.Marshal(c.Key)
			if err != nil {
				return nil, fmt.Errorf("key of field %s: %w", c.ID, err)
			}
			p.columns[i].name = append(quoted, ':')
			p.columns[i].reader = readerOf(c, p.columns[i].rule.Format, t.locale)
		}
	}
	if c := t.column(row.MatchBy); c != nil && row.Mode == upserts {
		p.by = c.Key
	}
	p.gather = p.gathering()

	return p, nil
}

// readerOf reads the cells of a column.
func readerOf(c *collection.Field, f cell.Format, l cell.Locale) cell.Reader {
	reader, _ := cell.NewReader(c.Type, f, l)

	return reader.In(fieldNamed(c).unit)
}

// changeOf makes of a row what is to be written, or says what is wrong with it. Notes are the cells that it left empty. Further rows are those that have
// more elements of the list that rows gather.
func (p *plan) changeOf(cells []string, further ...[]string) (put collection.Change, notes []cellProblem, problem *rowProblem) {
	if problem := p.shape(cells); problem != nil {
		return collection.Change{}, nil, problem
	}
	cells = p.importRow.padded(cells)
	put = collection.Change{By: p.by, Values: []byte{'{'}}
	problem = &rowProblem{}
	lists := map[string]*elements{}
	for i, c := range p.columns {
		if c.to == "" {
			continue
		}
		text, value := p.importRow.cell(cells[i])
		if c.Field == nil {
			problem.addCell(p.putSystem(&put, i, strings.TrimSpace(p.importRow.word(text))))

			continue
		}
		if c.part != nil {
			if lists[c.part.list.Key] == nil {
				lists[c.part.list.Key] = &elements{of: c.part.list}
			}
			more, bad := p.putPart(lists[c.part.list.Key], i, c.part.index, text, value)
			notes = append(notes, more...)
			problem.addCell(bad)

			continue
		}
		raw, said := p.value(i, text, value)
		if said != "" && c.rule.Bad == leaveEmpty && value {
			notes = append(notes, p.problem(i, text, said))
			raw, said = p.value(i, "", false)
		}
		if said != "" {
			problem.addCell(p.problem(i, text, said))
		}
		if raw == nil {
			continue
		}
		put.Values = member(put.Values, c.name, raw)
	}
	if rest := p.gatherMore(lists, cells, further); rest != "" {
		problem.rest = rest
	}
	if err := p.putLists(&put, lists); err != nil {
		problem.rest = err.Error()
	}
	put.Values = append(put.Values, '}')
	if len(problem.cells) == 0 && problem.rest == "" {
		return put, notes, nil
	}
	p.check(cells, problem)

	return collection.Change{}, nil, problem
}

// putPart takes the cell of a field of an element.
func (p *plan) putPart(into *elements, i, index int, text string, value bool) (notes []cellProblem, bad cellProblem) {
	c := p.columns[i]
	if value = value && strings.TrimSpace(text) != ""; !value {
		if c.rule.Empty == refuseEmpty {
			bad = p.problem(i, text, "is empty")
		}

		return nil, bad
	}
	texts := []string{text}
	if !p.importRow.lines() {
		texts = severalIn(text)
	}
	for n, one := range texts {
		if !p.importRow.lines() {
			one = c.part.coded(one)
		}
		raw, err := p.read(i, one)
		if err == nil {
			raw, err = c.Check(raw)
		}
		switch path := strings.Join(c.part.path, "."); {
		case err != nil && c.rule.Bad == leaveEmpty:
			notes = append(notes, p.problem(i, one, err.Error()))
		case err != nil:
			return notes, p.problem(i, one, err.Error())
		case n == 0:
			into.put(index, path, raw)
		default:
			into.more = append(into.more, element{path: raw})
		}
	}

	return notes, bad
}

// putLists writes the lists that columns have elements of. One without any is left as it is.
func (p *plan) putLists(put *collection.Change, lists map[string]*elements) error {
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		raw, err := lists[key].list()
		if err != nil {
			return err
		}
		if raw != nil {
			put.Values = member(put.Values, append(rawjson.Quote(key), ':'), raw)
		}
	}

	return nil
}

// member appends a member to the beginning of a JSON object. The name is quoted, with a colon.
func member(to, name, raw []byte) []byte {
	if len(to) > 1 {
		to = append(to, ',')
	}

	return append(append(to, name...), raw...)
}

// value makes JSON of a cell, nil for one that is left out, and says what is wrong with it.
func (p *plan) value(i int, text string, value bool) (raw []byte, said string) {
	c := p.columns[i]
	if !value {
		switch c.rule.Empty {
		case keeps:
			return nil, ""
		case refuseEmpty:
			return nil, "is empty"
		case clears:
		}

		return []byte("null"), ""
	}
	raw, err := p.read(i, text)
	if err == nil && c.rule.Bad == leaveEmpty {
		_, err = c.Check(raw)
	}
	if err != nil {
		return nil, err.Error()
	}

	return raw, ""
}

// shape finds a row with another number of cells than the header. Empty ones at its end do no harm.
func (p *plan) shape(cells []string) *rowProblem {
	if p.importRow.lines() {
		return nil
	}
	extra := len(cells) > len(p.importRow.Header) && slices.ContainsFunc(cells[len(p.importRow.Header):], func(text string) bool { return text != "" })
	if len(cells) < len(p.importRow.Header) || extra {
		return &rowProblem{rest: fmt.Sprintf("The row has %d values, and the first row names %d columns.", len(cells), len(p.importRow.Header))}
	}

	return nil
}

// check finds what else is wrong with a row that will not be written.
func (p *plan) check(cells []string, problem *rowProblem) {
	for i, c := range p.columns {
		text, value := p.importRow.cell(cells[i])
		if c.Field == nil || !value || problem.blames(i) || c.part != nil {
			continue
		}
		raw, err := p.read(i, text)
		if err == nil {
			_, err = c.Check(raw)
		}
		if err != nil && c.rule.Bad != leaveEmpty {
			problem.addCell(p.problem(i, text, err.Error()))
		}
	}
}

// putSystem takes what every row has.
func (p *plan) putSystem(put *collection.Change, i int, text string) cellProblem {
	if text == "" {
		return cellProblem{}
	}
	switch p.columns[i].to {
	case byUUID:
		id, err := uuid.Parse(text)
		if err != nil || id == uuid.Nil || len(text) != len(id.String()) {
			return p.problem(i, text, "is not a UUID")
		}
		put.Row = id
	case atVersion:
		version, err := strconv.ParseInt(text, 10, 64)
		if err != nil || version < 1 {
			return p.problem(i, text, "is not a version; such as 3")
		}
		put.Version = version
	}

	return cellProblem{}
}

// path is where the value of a key is in the JSON of a row.
func (p *plan) path(key string) string {
	if p.under == "" {
		return key
	}

	return p.under + "." + key
}

// refused says why the area did not take a row, by columns of the file.
func (p *plan) refused(refusal *errs.Error, cells []string) *rowProblem {
	if len(refusal.Fields) == 0 {
		return &rowProblem{rest: refusal.Message}
	}
	var problem rowProblem
	rest := maps.Clone(refusal.Fields)
	for i, c := range p.columns {
		if c.Field == nil {
			continue
		}
		for path, messages := range rest {
			if path == p.path(c.Key) || strings.HasPrefix(path, p.path(c.Key)+".") || c.part != nil && c.part.at(strings.TrimPrefix(path, p.path(""))) {
				problem.addCell(p.cellMessage(i, cells, strings.Join(messages, " ")))
				delete(rest, path)
			}
		}
	}
	var others []string
	for _, messages := range rest {
		others = append(others, messages...)
	}
	slices.Sort(others)
	problem.rest = strings.Join(others, " ")

	return &problem
}

// problemOf returns what is wrong with a row that could not be written, nil for an error that is not about
// the row.
func (p *plan) problemOf(err error, cells []string) *rowProblem {
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok || refusal.Kind == errs.Unavailable {
		return nil
	}

	return p.refused(refusal, p.importRow.padded(cells))
}
