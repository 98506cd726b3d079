package field

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// MaxIndexedText keeps an indexed text, at four bytes a character, within what an index entry of
// PostgreSQL holds (a third of a page).
const MaxIndexedText = 500

// TextOptions is a single line or so of text.
type TextOptions struct {
	textCells
	TextRules

	// Fold makes values that differ in case alone the same to unique.
	Fold bool `json:"fold"`
}

// TextType is the type of short texts.
func TextType() Type {
	return Type{
		Name: "text",
		About: "Text of min_length to max_length characters (255, at most 500) that matches pattern, a regular expression of RE2. " +
			"With trim (true), spaces and invisible characters at its ends are removed; with fold (false by default), unique ignores case.",
		Index:    TextIndex,
		Filter:   kind.Text,
		Sortable: true,
		New:      func() Values { return &TextOptions{TextRules: TextRules{MaxLength: 255, Trim: true}} },
	}
}

// Check implements Values.
func (t *TextOptions) Check() error { return t.check(MaxIndexedText) }

// Parse implements Values.
func (t *TextOptions) Parse(raw []byte) (Value, error) { return t.parseText(raw) }

// Folded implements folding.
func (t *TextOptions) Folded(key string) string {
	if !t.Fold {
		return key
	}

	return strings.Map(leastFold, key)
}

// leastFold returns the least of the letters that differ in case alone. Unlike a full folding it never makes a text
// longer than an index holds.
func leastFold(letter rune) rune {
	least := letter
	for r := unicode.SimpleFold(letter); r != letter; r = unicode.SimpleFold(r) {
		least = min(least, r)
	}

	return least
}

// Schema implements Values.
func (t *TextOptions) Schema() map[string]any { return t.textSchema() }

// parseString reads a JSON string.
func parseString(raw []byte) (string, error) {
	if raw[0] != '"' {
		return "", Error("must be a string.")
	}
	text, ok := rawjson.Unquote(raw)
	if !ok {
		return "", Error("must be text without the character U+0000 or half of a surrogate pair.")
	}

	return text, nil
}

// ComparableText brings text to compare with into normalization form C. A cursor can bring what no
// text holds.
func ComparableText(text string) (string, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", Error("must be text without the character U+0000.")
	}

	return norm.NFC.String(text), nil
}

// LongTextOptions is text of any length, such as notes. It is too long for an index.
type LongTextOptions struct {
	textCells
	TextRules

	most int
}

func longTextType(most int) Type {
	return Type{
		Name: "long_text",
		About: "Text of several lines, of min_length to max_length characters (default: the service's limit) that " +
			"matches pattern. With trim (true), spaces and invisible characters at its ends are removed. It cannot be indexed.",
		Filter:   kind.Text,
		Sortable: false,
		New:      func() Values { return &LongTextOptions{TextRules: TextRules{MaxLength: most, Trim: true}, most: most} },
	}
}

// Check implements Values.
func (t *LongTextOptions) Check() error { return t.check(t.most) }

// Parse implements Values.
func (t *LongTextOptions) Parse(raw []byte) (Value, error) { return t.parseText(raw) }

// Schema implements Values.
func (t *LongTextOptions) Schema() map[string]any { return t.textSchema() }
