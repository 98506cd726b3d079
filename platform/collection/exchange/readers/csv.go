package readers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table reads CSV (RFC 4180) row by row, and never has more of it in memory than a row may have:
// encoding/csv would read a file to its end behind a quote that never closes, and turns the line ends
// inside a value into others.
type Table struct {
	from *bufio.Reader
	// Delimiter stands between cells.
	Delimiter byte
	// mostBytes and mostCells bound a row.
	mostBytes, mostCells int
	// line is that of the next byte, from 1; rows counts those that were read, with empty ones.
	line, rows int

	cell  []byte
	cells []string
	bytes int
	names []string

	ahead lookahead
}

func newTable(from io.Reader, l Limits) *Table {
	return &Table{from: bufio.NewReaderSize(from, 64<<10), mostBytes: l.RowSize, mostCells: l.Columns, line: 1}
}

// Next implements Source. Rows with nothing in them, delimiters alone among them, are passed over.
func (t *Table) Next() (cells []string, line int, err error) { return t.ahead.next(t.readAhead) }

func (t *Table) readAhead() (row, error) {
	cells, line, err := t.nextRow()

	return row{cells, line, t.rows, t.bytes}, err
}

// nextRow returns the cells of the next row in which there is something, and the line on which it begins; io.EOF after the last. What is wrong
// with the file is ErrBadFile.
func (t *Table) nextRow() (cells []string, line int, err error) {
	for {
		line = t.line
		t.cells, t.bytes = nil, 0
		t.rows++
		ended, err := t.readRow(line)
		if err != nil {
			return nil, line, err
		}
		if slices.ContainsFunc(t.cells, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
			return t.cells, line, nil
		}
		if ended {
			return nil, line, io.EOF
		}
	}
}

// Header implements Source.
func (t *Table) Header() []string { return t.names }

// Row implements Source.
func (t *Table) Row() int { return t.ahead.last.number }

// Size implements Source.
func (t *Table) Size() int { return t.ahead.last.bytes }

// readRow reads up to the end of a row, and reports whether the file ended with it.
func (t *Table) readRow(line int) (ended bool, err error) {
	for {
		t.cell = t.cell[:0]
		b, err := t.read()
		if err == nil && b == '"' {
			b, err = t.quoted()
		} else {
			b, err = t.readBare(b, err)
		}
		ended = errors.Is(err, io.EOF)
		if err != nil && !ended {
			return false, err
		}
		if err := t.addCell(line); err != nil || ended {
			return ended, err
		}
		if b != t.Delimiter {
			return false, t.endLine(b)
		}
	}
}

// readBare reads a cell without quotes, from its first byte to what ends it.
func (t *Table) readBare(b byte, err error) (byte, error) {
	for err == nil && b != t.Delimiter && b != '\n' && b != '\r' {
		if err = t.add(b); err == nil {
			b, err = t.read()
		}
	}

	return b, err
}

// quoted reads a cell behind its first quote to what ends it.
func (t *Table) quoted() (byte, error) {
	opened := t.line
	for {
		b, err := t.read()
		switch {
		case errors.Is(err, io.EOF):
			return 0, BadFile("The quote that opens in line %d is never closed.", opened)
		case err != nil:
			return 0, err
		case b == '\n':
			t.line++
		}
		if b != '"' {
			if err := t.add(b); err != nil {
				return 0, BadFile("A row with more than %d bytes: is the quote that opens in line %d ever closed?", t.mostBytes, opened)
			}

			continue
		}
		if b, err = t.read(); err != nil || b == t.Delimiter || b == '\n' || b == '\r' {
			return b, err
		}
		if b != '"' {
			return 0, BadFile("In line %d, something stands behind the quote that ends a value. A quote inside a value is written twice.", t.line)
		}
		if err := t.add('"'); err != nil {
			return 0, err
		}
	}
}

// endLine takes the rest of a line's end.
func (t *Table) endLine(b byte) error {
	t.line++
	if b != '\r' {
		return nil
	}
	next, err := t.from.Peek(1)
	if err == nil && next[0] == '\n' {
		_, err = t.from.ReadByte()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}

	return err
}

func (t *Table) read() (byte, error) { return t.from.ReadByte() }

func (t *Table) add(b byte) error {
	if t.bytes++; t.bytes > t.mostBytes {
		return BadFile("The row that ends behind line %d has more than %d bytes.", t.line, t.mostBytes)
	}
	if b == 0 {
		return BadFile("Line %d has a NUL byte: the file is no CSV, or is in another encoding than it seems.", t.line)
	}
	t.cell = append(t.cell, b)

	return nil
}

// addCell adds the cell to the row that began in a line.
func (t *Table) addCell(line int) error {
	if len(t.cells) >= t.mostCells {
		return BadFile("The row in line %d has more than %d columns.", line, t.mostCells)
	}
	if !utf8.Valid(t.cell) {
		return ErrEncoding.WithField("file", fmt.Sprintf(
			"Line %d has bytes that are not UTF-8. Save the file as UTF-8, or say encoding=windows-1252 if it is that.", line))
	}
	t.cells = append(t.cells, string(t.cell))

	return nil
}

// BadFile is ErrBadFile with what is wrong with the file.
func BadFile(format string, args ...any) error {
	return ErrBadFile.WithField("file", fmt.Sprintf(format, args...))
}

// named is a first line that says the delimiter, as Excel reads it: sep=;
var named = regexp.MustCompile(`^(?i:"?sep=([,;|\t])"?)(\r\n|\n|\r)`)

// sniff finds the delimiter of a file: the one that its first line names or, of those that there are, the one that one of its first lines has
// most of outside of quotes.
func (t *Table) sniff() error {
	start, err := t.from.Peek(32 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if m := named.FindSubmatch(start); m != nil {
		t.Delimiter = m[1][0]
		t.line++
		t.rows++
		_, err := t.from.Discard(len(m[0]))

		return err
	}
	counts, line, inside, lines := map[byte]int{}, map[byte]int{}, false, 0
	for _, b := range start {
		if b == '"' {
			inside = !inside
		}
		if !inside && (b == '\n' || b == '\r') {
			for _, d := range delimiters {
				counts[d] = max(counts[d], line[d])
			}
			if lines++; lines == titleLines || counts[',']+counts[';']+counts['\t']+counts['|'] > 0 {
				break
			}
			line = map[byte]int{}
		} else if !inside {
			line[b]++
		}
	}
	for _, d := range delimiters {
		counts[d] = max(counts[d], line[d])
	}
	t.Delimiter = ','
	for _, b := range delimiters {
		if counts[b] > counts[t.Delimiter] {
			t.Delimiter = b
		}
	}

	return nil
}

var delimiters = []byte{',', ';', '\t', '|'}

// Separator is the name of what stands between cells.
type Separator string

func (s Separator) char() byte {
	switch s {
	case "semicolon":
		return ';'
	case "tab":
		return '\t'
	case "pipe":
		return '|'
	}

	return ','
}
