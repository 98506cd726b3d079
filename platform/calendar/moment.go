package calendar

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Moment is a time that is counted from the present, as Parse reads it.
type Moment struct {
	base    string
	offsets []offset
}

// offset is a number of units, below zero for those before.
type offset struct {
	by   int
	unit string
}

// mostOffsets is how many offsets one moment may have.
const mostOffsets = 3

// Grammar says what words there are, for messages.
const Grammar = "now, today, start_of_week, start_of_month, start_of_quarter or start_of_year, with up to 3 offsets " +
	"such as -7d or +1mo (units: min, h, d, w, mo and y)"

var (
	wordPattern  = regexp.MustCompile(`^(now|today|start_of_(?:week|month|quarter|year))((?:[-+ ][0-9]{1,5}(?:min|mo|h|d|w|y))*)$`)
	offsetInWord = regexp.MustCompile(`([-+ ])([0-9]+)([a-z]+)`)
)

// Parse reads a word and its offsets: today-7d. A space stands for a plus sign, which is one in the query of a URL. It returns
// false for anything else; see Grammar.
func Parse(text string) (Moment, bool) {
	parts := wordPattern.FindStringSubmatch(text)
	if parts == nil {
		return Moment{}, false
	}
	m := Moment{base: parts[1]}
	for _, part := range offsetInWord.FindAllStringSubmatch(parts[2], -1) {
		by, err := strconv.Atoi(part[2])
		if err != nil {
			return Moment{}, false
		}
		if part[1] == "-" {
			by = -by
		}
		m.offsets = append(m.offsets, offset{by, part[3]})
	}

	return m, len(m.offsets) <= mostOffsets
}

// LooksRelative reports whether a text may be meant as a word: no date and no time begins with a letter.
func LooksRelative(text string) bool {
	return text != "" && (text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z')
}

// String returns the moment in its one form: today+7d.
func (m Moment) String() string {
	var b strings.Builder
	b.WriteString(m.base)
	for _, o := range m.offsets {
		fmt.Fprintf(&b, "%+d%s", o.by, o.unit)
	}

	return b.String()
}

// WholeDay reports whether the moment is the beginning of a day, and no offset says a time of the day.
func (m Moment) WholeDay() bool {
	whole := m.base != "now"
	for _, o := range m.offsets {
		whole = whole && o.unit != "h" && o.unit != "min"
	}

	return whole
}

// At returns when the moment is, where the present is now: in its time zone, in which days begin. Weeks begin on Monday. Offsets
// are added in their order; days, weeks, months and years leave the time of the day as it is, and a month without the day has
// its last one instead. False says that it is outside of the years 1 to 9999.
func (m Moment) At(now time.Time) (time.Time, bool) {
	at := m.begin(now)
	for _, o := range m.offsets {
		if at = o.add(at); at.Year() < 1 || at.Year() > 9999 {
			return at, false
		}
	}

	return at, true
}

func (m Moment) begin(now time.Time) time.Time {
	year, month, day := now.Date()
	switch m.base {
	case "now":
		return now
	case "start_of_week":
		day -= (int(now.Weekday()) + 6) % 7
	case "start_of_month":
		day = 1
	case "start_of_quarter":
		month, day = month-(month-1)%3, 1
	case "start_of_year":
		month, day = time.January, 1
	}

	return time.Date(year, month, day, 0, 0, 0, 0, now.Location())
}

func (o offset) add(at time.Time) time.Time {
	switch o.unit {
	case "min":
		return at.Add(time.Duration(o.by) * time.Minute)
	case "h":
		return at.Add(time.Duration(o.by) * time.Hour)
	case "d":
		return at.AddDate(0, 0, o.by)
	case "w":
		return at.AddDate(0, 0, 7*o.by)
	case "mo":
		return addMonths(at, o.by)
	default:
		return addMonths(at, 12*o.by)
	}
}

// addMonths is AddDate without its way of going on into the next month: a month after January 31 is the last of February.
func addMonths(at time.Time, months int) time.Time {
	made := at.AddDate(0, months, 0)
	if made.Day() != at.Day() && made.Day() < 4 {
		made = made.AddDate(0, 0, -made.Day())
	}

	return made
}
