package exchange

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/collection/exchange/guess"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// rowProblem is what is wrong with a row of the file.
type rowProblem struct {
	cells []cellProblem
	// rest is about the row as a whole.
	rest string
}

// cellProblem is what is wrong with a cell.
type cellProblem struct {
	// Row is its number as a spreadsheet shows it, where the names of the columns are row 1.
	Row int `json:"row" doc:"As a spreadsheet counts, where the names of the columns are row 1; the line in JSON Lines."`
	// Column is its name in the file, "" for the whole row.
	Column string `json:"column" doc:"As the file names it; empty for a problem of the whole row."`
	// Cell is what stands there, shortened.
	Cell    string `json:"cell"`
	Problem string `json:"problem"`

	// at is the place of the column.
	at int
}

// problem is what is wrong with a cell of a column: said stands behind what it says.
func (p *plan) problem(i int, text, said string) cellProblem {
	found := cellProblem{at: i, Column: p.importRow.Header[i], Cell: readers.Truncate(text, guess.LongestSample), Problem: said}
	switch {
	case text == "":
	case p.importRow.lines():
		found.Problem = readers.Shorten(text) + " " + said
	default:
		found.Problem = `"` + readers.Shorten(text) + `" ` + said
	}

	return found
}

// cellMessage is what the area says of a cell: "The price must be …" becomes what the cell says and the predicate.
func (p *plan) cellMessage(i int, cells []string, message string) cellProblem {
	c, text := p.columns[i], ""
	if i < len(cells) {
		text, _ = p.importRow.cell(cells[i])
	}
	for _, name := range []string{c.Label, naming.Spaced(c.Key), c.Key} {
		if predicate, is := strings.CutPrefix(message, "The "+name+" "); is && text != "" {
			return p.problem(i, text, predicate)
		}
	}

	return cellProblem{at: i, Column: p.importRow.Header[i], Cell: readers.Truncate(text, guess.LongestSample), Problem: message}
}

// addCell adds a problem, unless it is none.
func (r *rowProblem) addCell(one cellProblem) {
	if one.Problem != "" {
		r.cells = append(r.cells, one)
	}
}

func (r *rowProblem) blames(i int) bool {
	return slices.ContainsFunc(r.cells, func(c cellProblem) bool { return c.at == i })
}

// all returns the problems with the number of their row.
func (r *rowProblem) all(row int) []cellProblem {
	found := slices.Clone(r.cells)
	if r.rest != "" {
		found = append(found, cellProblem{Problem: r.rest})
	}
	for i := range found {
		found[i].Row = row
	}

	return found
}

// rowSentence says what is wrong with a row as a person finds it in a spreadsheet: row 14, Price: "abc" is not an amount.
func rowSentence(where string, problems []cellProblem) string {
	var text strings.Builder
	text.WriteString(where)
	for i, one := range problems {
		switch {
		case i > 0 && strings.HasSuffix(problems[i-1].Problem, "."):
			text.WriteByte(' ')
		case i > 0:
			text.WriteString("; ")
		case one.Column != "":
			text.WriteString(", ")
		default:
			text.WriteString(": ")
		}
		if one.Column != "" {
			text.WriteString(readers.Shorten(one.Column) + ": ")
		}
		text.WriteString(one.Problem)
	}

	return readers.Truncate(text.String(), longestProblem)
}

// number is the number of a row of a chunk as a spreadsheet shows it.
func (c chunkRow) number(i int) int {
	if n := c.Rows[i].Row; n > 0 {
		return n
	}

	return int(c.FirstRow) + i + 1 // it came before rows were numbered so
}

// where names a row of the file.
func (row *importRow) where(number int) string {
	if row.lines() {
		return fmt.Sprintf("line %d", number)
	}

	return fmt.Sprintf("row %d", number)
}
