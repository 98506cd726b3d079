// Package readers reads the rows of files that are imported: CSV, JSON Lines, and sheets of workbooks. It knows no collection:
// what cells mean is exchange's to say.
package readers

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// longestHeader is how many bytes the name of a column has.
const longestHeader = 500

// ErrEncoding is of a file whose characters cannot be read.
var ErrEncoding = errs.New(errs.Invalid, "collection.import_encoding", "The characters of the file cannot be read.")

// ErrBadFile is of a file that is read, and is no table.
var ErrBadFile = errs.New(errs.Invalid, "collection.import_file", "The file is no table that can be imported.")

// Limits bound a row: its bytes, and its cells.
type Limits struct{ RowSize, Columns int }

// Source is the rows of a file.
type Source interface {
	// Next returns the cells of a row and the line on which it begins; io.EOF after the last. What is wrong with the
	// file is ErrBadFile or ErrEncoding.
	Next() (cells []string, line int, err error)
	// Row is the number of the row that was last read, as a spreadsheet shows it; that of the line in JSON Lines.
	Row() int
	// Header is the names of the columns. It is whole when the last row was read.
	Header() []string
	// Size is how many bytes the last row had.
	Size() int
}

// OpenTable reads a CSV file up to the row with the names of the columns: the one of that number, or for 0 the first one that is no title above
// them.
func OpenTable(text io.Reader, delimiter Separator, header int, l Limits) (*Table, error) {
	source := newTable(text, l)
	if err := source.sniff(); err != nil {
		return nil, err
	}
	if delimiter != "" {
		source.Delimiter = delimiter.char()
	}
	cells, err := source.ahead.header(source.readAhead, header, "file")
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
			return nil, BadFile("The name of column %d has more than %d bytes. Is the first row the names of the columns?", i+1, longestHeader)
		}
		if first, taken := places[name]; taken {
			return nil, BadFile("The columns %d and %d are both called %q. Give each a name of its own.", first+1, i+1, Shorten(name))
		}
		header[i], places[name] = name, i
	}

	return header, nil
}
