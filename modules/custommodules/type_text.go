package custommodules

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/list"
)

// mostIndexedText keeps an indexed text, at four bytes a character, within what an index entry of
// PostgreSQL holds (a third of a page).
const mostIndexedText = 500

// text is a single line or so of text.
type text struct {
	MaxLength int `json:"max_length"`
}

func textType() fieldType {
	return fieldType{
		name:     "text",
		about:    "Text of up to max_length characters (255, at most 500).",
		slot:     textSlot,
		filter:   list.Text,
		sortable: true,
		options:  func() valueType { return &text{MaxLength: 255} },
	}
}

func (t *text) check() error { return checkLength(t.MaxLength, mostIndexedText) }

func (t *text) parse(raw []byte) (value, error) { return parseText(raw, t.MaxLength) }

func (t *text) comparable(text string) (any, error) { return comparableText(text) }

func (t *text) schema() map[string]any {
	return map[string]any{"type": "string", "maxLength": t.MaxLength}
}

// checkLength checks the option max_length of a type of text.
func checkLength(length, most int) error {
	if length < 1 || length > most {
		return optionError{"max_length", fmt.Sprintf("The max length must be between 1 and %d.", most)}
	}

	return nil
}

// parseString reads a JSON string.
func parseString(raw []byte) (string, error) {
	if raw[0] != '"' {
		return "", valueError("must be a string.")
	}
	text, ok := unquote(raw)
	if !ok {
		return "", valueError("must be text without the character U+0000 or half of a surrogate pair.")
	}

	return text, nil
}

// parseText reads a JSON string of at most length characters into normalization form C, so that
// equal texts are found whichever way they were typed.
func parseText(raw []byte, length int) (value, error) {
	text, err := parseString(raw)
	if err != nil {
		return value{}, err
	}
	if !norm.NFC.IsNormalString(text) {
		text = norm.NFC.String(text)
		raw = quote(text)
	}
	if len(text) > length && utf8.RuneCountInString(text) > length {
		return value{}, valueError(fmt.Sprintf("must not be longer than %d characters.", length))
	}

	return value{json: raw, key: text}, nil
}

// comparableText brings text to compare with into normalization form C. A cursor can bring what no
// text holds.
func comparableText(text string) (string, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", valueError("must be text without the character U+0000.")
	}

	return norm.NFC.String(text), nil
}
