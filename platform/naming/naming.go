package naming

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normal brings a name or a label into the form in which it is kept.
func Normal(name string) string { return strings.TrimFunc(norm.NFC.String(name), IsInvisible) }

// IsInvisible reports whether a character leaves nothing to see at the end of a text: space, and the marks that come with
// copied text. Tags, which the flags of some countries end with, are not among them.
func IsInvisible(r rune) bool {
	return unicode.IsSpace(r) || r >= '\u200B' && r <= '\u200F' || strings.ContainsRune("\u00AD\u061C\u180E\u2060\u2061\u2062\u2063\u2064\uFEFF", r)
}

// Fold returns what two names have in common that people take for the same.
func Fold(name string) string { return norm.NFC.String(cases.Fold().String(name)) }

// Check says what is wrong with a normal name, "" if nothing. The attribute is what it is the
// name of: "name", "label".
func Check(attribute, name string, most int) string {
	switch {
	case name == "":
		return "The " + attribute + " is required."
	case utf8.RuneCountInString(name) > most:
		return fmt.Sprintf("The %s must not be longer than %d characters.", attribute, most)
	case strings.ContainsFunc(name, unicode.IsControl):
		return "The " + attribute + " must not contain control characters."
	}

	return ""
}

// Spaced returns a key as it stands in a sentence: "pickup date".
func Spaced(key string) string { return strings.ReplaceAll(key, "_", " ") }

// Label makes a label of a key: "Pickup date".
func Label(key string) string {
	words := Spaced(key)
	first, size := utf8.DecodeRuneInString(words)

	return string(unicode.ToUpper(first)) + words[size:]
}

// A puts the article before a noun: "a gate", "an incident", "a user".
func A(noun string) string {
	if noun != "" && strings.ContainsRune("aeio", rune(noun[0])) {
		return "an " + noun
	}

	return "a " + noun
}
