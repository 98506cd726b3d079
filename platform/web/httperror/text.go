package httperror

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable makes a stranger's text fit to be shown and logged: one line, and not a long one.
func Printable(text string) string {
	const most = 200
	if len(text) > most {
		text = text[:most] + "…"
	}
	quoted := strconv.Quote(text)

	return quoted[1 : len(quoted)-1]
}

// Storable reports whether both databases can keep text.
func Storable(text string) bool {
	return utf8.ValidString(text) && !strings.Contains(text, "\x00")
}
