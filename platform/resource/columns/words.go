package columns

import (
	"strings"
)

// Article is a noun with its indefinite article.
func Article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}

	return "a " + noun
}

// Spoken is a name as people read it.
func Spoken(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Capital is a text with a capital first letter.
func Capital(text string) string {
	if text == "" {
		return ""
	}

	return strings.ToUpper(text[:1]) + text[1:]
}
