package page

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/dispatchd/dispatchd/platform/money"
)

// Sprintf is fmt.Sprintf with numbers as people read them: 1,243.
func Sprintf(format string, args ...any) string {
	return message.NewPrinter(language.AmericanEnglish).Sprintf(format, args...)
}

// Amount is an amount as people read it: $1,236.25, or 1,236.25 CAD, or 85,000 JPY.
func Amount(a money.Amount, in money.Currency) string {
	text := a.In(in)
	whole, cents, found := strings.Cut(text, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil && n != 0 {
		if text = Sprintf("%d", n); found {
			text += "." + cents
		}
	}
	if in != "USD" {
		return text + " " + string(in)
	}
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		return "-$" + rest
	}

	return "$" + text
}

// Day writes a day, such as 2026-12-01, as people read it: December 1, 2026. Anything else stays unchanged.
func Day(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}

	return at.Format("January 2, 2006")
}

// Moment writes a time on a clock in a zone as people read it, with the zone: December 1, 2026, 14:05 CST.
func Moment(at time.Time, in *time.Location) string {
	return at.In(in).Format("January 2, 2006, 15:04 MST")
}

// Zone is the time zone of a name, UTC where the name is none or "".
func Zone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}

	return zone
}
