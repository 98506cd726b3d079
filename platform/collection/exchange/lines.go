package exchange

import (
	"encoding/json"
	"slices"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/cell"
)

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
func (row *importRow) cell(raw string) (text string, value bool) {
	if row.lines() {
		return raw, raw != ""
	}

	return unshield(raw)
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
