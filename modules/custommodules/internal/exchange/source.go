package exchange

import (
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
	// file is errBadFile or errEncoding.
	next() (cells []string, line int, err error)
	// header is the names of the columns. It is whole when the last row was read.
	header() []string
	// size is how many bytes the last row had.
	size() int
}

// open begins to read a file.
func (m *Importer) open(ctx context.Context, in *uploadInput, from io.Reader) (source, importRow, error) {
	text, kind, err := decode(from, in.Encoding)
	if err != nil {
		return nil, importRow{}, err
	}
	now := m.clock.Now()
	row := importRow{
		ID: database.NewID(), ModuleID: in.UUID, FileName: in.fileName(), State: ready, Encoding: kind, Header: []string{}, Mode: creates,
		Beat: now, Mapping: []target{}, Samples: [][]string{}, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if caller, _ := principal.From(ctx); caller.User != uuid.Nil {
		row.CreatedBy = &caller.User
	}
	if in.format() == asLines {
		return newLineReader(text, m.settings), row, nil
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
