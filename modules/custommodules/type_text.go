package custommodules

import (
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
	textCells
	textRules
}

func textType() fieldType {
	return fieldType{
		name:     "text",
		about:    "Text of min_length to max_length characters (255, at most 500) that matches pattern, a regular expression of RE2.",
		slot:     textSlot,
		filter:   list.Text,
		sortable: true,
		options:  func() valueType { return &text{textRules: textRules{MaxLength: 255}} },
	}
}

func (t *text) check() error { return t.textRules.check(mostIndexedText) }

func (t *text) parse(raw []byte) (value, error) { return t.parseText(raw) }

func (t *text) comparable(text string) (any, error) { return comparableText(text) }

func (t *text) schema() map[string]any { return t.textSchema() }

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

// comparableText brings text to compare with into normalization form C. A cursor can bring what no
// text holds.
func comparableText(text string) (string, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", valueError("must be text without the character U+0000.")
	}

	return norm.NFC.String(text), nil
}
