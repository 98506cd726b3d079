package feed

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
)

// The ways in which sets write days.
const (
	compactDay = "20060102"
	slashedDay = "01/02/2006"
	// namedDay and longNamedDay are those of the census: 01-JUN-24.
	namedDay     = "02-Jan-06"
	longNamedDay = "02-Jan-2006"
	// lastOfCentury is the last year that two digits mean: what the sets have is past, or ends within some years.
	lastOfCentury = 2050
)

// Day reads a day as any of the sets writes it, with or without a time, and returns it as YYYY-MM-DD; "" if it is none.
func Day(text string) string {
	if len(text) > len(slashedDay) {
		text, _, _ = strings.Cut(strings.TrimSpace(text), " ")
		text, _, _ = strings.Cut(text, "T")
	}
	text = strings.TrimSpace(text)
	for _, layout := range []string{compactDay, slashedDay, time.DateOnly, namedDay, longNamedDay} {
		if len(text) != len(layout) {
			continue
		}
		t, err := time.Parse(layout, text)
		if layout == namedDay && t.Year() > lastOfCentury {
			t = t.AddDate(-100, 0, 0)
		}
		if err == nil && t.Year() > 1900 {
			return t.Format(time.DateOnly)
		}
	}

	return ""
}

// Count reads a number of things; nil if there is none.
func Count(text string) *int64 {
	n, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(text), ",", ""), 10, 64)
	if err != nil || n < 0 {
		return nil
	}

	return &n
}

// Phone returns a number of North America in E.164, any other as it is written.
func Phone(text string) string {
	text = field.PlainPhone(text)
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}

		return r
	}, text)
	switch {
	case len(digits) == 10:
		return "+1" + digits
	case len(digits) == 11 && digits[0] == '1':
		return "+" + digits
	}

	return text
}

// spaced writes a text with single spaces, in UTF-8: bytes that are not are Latin-1.
func spaced(text string) string {
	if isSpaced(text) {
		return text
	}

	return strings.Join(strings.Fields(Decoded(text)), " ")
}

// isSpaced reports whether a text has only printable ASCII and single spaces between words, as nearly all have.
func isSpaced(text string) bool {
	space := true
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' && space, c < ' ', c >= utf8.RuneSelf:
			return false
		default:
			space = c == ' '
		}
	}

	return text == "" || !space
}

// Decoded returns a text of UTF-8 as it is, and any other read as Latin-1. NUL, which PostgreSQL does not store, goes.
func Decoded(text string) string {
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	if utf8.ValidString(text) {
		return text
	}
	runes := make([]rune, 0, len(text))
	for i := range len(text) {
		runes = append(runes, rune(text[i]))
	}

	return string(runes)
}

// Folded is a name as it is compared: words of letters and digits, without case and accents.
func Folded(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return foldedWords(database.FoldText(text))
		}
	}
	all := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case 'A' <= c && c <= 'Z':
			all = append(all, c+'a'-'A')
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			all = append(all, c)
		case len(all) > 0 && all[len(all)-1] != ' ':
			all = append(all, ' ')
		}
	}

	return strings.TrimSuffix(string(all), " ")
}

func foldedWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// Hashed is a hash of texts for columns of 64 bits (FNV-1a).
func Hashed(texts ...string) int64 {
	const offset, prime = uint64(14695981039346656037), uint64(1099511628211) // FNV-1a
	h := offset
	for _, t := range texts {
		for i := range len(t) {
			h = (h ^ uint64(t[i])) * prime
		}
		h *= prime
	}

	return int64(h) //nolint:gosec // the bits alone matter
}
