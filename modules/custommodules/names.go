package custommodules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// keyPattern is snake_case in any script: letters that have no case count as lower case.
var keyPattern = regexp.MustCompile(`^[\p{Ll}\p{Lm}\p{Lo}][\p{Ll}\p{Lm}\p{Lo}\p{M}\p{Nd}_]*$`)

// reservedKeys are what records have beside their payload, and words of filters and formulas.
func reservedKeys() []string {
	return []string{
		"id", "uuid", "module_uuid", "payload", "version", "warnings",
		"created_at", "created_by", "updated_at", "updated_by", "deleted_at",
		"and", "or", "not", "in", "null", "nil", "true", "false",
	}
}

// normalKey brings the key of a field into the form in which keys are compared and kept.
func normalKey(key string) string { return strings.ToLower(norm.NFC.String(key)) }

// checkKey says what is wrong with a normal key, "" if nothing.
func checkKey(key string, most int) string {
	switch {
	case key == "":
		return "The key is required."
	case utf8.RuneCountInString(key) > most:
		return fmt.Sprintf("The key must not be longer than %d characters.", most)
	case !keyPattern.MatchString(key):
		return "The key must be in snake_case: lower case letters, digits and underscores, a letter first."
	case slices.Contains(reservedKeys(), key):
		return "The key " + key + " is reserved."
	}

	return ""
}

// normalName brings a name or a label into the form in which it is kept.
func normalName(name string) string { return strings.TrimSpace(norm.NFC.String(name)) }

// foldName returns what two names have in common that people take for the same.
func foldName(name string) string { return norm.NFC.String(cases.Fold().String(name)) }

// checkName says what is wrong with a normal name, "" if nothing. The attribute is what it is the
// name of: "name", "label".
func checkName(attribute, name string, most int) string {
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

// spoken returns a key as it stands in a sentence: "pickup date".
func spoken(key string) string { return strings.ReplaceAll(key, "_", " ") }

// labelOf makes a label of a key: "Pickup date".
func labelOf(key string) string {
	words := spoken(key)
	first, size := utf8.DecodeRuneInString(words)

	return string(unicode.ToUpper(first)) + words[size:]
}
