package custommodules

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// rawCells are the cells of a type whose values stand in a table as the JSON that they are, without
// the spaces that a database puts into it.
type rawCells struct{}

func (rawCells) csv(json []byte) string { return string(appendCompact(nil, json)) }

func (rawCells) fromCSV(cell string) ([]byte, error) {
	cell = strings.TrimSpace(cell)
	switch {
	case cell == "":
		return []byte("null"), nil
	case !json.Valid([]byte(cell)):
		return nil, valueError("must be valid JSON.")
	}

	return validText(cell, []byte(cell))
}

// textCells are the cells of a type of strings in which every space counts.
type textCells struct{}

func (textCells) csv(json []byte) string { return stringOf(json) }

func (textCells) fromCSV(cell string) ([]byte, error) {
	if cell == "" {
		return []byte("null"), nil
	}

	return validText(cell, quote(cell))
}

// stringCells are the cells of a type of strings without space around them.
type stringCells struct{ textCells }

func (s stringCells) fromCSV(cell string) ([]byte, error) {
	return s.textCells.fromCSV(strings.TrimSpace(cell))
}

// validText returns the JSON of a cell, which must be UTF-8.
func validText(cell string, raw []byte) ([]byte, error) {
	if !utf8.ValidString(cell) {
		return nil, valueError("must be text in UTF-8.")
	}

	return raw, nil
}

// stringOf returns the text of a stored JSON string, "" for anything else.
func stringOf(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	text, ok := unquote(raw)
	if !ok {
		return ""
	}

	return text
}
