package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// source is the rows of a file.
type source interface {
	// next returns the cells of a row and the line on which it begins; io.EOF after the last. What is wrong with the
	// file is ErrBadFile or ErrEncoding.
	next() (cells []string, line int, err error)
	// row is the number of the row that was last read, as a spreadsheet shows it; that of the line in JSON Lines.
	row() int
	// header is the names of the columns. It is whole when the last row was read.
	header() []string
	// size is how many bytes the last row had.
	size() int
}

// open begins to read a file.
func (m *Importer) open(ctx context.Context, in *Upload, from io.Reader, t described) (source, importRow, error) {
	buffered := bufio.NewReaderSize(from, 64<<10)
	source, row, err := m.begin(in, buffered, t)
	if err != nil {
		return nil, row, err
	}
	if caller, _ := principal.From(ctx); caller.User != uuid.Nil {
		row.CreatedBy = &caller.User
	}

	return source, row, nil
}

// begin reads up to the first row of a file.
func (m *Importer) begin(in *Upload, from *bufio.Reader, t described) (source, importRow, error) {
	now := m.clock.Now()
	row := importRow{
		ID: database.NewID(), Area: t.Area, Collection: t.Name, Part: t.Part, FileName: in.fileName(), State: ready, Encoding: utf8Text, Format: asCSV, Header: []string{}, Mode: creates, Rules: []rule{}, Seen: []seen{},
		Beat: now, Mapping: []target{}, Samples: [][]string{}, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if sheet, err := isSheet(in, from); err != nil {
		return nil, row, err
	} else if sheet {
		row.Format = asSheet
		source, err := openSheet(from, in.Sheet, m.settings)

		return source, row, err
	}
	text, kind, err := decode(from, in.Encoding)
	if err != nil {
		return nil, row, err
	}
	row.Encoding = kind
	if in.format() == asLines {
		row.Format = asLines

		return newLineReader(text, t.Under, m.settings), row, nil
	}
	source, err := m.openTable(text, in.Delimiter)
	if err == nil {
		row.Delimiter = string(rune(source.delimiter))
	}

	return source, row, err
}

// openTable reads the first row of a CSV file: the names of the columns.
func (m *Importer) openTable(text io.Reader, delimiter separator) (*tableReader, error) {
	source := newTableReader(text, m.settings)
	if err := source.sniff(); err != nil {
		return nil, err
	}
	if delimiter != "" {
		source.delimiter = delimiter.char()
	}
	cells, _, err := source.next()
	if errors.Is(err, io.EOF) {
		return nil, badFile("The file has no row with the names of the columns.")
	}
	if err == nil {
		source.names, err = headerOf(cells)
	}

	return source, err
}

// headerOf makes the names of columns of the first row.
func headerOf(cells []string) ([]string, error) {
	header, places := make([]string, len(cells)), map[string]int{}
	for i, cell := range cells {
		name := norm.NFC.String(strings.TrimSpace(cell))
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}
		if len(name) > longestHeader {
			return nil, badFile("The name of column %d has more than %d bytes. Is the first row the names of the columns?", i+1, longestHeader)
		}
		if first, taken := places[name]; taken {
			return nil, badFile("The columns %d and %d are both called %q. Give each a name of its own.", first+1, i+1, shorten(name))
		}
		header[i], places[name] = name, i
	}

	return header, nil
}
