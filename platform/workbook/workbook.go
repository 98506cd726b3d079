// Package workbook reads and writes sheets of spreadsheets (Office Open XML, ECMA-376: .xlsx) row by row, with no more
// of them in memory than a row and the texts that its cells share.
package workbook

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Error says what is wrong with a workbook, a whole sentence.
type Error string

// Error implements error.
func (e Error) Error() string { return string(e) }

// ErrNoArchive is the error of a file that is no archive, or a damaged one.
const ErrNoArchive = Error("The file is not a workbook: its archive cannot be read.")

func errorf(format string, args ...any) error { return Error(fmt.Sprintf(format, args...)) }

// Limits bound what is read. Bytes are those of unpacked parts.
type Limits struct {
	// Sheet is how many bytes a sheet may have, Texts those of the texts that cells share.
	Sheet, Texts int64
	// Row is how many bytes a row may have, Columns how many cells.
	Row, Columns int
}

// Formats of cells, of ECMA-376 part 1, section 18.8.30.
const (
	firstDate, lastDate       = 14, 22
	firstElapsed, lastElapsed = 45, 47
	wholePercent, percent     = 9, 10
)

// style is what decides how the number of a cell is read: general, dated, percented, or a pattern of digits such as 00000 and 000-00-0000.
type style string

const (
	general   style = ""
	dated     style = "date"
	percented style = "%"
)

// digitPattern is a format that shows leading zeros, with what people put between the digits of a number that is none to reckon with.
var digitPattern = regexp.MustCompile(`^[0 ()./-]*0[0 ()./-]*0[0 ()./-]*$`)

var (
	// literal is what a format shows as it is, or only where a condition holds.
	literal = regexp.MustCompile(`"[^"]*"|\\.|_.|\*.|\[[^\]]*\]`)
	// escaped is what a format shows as it is.
	escaped = regexp.MustCompile(`"([^"]*)"|\\(.)`)
	escape  = regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`)
)

// styleOf reads the code of a format: yyyy-mm-dd is a date, 0.0% a percentage.
func styleOf(id int, code string) style {
	switch {
	case id >= firstDate && id <= lastDate, id >= firstElapsed && id <= lastElapsed:
		return dated
	case id == wholePercent, id == percent:
		return percented
	}
	first, _, _ := strings.Cut(code, ";")
	if plain := escaped.ReplaceAllString(first, "$1$2"); digitPattern.MatchString(plain) && !strings.Contains(plain, "0.0") {
		return style(plain)
	}
	code, _, _ = strings.Cut(literal.ReplaceAllString(code, ""), ";")
	switch {
	case strings.EqualFold(code, "general"):
		return general
	case strings.ContainsAny(strings.ToLower(code), "ymdhs"):
		return dated
	case strings.Contains(code, "%"):
		return percented
	}

	return general
}

// digits is how many of a number spreadsheets keep; what follows is noise of binary fractions.
const digits = 15

// numberText writes a number as people see it.
func numberText(raw string, s style, days1904 bool) string {
	number, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return raw
	}
	if s == dated {
		if text, ok := dateText(number, days1904); ok {
			return text
		}
	}
	if text, ok := patternText(raw, s); ok {
		return text
	}
	suffix := ""
	if s == percented {
		number, suffix = number*100, "%"
	}
	if rounded, err := strconv.ParseFloat(strconv.FormatFloat(number, 'g', digits, 64), 64); err == nil {
		number = rounded
	}

	return strconv.FormatFloat(number, 'f', -1, 64) + suffix
}

// patternText writes a whole number in a pattern of digits, with leading zeros: 4101 in 00000 is 04101.
func patternText(raw string, s style) (string, bool) {
	places := strings.Count(string(s), "0")
	if s == general || s == dated || s == percented || len(raw) > places || strings.Trim(raw, "0123456789") != "" {
		return "", false
	}
	raw = strings.Repeat("0", places-len(raw)) + raw
	var text strings.Builder
	for _, c := range string(s) {
		if c == '0' {
			text.WriteByte(raw[0])
			raw = raw[1:]
		} else {
			text.WriteRune(c)
		}
	}

	return text.String(), true
}

// lastSerial is the 31st of December 9999.
const lastSerial = 2_958_465

// dateText writes the number of a day as a date, with a time if it has one; a number below 1 is a time.
func dateText(serial float64, days1904 bool) (string, bool) {
	if serial < 0 || serial > lastSerial {
		return "", false
	}
	whole := int(serial)
	seconds := int((serial-float64(whole))*24*60*60 + 0.5)
	if days1904 {
		whole += 1462
	}
	at := time.Date(1899, 12, 30+whole, 0, 0, seconds, 0, time.UTC)
	switch {
	case serial < 1:
		return at.Format(time.TimeOnly), true
	case seconds == 0:
		return at.Format(time.DateOnly), true
	}

	return at.Format(time.DateTime), true
}

// unescapeXML reads characters that XML does not have: _x000D_ is a carriage return.
func unescapeXML(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}

	return escape.ReplaceAllStringFunc(text, func(found string) string {
		code, err := strconv.ParseUint(found[2:6], 16, 16)
		if err != nil || code == 0 {
			return found
		}

		return string(rune(code))
	})
}

// escapeXML writes them.
func escapeXML(text string) string {
	text = escape.ReplaceAllString(text, "_x005F_x${1}_")

	var out strings.Builder
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' {
			fmt.Fprintf(&out, "_x%04X_", r)

			continue
		}
		out.WriteRune(r)
	}

	return out.String()
}
