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

	"github.com/dispatchd/dispatchd/platform/errs"
)

// plan is how the rows of an import become records of a table.
type plan struct {
	*importRow

	source  string
	columns []planned
	// by is the key of the field that an upsert goes by, "" for another.
	by string
}

// planned is a column of the file.
type planned struct {
	*Column

	to target
	// name is the quoted key and a colon.
	name []byte
	// spoken is the key as it stands in a sentence.
	spoken string
}

// planOf returns errMapping if columns go to what is not there any more.
func planOf(row *importRow, t Table) (*plan, error) {
	if err := row.check(t); err != nil {
		return nil, err
	}
	p := &plan{importRow: row, source: "import:" + row.ID.String(), columns: make([]planned, len(row.Mapping))}
	for i, to := range row.Mapping {
		p.columns[i] = planned{to: to, Column: t.column(to)}
		if c := p.columns[i].Column; c != nil {
			quoted, err := json.Marshal(c.Key)
			if err != nil {
				return nil, fmt.Errorf("key of field %s: %w", c.Field, err)
			}
			p.columns[i].name, p.columns[i].spoken = append(quoted, ':'), strings.ReplaceAll(c.Key, "_", " ")
		}
	}
	if c := t.column(row.MatchBy); c != nil && row.Mode == upserts {
		p.by = c.Key
	}

	return p, nil
}

// rowProblem is what is wrong with a row of the file.
type rowProblem struct {
	text string
	// columns are the places of those that are to blame.
	columns []int
}

// put makes of a row what is to be written, or says what is wrong with it.
func (p *plan) put(cells []string) (Put, *rowProblem) {
	if problem := p.shape(cells); problem != nil {
		return Put{}, problem
	}
	cells = p.padded(cells)
	put := Put{By: p.by, Payload: []byte{'{'}}
	var problems []string
	var blamed []int
	blame := func(i int, message string) {
		problems, blamed = append(problems, p.columns[i].says(p.Header[i], message)), append(blamed, i)
	}
	for i, c := range p.columns {
		if c.to == "" {
			continue
		}
		text, value := p.cell(cells[i])
		if c.Column == nil {
			if problem := put.system(c.to, strings.TrimSpace(p.word(text))); problem != "" {
				blame(i, problem)
			}

			continue
		}
		if !value && p.KeepEmpty {
			continue
		}
		raw := []byte("null")
		if value {
			var err error
			if raw, err = p.json(c.Column, text); err != nil {
				blame(i, "The "+c.spoken+" "+err.Error())

				continue
			}
		}
		if len(put.Payload) > 1 {
			put.Payload = append(put.Payload, ',')
		}
		put.Payload = append(append(put.Payload, c.name...), raw...)
	}
	put.Payload = append(put.Payload, '}')
	if len(problems) == 0 {
		return put, nil
	}
	more, also := p.checked(cells, blamed)

	return Put{}, &rowProblem{text: strings.Join(append(problems, more...), " "), columns: append(blamed, also...)}
}

// shape finds a row with another number of cells than the header. Empty ones at its end do no harm.
func (p *plan) shape(cells []string) *rowProblem {
	if p.lines() {
		return nil
	}
	extra := len(cells) > len(p.Header) && slices.ContainsFunc(cells[len(p.Header):], func(cell string) bool { return cell != "" })
	if len(cells) < len(p.Header) || extra {
		return &rowProblem{text: fmt.Sprintf("The row has %d values, and the first row names %d columns.", len(cells), len(p.Header))}
	}

	return nil
}

// checked finds what else is wrong with a row that will not be written.
func (p *plan) checked(cells []string, but []int) (problems []string, blamed []int) {
	for i, c := range p.columns {
		text, value := p.cell(cells[i])
		if c.Column == nil || !value || slices.Contains(but, i) {
			continue
		}
		raw, err := p.json(c.Column, text)
		if err == nil {
			_, err = c.Check(raw)
		}
		if err != nil {
			problems, blamed = append(problems, c.says(p.Header[i], "The "+c.spoken+" "+err.Error())), append(blamed, i)
		}
	}

	return problems, blamed
}

// says names the column in front of a message.
func (c planned) says(header, message string) string {
	return "[" + shorten(header) + "] " + message
}

// system takes what every record has.
func (put *Put) system(to target, cell string) (problem string) {
	if cell == "" {
		return ""
	}
	switch to {
	case byUUID:
		id, err := uuid.Parse(cell)
		if err != nil || id == uuid.Nil || len(cell) != len(id.String()) {
			return "The uuid must be a UUID."
		}
		put.Record = id
	case atVersion:
		version, err := strconv.ParseInt(cell, 10, 64)
		if err != nil || version < 1 {
			return "The version must be a whole number from 1 on."
		}
		put.Version = version
	}

	return ""
}

// refused says why the area did not take a row, by columns of the file.
func (p *plan) refused(refusal *errs.Error) *rowProblem {
	if len(refusal.Fields) == 0 {
		return &rowProblem{text: refusal.Message}
	}
	var problem rowProblem
	var said []string
	rest := maps.Clone(refusal.Fields)
	for i, c := range p.columns {
		if c.Column == nil {
			continue
		}
		for path, messages := range rest {
			if path == namePayload+"."+c.Key || strings.HasPrefix(path, namePayload+"."+c.Key+".") {
				said, problem.columns = append(said, c.says(p.Header[i], strings.Join(messages, " "))), append(problem.columns, i)
				delete(rest, path)
			}
		}
	}
	var others []string
	for _, messages := range rest {
		others = append(others, messages...)
	}
	slices.Sort(others)
	problem.text = strings.Join(append(said, others...), " ")

	return &problem
}

// problemOf returns what is wrong with a row that could not be written, nil for an error that is not about
// the row.
func (p *plan) problemOf(err error) *rowProblem {
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok || refusal.Kind == errs.Unavailable {
		return nil
	}

	return p.refused(refusal)
}
