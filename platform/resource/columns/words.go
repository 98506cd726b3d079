package columns

import (
	"strings"
)

// WithArticle is a noun with its indefinite article.
func WithArticle(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}

	return "a " + noun
}

// Spaced is a name as people read it.
func Spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Capitalize is a text with a capital first letter.
func Capitalize(text string) string {
	if text == "" {
		return ""
	}

	return strings.ToUpper(text[:1]) + text[1:]
}
