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

// Amount is an amount as people read it: $1,236.25, or 1,236.25 CAD.
func Amount(a money.Amount, in money.Currency) string {
	text := string(a)
	if whole, cents, found := strings.Cut(text, "."); found {
		if n, err := strconv.ParseInt(whole, 10, 64); err == nil && n != 0 {
			text = Sprintf("%d", n) + "." + cents
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

// Day writes a day, such as 2026-12-01, as people read it: December 1, 2026. Anything else stays as it is.
func Day(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}

	return at.Format("January 2, 2006")
}
