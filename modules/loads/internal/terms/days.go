package terms

import (
	"slices"
	"strconv"
	"strings"
)

// DaysOf lists the days on which a payment by a method can be due, "" for any.
func DaysOf(method string) string {
	days := dueDays[method]
	texts := make([]string, len(days))
	for i, d := range days {
		texts[i] = strconv.FormatInt(d, 10)
	}

	return strings.Join(texts, ", ")
}

// Allows reports whether a payment by a method can be due on a day.
func Allows(method string, days int64) bool { return slices.Contains(dueDays[method], days) }

// dueDays are the days on which each way of paying can be due, as carriers and load boards know them.
var dueDays = map[string][]int64{
	"cash": {0, 2, 5}, "check": checkDays, "cashiers_check": checkDays, "certified_check": checkDays, "money_order": checkDays, "comchek": checkDays,
	"ach": checkDays, "wire": checkDays, "direct_deposit": checkDays, "credit_card": checkDays, "venmo": checkDays, "cashapp": checkDays, "zelle": checkDays, "uship": checkDays,
}

var checkDays = []int64{0, 2, 5, 7, 10, 15, 20, 30, 45, 60}
