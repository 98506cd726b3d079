package readers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Lines reads JSON Lines: an object a line, as exports write them, or of the values alone. The columns are the
// keys that there are, each from the line on that has it first. A cell is the JSON of a value, "" where a line has
// none. It never has more in memory than a line may have.
type Lines struct {
	from *bufio.Reader
	// mostBytes and mostCells bound a line.
	mostBytes, mostCells int
	line, bytes          int

	// under is the member whose members are values, "" for none.
	under  string
	names  []string
	places map[string]int
}

// NewLines reads from a file in UTF-8; under is the member whose members are values, "" for none.
func NewLines(from io.Reader, under string, l Limits) *Lines {
	return &Lines{under: under, from: bufio.NewReaderSize(from, 64<<10), mostBytes: l.RowSize, mostCells: l.Columns, places: map[string]int{}}
}

// Header implements Source.
func (l *Lines) Header() []string { return l.names }

// Row implements Source.
func (l *Lines) Row() int { return l.line }

// Size implements Source.
func (l *Lines) Size() int { return l.bytes }

// Next implements Source. Lines with nothing on them are passed over.
func (l *Lines) Next() (cells []string, line int, err error) {
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
func (l *Lines) read() ([]byte, error) {
	var text []byte
	l.line++
	for {
		part, err := l.from.ReadSlice('\n')
		if text = append(text, part...); len(text) > l.mostBytes {
			return nil, BadFile("Line %d has more than %d bytes.", l.line, l.mostBytes)
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
func (l *Lines) object(text []byte, cells *[]string, outermost bool) error {
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
		if err := l.addCell(name, raw, cells); err != nil {
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

func (l *Lines) noObject() error {
	return BadFile(`Line %d is no JSON object. A line is a record: %s, or its values alone: {"key": …}.`, l.line, l.example())
}

// example is a line as exports write them.
func (l *Lines) example() string {
	if l.under == "" {
		return `{"uuid": …, "key": …}`
	}

	return `{"` + l.under + `": {"key": …}}`
}

// addCell puts a value under its name into cells.
func (l *Lines) addCell(name string, raw []byte, cells *[]string) error {
	name = norm.NFC.String(name)
	place, known := l.places[name]
	switch {
	case name == "" || len(name) > longestHeader:
		return BadFile("Line %d has a key of %d bytes; 1 to %d are allowed.", l.line, len(name), longestHeader)
	case !known && len(l.names) >= l.mostCells:
		return BadFile("Up to line %d, the file has more than %d different keys.", l.line, l.mostCells)
	case !known:
		place = len(l.names)
		l.places[name], l.names = place, append(l.names, name)
	}
	for len(*cells) <= place {
		*cells = append(*cells, "")
	}
	if (*cells)[place] != "" {
		return BadFile("Line %d has the key %q twice.", l.line, Shorten(name))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return l.noObject()
	}
	(*cells)[place] = compact.String()

	return nil
}
