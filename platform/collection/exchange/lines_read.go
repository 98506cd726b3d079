package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/cell"
)

// lineReader reads JSON Lines: an object a line, as exports write them, or of the values alone. The columns are the
// keys that there are, each from the line on that has it first. A cell is the JSON of a value, "" where a line has
// none. It never has more in memory than a line may have.
type lineReader struct {
	from *bufio.Reader
	// mostBytes and mostCells bound a line.
	mostBytes, mostCells int
	line, bytes          int

	// under is the member whose members are values, "" for none.
	under  string
	names  []string
	places map[string]int
}

func newLineReader(from io.Reader, under string, s Settings) *lineReader {
	return &lineReader{under: under, from: bufio.NewReaderSize(from, 64<<10), mostBytes: int(s.MaxRowSize), mostCells: s.MaxColumns, places: map[string]int{}}
}

// header implements source.
func (l *lineReader) header() []string { return l.names }

// row implements source.
func (l *lineReader) row() int { return l.line }

// size implements source.
func (l *lineReader) size() int { return l.bytes }

// next implements source. Lines with nothing on them are passed over.
func (l *lineReader) next() (cells []string, line int, err error) {
	for {
		text, err := l.read()
		if err != nil {
			return nil, l.line, err
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		l.bytes = len(text)
		if !utf8.Valid(text) {
			return nil, l.line, ErrEncoding.WithField("file", fmt.Sprintf("Line %d has bytes that are not UTF-8. Save the file as UTF-8.", l.line))
		}
		cells := make([]string, len(l.names))
		if err := l.object(text, &cells, true); err != nil {
			return nil, l.line, err
		}

		return cells, l.line, nil
	}
}

// read returns the next line; io.EOF after the last.
func (l *lineReader) read() ([]byte, error) {
	var text []byte
	l.line++
	for {
		part, err := l.from.ReadSlice('\n')
		if text = append(text, part...); len(text) > l.mostBytes {
			return nil, badFile("Line %d has more than %d bytes.", l.line, l.mostBytes)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(text) > 0:
			return text, nil
		default:
			return text, err
		}
	}
}

// object puts the members of an object into cells; those of its payload too, which is only at its outermost.
func (l *lineReader) object(text []byte, cells *[]string, outermost bool) error {
	from := json.NewDecoder(bytes.NewReader(text))
	if open, err := from.Token(); err != nil || open != json.Delim('{') {
		return l.noObject()
	}
	for from.More() {
		key, err := from.Token()
		name, ok := key.(string)
		var raw json.RawMessage
		if err != nil || !ok || from.Decode(&raw) != nil {
			return l.noObject()
		}
		if outermost && l.under != "" && name == l.under && raw[0] == '{' {
			if err := l.object(raw, cells, false); err != nil {
				return err
			}

			continue
		}
		if err := l.keep(name, raw, cells); err != nil {
			return err
		}
	}
	if _, err := from.Token(); err != nil {
		return l.noObject()
	}
	if _, err := from.Token(); !errors.Is(err, io.EOF) {
		return l.noObject()
	}

	return nil
}

func (l *lineReader) noObject() error {
	return badFile(`Line %d is no JSON object. A line is a record: %s, or its values alone: {"key": …}.`, l.line, l.example())
}

// example is a line as exports write them.
func (l *lineReader) example() string {
	if l.under == "" {
		return `{"uuid": …, "key": …}`
	}

	return `{"` + l.under + `": {"key": …}}`
}

// keep puts a value under its name into cells.
func (l *lineReader) keep(name string, raw []byte, cells *[]string) error {
	name = norm.NFC.String(name)
	place, known := l.places[name]
	switch {
	case name == "" || len(name) > longestHeader:
		return badFile("Line %d has a key of %d bytes; 1 to %d are allowed.", l.line, len(name), longestHeader)
	case !known && len(l.names) >= l.mostCells:
		return badFile("Up to line %d, the file has more than %d different keys.", l.line, l.mostCells)
	case !known:
		place = len(l.names)
		l.places[name], l.names = place, append(l.names, name)
	}
	for len(*cells) <= place {
		*cells = append(*cells, "")
	}
	if (*cells)[place] != "" {
		return badFile("Line %d has the key %q twice.", l.line, shorten(name))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return l.noObject()
	}
	(*cells)[place] = compact.String()

	return nil
}

// lines reports whether the file is JSON Lines, in which nothing stands between values.
func (row *importRow) lines() bool { return row.Format == asLines }

// padded returns the cells of a row of JSON Lines with none for keys that the file has only later.
func (row *importRow) padded(cells []string) []string {
	if missing := len(row.Header) - len(cells); row.lines() && missing > 0 {
		return append(slices.Clone(cells), make([]string, missing)...)
	}

	return cells
}

// cell returns what a cell says; that it has a value is not true of an empty one.
func (row *importRow) cell(cell string) (text string, value bool) {
	if row.lines() {
		return cell, cell != ""
	}

	return unshield(cell)
}

// json makes JSON of what a cell says.
func (row *importRow) json(c *collection.Field, reader cell.Reader, text string) ([]byte, error) {
	if row.lines() {
		return []byte(text), nil
	}
	text, err := reader.Read(text)
	if err != nil {
		return nil, err
	}

	return c.Read(text)
}

// word is the text of a cell that is for what every record has.
func (row *importRow) word(text string) string {
	var word string
	switch {
	case !row.lines():
		return text
	case text == "null":
		return ""
	case json.Unmarshal([]byte(text), &word) == nil:
		return word
	default:
		return text
	}
}
