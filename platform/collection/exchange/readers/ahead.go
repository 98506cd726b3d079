package readers

import (
	"errors"
	"io"
	"strings"
)

// titleLines is in how many rows at the top of a file the names of the columns are looked for.
const titleLines = 10

// row is a row of a file.
type row struct {
	cells []string
	// line is where it begins, number its number as a spreadsheet shows it.
	line, number int
	bytes        int
}

// lookahead has rows that were read to find the names of the columns.
type lookahead struct {
	rows []row
	// failed is what ended the reading, after the rows.
	failed error
	last   row
}

// next returns the next row.
func (l *lookahead) next(read func() (row, error)) (cells []string, line int, err error) {
	switch {
	case len(l.rows) > 0:
		l.last, l.rows = l.rows[0], l.rows[1:]
	case l.failed != nil:
		return nil, 0, l.failed
	default:
		if l.last, err = read(); err != nil {
			return nil, l.last.line, err
		}
	}

	return l.last.cells, l.last.line, nil
}

// header returns the row with the names of the columns, by its number or, for 0, the first of the rows at the top that is as wide as they are: titles
// above it have less than half as many cells.
func (l *lookahead) header(read func() (row, error), number int, what string) ([]string, error) {
	if number > 0 {
		for l.last.number < number {
			if _, _, err := l.next(read); errors.Is(err, io.EOF) {
				return nil, BadFile("The %s has no row %d with the names of the columns.", what, number)
			} else if err != nil {
				return nil, err
			}
		}

		return l.last.cells, nil
	}
	most := 0
	for len(l.rows) < titleLines {
		one, err := read()
		if err != nil {
			l.failed = err

			break
		}
		l.rows, most = append(l.rows, one), max(most, filled(one.cells))
	}
	if len(l.rows) == 0 {
		if errors.Is(l.failed, io.EOF) {
			return nil, BadFile("The %s has no row with the names of the columns.", what)
		}

		return nil, l.failed
	}
	const narrow = 3
	for len(l.rows) > 1 && most >= narrow && 2*filled(l.rows[0].cells) < most {
		l.rows = l.rows[1:]
	}
	cells, _, err := l.next(read)

	return cells, err
}

// filled is how many cells have something in them.
func filled(cells []string) (n int) {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}

	return n
}
