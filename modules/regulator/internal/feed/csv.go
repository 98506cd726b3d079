package feed

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// maxRow is how many bytes a row may have, and maxRowLines how many lines: a quote that nobody closes ends there.
	maxRow      = 256 << 10
	maxRowLines = 32
	// readBuffer is how much of a file is read at once.
	readBuffer = 1 << 20
)

// errLongRow is the reason of a row that does not end.
var errLongRow = errors.New("the row does not end: is a quote missing?")

// brokenRowError is a row that could not be read. The file goes on behind it.
type brokenRowError struct {
	text string
	why  error
}

func (b *brokenRowError) Error() string { return b.why.Error() }

// table reads a CSV file row by row, in memory for one row. A broken row costs only its own line.
type table struct {
	source *bufio.Reader
	// offset is where the row after the one that was read last begins.
	offset int64
	head   []string
	// pending has lines that were read in search of the end of a row that has none.
	pending [][]byte
	content bytes.Reader
	parser  *csv.Reader
	// cells are reused for rows without quotes.
	cells []string
}

// openTable reads the head of a file.
func openTable(from io.Reader) (*table, error) {
	t := &table{source: bufio.NewReaderSize(from, readBuffer)}
	t.parser = csv.NewReader(bufio.NewReaderSize(&t.content, maxRow))
	t.parser.ReuseRecord = true
	t.parser.FieldsPerRecord = -1
	cells, _, err := t.record()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("the head of the file: %w", err)
	}
	for _, name := range cells {
		name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
		t.head = append(t.head, strings.ReplaceAll(name, " ", "_"))
	}

	return t, nil
}

// columns implements source.
func (t *table) columns() []string { return t.head }

// place implements source.
func (t *table) place() int64 { return t.offset }

// next implements source.
func (t *table) next(context.Context) ([]string, error) {
	cells, text, err := t.record()
	if err != nil {
		return nil, err
	}
	if len(cells) != len(t.head) {
		return nil, &brokenRowError{text: string(text), why: fmt.Errorf("%d columns instead of %d", len(cells), len(t.head))}
	}

	return cells, nil
}

// record reads a row of any number of columns, and the text of it.
func (t *table) record() (cells []string, text []byte, err error) {
	text, err = t.line()
	if err != nil {
		return nil, nil, err
	}
	if bytes.IndexByte(text, '"') < 0 {
		return t.plain(text)
	}
	first := text
	for lines := 1; bytes.Count(text, []byte{'"'})%2 == 1; lines++ {
		more, err := t.line()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		if err != nil || lines >= maxRowLines || len(text)+len(more) > maxRow {
			t.again(text[len(first):], more)

			return nil, nil, &brokenRowError{text: string(first), why: errLongRow}
		}
		text = append(slices.Clip(text), more...)
	}
	t.content.Reset(text)
	cells, err = t.parser.Read()
	if err != nil {
		return nil, nil, &brokenRowError{text: string(text), why: err}
	}

	return cells, text, nil
}

// plain reads a row without quotes, which takes a fraction of the time.
func (t *table) plain(text []byte) (cells []string, _ []byte, err error) {
	row := strings.TrimRight(string(text), "\r\n")
	if row == "" {
		return t.record()
	}
	t.cells = t.cells[:0]
	for {
		cell, rest, more := strings.Cut(row, ",")
		t.cells = append(t.cells, cell)
		if !more {
			return t.cells, text, nil
		}
		row = rest
	}
}

// again puts lines back that belong to the rows behind a broken one.
func (t *table) again(lines ...[]byte) {
	var back [][]byte
	for _, l := range lines {
		for one := range bytes.Lines(l) {
			back = append(back, bytes.Clone(one))
			t.offset -= int64(len(one))
		}
	}
	t.pending = append(back, t.pending...)
}

// line returns the next line with its end.
func (t *table) line() ([]byte, error) {
	if len(t.pending) > 0 {
		line := t.pending[0]
		t.pending = t.pending[1:]
		t.offset += int64(len(line))

		return line, nil
	}
	line, err := t.source.ReadSlice('\n')
	t.offset += int64(len(line))
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, t.skipLine(line)
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, err
	}

	return bytes.Clone(line), nil
}

// skipLine passes over the rest of a line that is longer than the buffer.
func (t *table) skipLine(begun []byte) error {
	broken := &brokenRowError{text: string(begun[:min(len(begun), maxRow)]), why: errLongRow}
	for {
		line, err := t.source.ReadSlice('\n')
		t.offset += int64(len(line))
		switch {
		case err == nil, errors.Is(err, io.EOF):
			return broken
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}
