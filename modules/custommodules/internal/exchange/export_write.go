package exchange

import (
	"bytes"
	"encoding/csv"
	"io"

	"github.com/google/uuid"
)

// byteOrderMark tells Excel that a file is UTF-8.
const byteOrderMark = "\ufeff"

// writer begins to write an export.
func (in *exportInput) writer(w io.Writer, columns []picked) (rowWriter, error) {
	if in.Format == asLines {
		return &lineWriter{to: w, columns: columns, module: in.UUID}, nil
	}
	if in.BOM {
		if _, err := io.WriteString(w, byteOrderMark); err != nil {
			return nil, err
		}
	}
	out := &tableWriter{to: csv.NewWriter(w), columns: columns, module: in.UUID, cells: make([]string, len(columns))}
	for i, c := range columns {
		out.cells[i] = c.name
	}

	return out, out.to.Write(out.cells)
}

// tableWriter writes CSV.
type tableWriter struct {
	to      *csv.Writer
	columns []picked
	module  uuid.UUID
	cells   []string
}

func (t *tableWriter) write(row Row, places []int) error {
	for i, c := range t.columns {
		switch {
		case c.field == nil:
			t.cells[i] = systemCell(c.name, row, t.module)
		case nothing(row.Values[places[i]]):
			t.cells[i] = ""
		default:
			t.cells[i] = shield(c.field.Cell(row.Values[places[i]]))
		}
	}

	return t.to.Write(t.cells)
}

func (t *tableWriter) flush() error {
	t.to.Flush()

	return t.to.Error()
}

// lineWriter writes JSON, a record a line, as answers show it.
type lineWriter struct {
	to      io.Writer
	columns []picked
	module  uuid.UUID
	line    []byte
}

func (l *lineWriter) write(row Row, places []int) error {
	line, payload := append(l.line[:0], '{'), false
	for i, c := range l.columns {
		if c.field != nil {
			payload = true

			continue
		}
		if i > 0 {
			line = append(line, ',')
		}
		line = append(append(append(line, '"'), c.name...), `":`...)
		if c.name == nameVersion {
			line = append(line, systemCell(c.name, row, l.module)...)

			continue
		}
		line = append(append(append(line, '"'), systemCell(c.name, row, l.module)...), '"')
	}
	if payload {
		line = l.payload(append(line, `,"payload":{`...), row, places)
	}
	l.line = append(line, '}', '\n')
	_, err := l.to.Write(l.line)

	return err
}

// payload appends the values that there are.
func (l *lineWriter) payload(line []byte, row Row, places []int) []byte {
	for i, c := range l.columns {
		if c.field == nil || row.Values[places[i]] == nil {
			continue
		}
		if line[len(line)-1] != '{' {
			line = append(line, ',')
		}
		line = append(append(append(line, '"'), c.name...), `":`...)
		line = c.field.Append(line, row.Values[places[i]])
	}

	return append(line, '}')
}

func (*lineWriter) flush() error { return nil }

// nothing reports whether a stored value is none.
func nothing(json []byte) bool { return len(json) == 0 || bytes.Equal(json, []byte("null")) }
