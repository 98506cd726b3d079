package optout

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normalize returns the words of a text, in one form for all ways to write them: without case, accents, width, punctuation,
// emoji, and characters that cannot be seen; words that are s p e l l e d or said twice in a row count once.
func Normalize(text string) string {
	var plain strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(norm.NFKC.String(text))) {
		switch {
		case r == '\'' || r == '’' || r == '‘' || r == 'ʼ': // don't
		case r >= 0x300 && r <= 0x36f, unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Me):
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			plain.WriteRune(r)
		default:
			plain.WriteByte(' ')
		}
	}
	words := slices.Compact(strings.Fields(norm.NFC.String(plain.String())))
	words = slices.DeleteFunc(words, func(word string) bool { return curses.has(word) })
	if len(words) > 2 && !slices.ContainsFunc(words, func(word string) bool { return len(word) > 1 }) {
		return strings.Join(words, "")
	}

	return strings.Join(words, " ")
}

// trimPolite returns normalized words without what is polite at both ends.
func trimPolite(text string) string {
	for {
		bare := strings.TrimSpace(politeLast.ReplaceAllString(politeFirst.ReplaceAllString(text, ""), ""))
		if bare == text || bare == "" {
			return text
		}
		text = bare
	}
}
