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
}

// planOf returns ErrMapping if columns go to what is not there any more.
func planOf(row *importRow, into collection.Collection, t described) (*plan, error) {
	if err := row.check(t); err != nil {
		return nil, err
	}
	p := &plan{importRow: row, into: into, under: t.Under, source: "import:" + row.ID.String(), columns: make([]planned, len(row.Mapping))}
	for i, to := range row.Mapping {
		p.columns[i] = planned{to: to, Field: t.column(to), rule: row.rule(i)}
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

	return p, nil
}

// readerOf reads the cells of a column.
func readerOf(c *collection.Field, f cell.Format, l cell.Locale) cell.Reader {
	reader, _ := cell.NewReader(c.Type, f, l)

	return reader.In(fieldNamed(c).unit)
}

// changeOf makes of a row what is to be written, or says what is wrong with it. Notes are the cells that it left empty.
func (p *plan) changeOf(cells []string) (put collection.Change, notes []cellProblem, problem *rowProblem) {
	if problem := p.shape(cells); problem != nil {
		return collection.Change{}, nil, problem
	}
	cells = p.importRow.padded(cells)
	put = collection.Change{By: p.by, Values: []byte{'{'}}
	problem = &rowProblem{}
	for i, c := range p.columns {
		if c.to == "" {
			continue
		}
		text, value := p.importRow.cell(cells[i])
		if c.Field == nil {
			problem.addCell(p.putSystem(&put, i, strings.TrimSpace(p.importRow.word(text))))

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
		if len(put.Values) > 1 {
			put.Values = append(put.Values, ',')
		}
		put.Values = append(append(put.Values, c.name...), raw...)
	}
	put.Values = append(put.Values, '}')
	if len(problem.cells) == 0 {
		return put, notes, nil
	}
	p.check(cells, problem)

	return collection.Change{}, nil, problem
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
		if c.Field == nil || !value || problem.blames(i) {
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
			if path == p.path(c.Key) || strings.HasPrefix(path, p.path(c.Key)+".") {
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
