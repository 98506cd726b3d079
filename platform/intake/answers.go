package intake

import (
	"regexp"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/field"
)

var bracketed = regexp.MustCompile(`\[([^\[\]\s]{1,40})\]`)

// Reference is the number in brackets in the subject of a mail, which names what the mail answers; "" for none.
func (l Letter) Reference() string {
	if m := bracketed.FindStringSubmatch(l.Subject); m != nil {
		return m[1]
	}

	return ""
}

// TransportType is open, enclosed or driveaway, "" if the inquiry does not say it.
func (q Inquiry) TransportType() string {
	text := strings.ToLower(q.Value(Transport))
	switch {
	case strings.Contains(text, "enclosed"), strings.Contains(text, "closed"), strings.Contains(text, "covered"):
		return "enclosed"
	case strings.Contains(text, "drive"):
		return "driveaway"
	case strings.Contains(text, "open"):
		return "open"
	}

	return ""
}

// AvailableFrom is the day of the inquiry, in any of the ways in which people write it; "" if it is none.
func (q Inquiry) AvailableFrom() field.Date {
	for _, layout := range []string{time.DateOnly, "01/02/2006", "1/2/2006", "1/2/06", "Jan 2, 2006", "January 2, 2006", time.RFC3339} {
		if at, err := time.Parse(layout, q.Value(Day)); err == nil {
			return field.Date(at.Format(time.DateOnly))
		}
	}

	return ""
}
