package cell

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// order is which part of a date that is all digits comes first.
type order int

const (
	unordered order = iota // year first, or the month is a word
	monthFirst
	dayFirst
	either // both would be days that exist
)

// day is a cell that was read as a date, with what stands behind the date.
type day struct {
	time.Time

	order order
	dots  bool
	// canonical is the date as ISO 8601 has it.
	canonical bool
	// clock is the time of the day, "" for none; zoned says that it ends with a zone.
	clock string
	zoned bool
}

var (
	isoDate     = regexp.MustCompile(`^([0-9]{4})([-/.])([0-9]{1,2})([-/.])([0-9]{1,2})(?:[T ,]+(.+))?$`)
	compactDate = regexp.MustCompile(`^((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})$`)
	numericDate = regexp.MustCompile(`^([0-9]{1,2}) ?([-/.]) ?([0-9]{1,2}) ?([-/.]) ?([0-9]{4}|[0-9]{2})(?:[T ,]+(.+))?$`)
	// serialDate is a day of Excel's calendar from 1927 to 2173, with the time of the day as a fraction.
	serialDate = regexp.MustCompile(`^([1-9][0-9]{4})(\.[0-9]+)?$`)

	wordFirst = regexp.MustCompile(`^(\pL+)\.? ?([0-9]{1,2})(?:st|nd|rd|th)?[., ]+([0-9]{4}|'?[0-9]{2})(?:[T ,]+(?:at )?(.+))?$`)
	dayThen   = regexp.MustCompile(`^([0-9]{1,2})(?:st|nd|rd|th|\.)?(?: of| de)?[ -/]*(\pL+)[.,]?(?: de)?[ -/]+([0-9]{4}|'?[0-9]{2})(?:[T ,]+(?:at )?(.+))?$`)
	weekday   = regexp.MustCompile(`^(?i:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday)[.,]* +`)
)

// months are the beginnings of their names that tell them apart, in English, German, Spanish and French, without accents.
var months = [12][]string{
	{"jan", "ene"},
	{"feb", "fev"},
	{"mar", "maerz"},
	{"apr", "abr", "avr"},
	{"may", "mai"},
	{"jun", "juin"},
	{"jul", "juil"},
	{"aug", "ago", "aou"},
	{"sep"},
	{"oct", "okt"},
	{"nov"},
	{"dec", "dez", "dic"},
}

// longestMonth is how many letters the name of a month has.
const longestMonth = 10

// monthOf returns the month of a name, 0 for none.
func monthOf(name string) int {
	plain := strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}

		return r
	}, norm.NFD.String(name)))
	if len(plain) < 3 || len(plain) > longestMonth {
		return 0
	}
	for i, starts := range months {
		for _, s := range starts {
			if strings.HasPrefix(plain, s) {
				return i + 1
			}
		}
	}

	return 0
}

// readDay reads a cell that begins with a date. Digits that are in either order are read in the given one.
func readDay(text string, f Format) (day, bool) {
	if m := isoDate.FindStringSubmatch(text); m != nil && m[2] == m[4] {
		canonical := m[2] == "-" && len(m[3]) == 2 && len(m[5]) == 2

		return day{canonical: canonical}.withParts(m[1], m[3], m[5], m[6])
	}
	if m := compactDate.FindStringSubmatch(text); m != nil {
		return day{}.withParts(m[1], m[2], m[3], "")
	}
	if m := numericDate.FindStringSubmatch(text); m != nil && m[2] == m[4] {
		return readNumeric(m, f)
	}
	if m := serialDate.FindStringSubmatch(text); m != nil {
		return readSerial(text, m[2] != "")
	}
	text = weekday.ReplaceAllString(text, "")
	if m := wordFirst.FindStringSubmatch(text); m != nil && monthOf(m[1]) > 0 {
		return day{}.withParts(m[3], strconv.Itoa(monthOf(m[1])), m[2], m[4])
	}
	if m := dayThen.FindStringSubmatch(text); m != nil && monthOf(m[2]) > 0 {
		return day{}.withParts(m[3], strconv.Itoa(monthOf(m[2])), m[1], m[4])
	}

	return day{}, false
}

// readNumeric reads a date whose month and day are both digits. With points between them the day is first, unless the
// format says otherwise.
func readNumeric(m []string, f Format) (day, bool) {
	dots := m[2] == "."
	american, month := day{order: monthFirst, dots: dots}.withParts(m[5], m[1], m[3], m[6])
	european, first := day{order: dayFirst, dots: dots}.withParts(m[5], m[3], m[1], m[6])
	switch {
	case !month && !first:
		return day{}, false
	case !first:
		return american, dots && f == MonthDots || !dots && f != DayFirst && f != ISO
	case !month:
		return european, dots && f != MonthDots || !dots && (f == Any || f == DayFirst)
	case american.Equal(european.Time):
		american.order = unordered

		return american, f != ISO || dots
	}
	if dots {
		european.order = either
		if f == MonthDots {
			return american, true
		}

		return european, true
	}
	american.order = either
	if f == DayFirst {
		american = european
	}

	return american, f == MonthFirst || f == MonthDots || f == DayFirst
}

// pivot is the first two digits of a year that are of the 20th century, as Windows has it.
const pivot = 50

// withParts puts the parts of a date together, false for a day that does not exist.
func (d day) withParts(year, month, monthDay, rest string) (day, bool) {
	y, err := strconv.Atoi(strings.TrimPrefix(year, "'"))
	if err != nil {
		return d, false
	}
	if len(year) < 4 {
		if y += 1900; y < 1900+pivot {
			y += 100
		}
	}
	mon, err := strconv.Atoi(month)
	if err != nil {
		return d, false
	}
	n, err := strconv.Atoi(monthDay)
	if err != nil {
		return d, false
	}
	d.Time = time.Date(y, time.Month(mon), n, 0, 0, 0, 0, time.UTC)
	if y < 1 || mon < 1 || mon > 12 || d.Day() != n {
		return d, false
	}
	if rest == "" {
		return d, true
	}
	var ok bool
	d.clock, d.zoned, ok = readClock(rest)

	return d, ok
}

// secondsOfDay is how long a day of Excel is.
const secondsOfDay = 24 * 60 * 60

// readSerial reads the number of a day, as Excel counts from 1900.
func readSerial(text string, timed bool) (day, bool) {
	serial, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return day{}, false
	}
	whole := int(serial)
	seconds := int((serial-float64(whole))*secondsOfDay + 0.5)
	at := time.Date(1899, 12, 30+whole, 0, 0, seconds, 0, time.UTC)
	d := day{Time: at.Truncate(24 * time.Hour)}
	if timed {
		d.clock = at.Format(time.TimeOnly)
	}

	return d, true
}

func (r Reader) date(text string) (string, error) {
	d, ok := readDay(text, r.format)
	if !ok {
		return r.noDate(text)
	}

	return d.Format(time.DateOnly), nil
}

// noDate leaves what is written as a date should be to the field, which says why it is none.
func (r Reader) noDate(text string) (string, error) {
	if m := isoDate.FindStringSubmatch(text); m != nil && m[2] == "-" && m[4] == "-" && len(m[3]) == 2 && len(m[5]) == 2 {
		return text, nil
	}
	what := Error("is not a date; such as " + r.Example())
	if d, read := readDay(text, MonthFirst); r.format == Any && read && d.order == either {
		what = Error("may be " + d.Format("January 2, 2006") + ", or another day and month; say the format of the column, such as MM/DD/YYYY")
	}

	return "", what
}

func (r Reader) moment(text string) (string, error) {
	d, ok := readDay(text, r.format)
	if !ok {
		return r.noDate(text)
	}
	if r.kind == "datetime" && d.canonical && d.zoned && strings.Contains(text, "T") {
		return text, nil // it may be finer than a second
	}
	clock := d.clock
	if clock == "" {
		clock = "00:00:00"
	}
	if r.kind == "local_datetime" {
		if d.zoned {
			return "", Error("has a time zone, and the field has none; such as " + r.Example())
		}

		return d.Format(time.DateOnly) + " " + clock, nil
	}
	if d.zoned {
		return d.Format(time.DateOnly) + "T" + clock, nil
	}
	at, err := time.ParseInLocation(time.DateTime, d.Format(time.DateOnly)+" "+clock, r.locale.zone())
	if err != nil {
		return "", Error("is not a date and time; such as " + r.Example())
	}

	return at.UTC().Format(time.RFC3339), nil
}
