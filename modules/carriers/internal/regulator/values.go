package regulator

import (
	"hash/fnv"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/platform/database"
)

// row is a row of a set: its values by the names of their columns in lower case. Sets omit what is null.
type row map[string]string

// first returns the first of the columns that has a value: sets of different times name them differently.
func (r row) first(columns ...string) string {
	for _, c := range columns {
		if v := r[c]; v != "" {
			return v
		}
	}

	return ""
}

// The ways in which sets write days.
const (
	compactDay = "20060102"
	slashedDay = "01/02/2006"
)

// day reads a day as any of the sets writes it, with or without a time; "" if it is none.
func day(text string) Date {
	text, _, _ = strings.Cut(strings.TrimSpace(text), " ")
	text, _, _ = strings.Cut(text, "T")
	for _, layout := range []string{compactDay, slashedDay, time.DateOnly} {
		if len(text) != len(layout) {
			continue
		}
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 1900 {
			return Date(t.Format(time.DateOnly))
		}
	}

	return ""
}

// leastDollars is what no cover is less than: a smaller number is in thousands, as the licensing system always wrote them.
const leastDollars = 10_000

// dollars reads an amount of cover; nil if there is none. 0 is an amount: nothing is on file.
func dollars(text string) *Dollars {
	text = strings.NewReplacer("$", "", ",", "", " ", "").Replace(text)
	amount, err := strconv.ParseFloat(text, 64)
	const most = 1e12                                   // beyond it, the file is broken; NaN is on neither side
	if err != nil || !(amount >= 0 && amount <= most) { //nolint:staticcheck // see above
		return nil
	}
	d := Dollars(amount)
	if d < leastDollars {
		d *= 1000
	}

	return &d
}

// count reads a number of things; nil if there is none.
func count(text string) *int64 {
	n, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(text), ",", ""), 10, 64)
	if err != nil || n < 0 {
		return nil
	}

	return &n
}

// phoneOf returns a number of North America in E.164, any other as it is written.
func phoneOf(text string) string {
	text = strings.TrimSpace(text)
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
	return strings.Join(strings.Fields(decoded(text)), " ")
}

// decoded returns a text of UTF-8 as it is, and any other read as Latin-1. NUL, which PostgreSQL does not store, goes.
func decoded(text string) string {
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

// folded is a name as it is compared: words of letters and digits, without case and accents.
func folded(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			text = database.Folded(text)

			break
		}
	}

	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// plainPolicy is a policy number as it is compared: its letters and digits.
func plainPolicy(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}

		return unicode.ToUpper(r)
	}, text)
}

// hashed is a hash of texts for columns of 64 bits.
func hashed(texts ...string) int64 {
	h := fnv.New64a()
	for _, t := range texts {
		_, _ = h.Write([]byte(t)) //nolint:errcheck // a hash takes everything
		_, _ = h.Write([]byte{0}) //nolint:errcheck // as above
	}

	return int64(h.Sum64()) //nolint:gosec // the bits alone matter
}

// number writes a count, "" for none.
func number(n *int64) string {
	if n == nil {
		return ""
	}

	return strconv.FormatInt(*n, 10)
}
