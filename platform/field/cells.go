package field

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// rawCells are the cells of a type whose values stand in a table as the JSON that they are, without
// the spaces that a database puts into it.
type rawCells struct{}

// CSV implements Values.
func (rawCells) CSV(raw []byte) string { return string(rawjson.AppendCompact(nil, raw)) }

// FromCSV implements Values.
func (rawCells) FromCSV(cell string) ([]byte, error) {
	cell = strings.TrimSpace(cell)
	switch {
	case cell == "":
		return []byte("null"), nil
	case !json.Valid([]byte(cell)):
		return nil, Error("must be valid JSON.")
	}

	return ValidCell(cell, []byte(cell))
}

// textCells are the cells of a type of strings in which every space counts.
type textCells struct{}

// CSV implements Values.
func (textCells) CSV(raw []byte) string { return rawjson.Text(raw) }

// FromCSV implements Values.
func (textCells) FromCSV(cell string) ([]byte, error) {
	if cell == "" {
		return []byte("null"), nil
	}

	return ValidCell(cell, rawjson.Quote(cell))
}

// stringCells are the cells of a type of strings without space around them.
type stringCells struct{ textCells }

// FromCSV implements Values.
func (s stringCells) FromCSV(cell string) ([]byte, error) {
	return s.textCells.FromCSV(strings.TrimSpace(cell))
}

// ValidCell returns the JSON of a cell, which must be UTF-8.
func ValidCell(cell string, raw []byte) ([]byte, error) {
	if !utf8.ValidString(cell) {
		return nil, Error("must be text in UTF-8.")
	}

	return raw, nil
}
