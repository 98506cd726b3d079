package registry

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
)

// day reads a day as any of the sets writes it; "" if it is none.
func day(text string) regulatorapi.Date { return regulatorapi.Date(feed.Day(text)) }

// dateOf returns the day of a time in UTC.
func dateOf(t time.Time) regulatorapi.Date { return regulatorapi.Date(t.UTC().Format(time.DateOnly)) }

// leastDollars is what no cover is less than: a smaller number is in thousands, as the licensing system always wrote them.
const leastDollars = 10_000

// dollars reads an amount of cover; nil if there is none. 0 is an amount: nothing is on file.
func dollars(text string) *regulatorapi.Dollars {
	text = strings.NewReplacer("$", "", ",", "", " ", "").Replace(text)
	amount, err := strconv.ParseFloat(text, 64)
	const most = 1e12 // beyond it, the file is broken; NaN is on neither side
	if err != nil || !(amount >= 0 && amount <= most) {
		return nil
	}
	d := regulatorapi.Dollars(amount)
	if d < leastDollars {
		d *= 1000
	}

	return &d
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
