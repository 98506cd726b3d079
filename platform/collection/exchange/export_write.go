package exchange

import (
	"bytes"
	"encoding/csv"
	"io"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
)

// writer begins to write an export.
func (in *Export) writer(w io.Writer, columns []picked, of collection.Description) (rowWriter, error) {
	if in.Format == asLines {
		return &lineWriter{to: w, columns: columns, of: of}, nil
	}
	if in.Format == asSheet {
		return in.sheetWriter(w, columns, of)
	}
	if in.BOM {
		if _, err := io.WriteString(w, readers.ByteOrderMark); err != nil {
			return nil, err
		}
	}
	out := &tableWriter{to: csv.NewWriter(w), columns: columns, of: of, cells: make([]string, len(columns))}
	copy(out.cells, in.heads(columns))

	return out, out.to.Write(out.cells)
}

// tableWriter writes CSV.
type tableWriter struct {
	to      *csv.Writer
	columns []picked
	of      collection.Description
	cells   []string
}

func (t *tableWriter) write(row collection.Row, places []int, named known) error {
	for i, c := range t.columns {
		switch {
		case c.field == nil:
			t.cells[i] = shieldName(named, c.name, systemCell(c.name, row, t.of))
		case isNull(row.Values[places[i]]):
			t.cells[i] = ""
		default:
			t.cells[i] = Shield(named.cell(c.field, row.Values[places[i]]))
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
	of      collection.Description
	line    []byte
}

func (l *lineWriter) write(row collection.Row, places []int, _ known) error {
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
		switch cell := systemCell(c.name, row, l.of); {
		case c.name == nameVersion:
			line = append(line, cell...)
		case cell == "":
			line = append(line, "null"...)
		default:
			line = append(append(append(line, '"'), cell...), '"')
		}
	}
	switch {
	case payload && l.of.Under != "":
		line = append(l.values(append(append(append(line, ',', '"'), l.of.Under...), `":{`...), row, places), '}')
	case payload:
		line = l.values(line, row, places)
	}
	l.line = append(line, '}', '\n')
	_, err := l.to.Write(l.line)

	return err
}

// values appends the values that there are.
func (l *lineWriter) values(line []byte, row collection.Row, places []int) []byte {
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

	return line
}

func (*lineWriter) flush() error { return nil }

// isNull reports whether a stored value is none.
func isNull(json []byte) bool { return len(json) == 0 || bytes.Equal(json, []byte("null")) }
