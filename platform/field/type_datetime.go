package field

import (
	"regexp"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const errDatetime = Error("must be a date and time with a zone, to the microsecond: 2026-12-01T09:30:00Z.")

// momentPattern is stricter than time.Parse, which takes one digit where RFC 3339 wants two.
var momentPattern = regexp.MustCompile(
	`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)

// datetimeOptions is a moment. Its normal form is in UTC, with as many digits of the second as it has.
type datetimeOptions struct {
	stringCells
	bounds
}

// DatetimeType is the type of moments.
func DatetimeType() Type {
	return Type{
		Name:     "datetime",
		About:    "A date and time with a zone in RFC 3339 (2026-12-01T09:30:00-05:00), from min to max. It is stored in UTC, to the microsecond.",
		Index:    TimeIndex,
		Filter:   kind.Time,
		Sortable: true,
		New:      func() Values { return &datetimeOptions{} },
	}
}

// Check implements Values.
func (d *datetimeOptions) Check() error {
	return d.check(func(text string) (string, string, error) {
		moment, err := parseMoment(text)

		return moment, momentKey(moment), err
	})
}

// Parse implements Values.
func (d *datetimeOptions) Parse(raw []byte) (Value, error) {
	if raw[0] != '"' {
		return Value{}, errDatetime
	}
	moment, err := parseMoment(string(raw[1 : len(raw)-1]))
	if err != nil {
		return Value{}, err
	}

	return Value{JSON: rawjson.Quote(moment), Key: momentKey(moment)}, d.refuseTime(momentKey(moment))
}

// Comparable implements Values.
func (*datetimeOptions) Comparable(text string) (any, error) {
	moment, err := parseMoment(text)

	return momentKey(moment), err
}

// Schema implements Values.
func (*datetimeOptions) Schema() map[string]any {
	return map[string]any{"type": "string", "format": "date-time", "pattern": momentPattern.String()}
}

// parseMoment reads a time with a zone into its normal form. It refuses what is finer than the
// databases keep.
func parseMoment(text string) (string, error) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if why := notOnCalendar(text); err != nil && why != "" && momentPattern.MatchString(text) {
		return "", Error(why)
	}
	at = at.UTC()
	if err != nil || at.Year() < 1 || at.Year() > 9999 || at.Nanosecond()%int(time.Microsecond) != 0 ||
		!momentPattern.MatchString(text) {
		return "", errDatetime
	}

	return at.Format(time.RFC3339Nano), nil
}

// momentKey is a moment as it is compared: a Z would sort after a fraction of a second.
func momentKey(moment string) string { return strings.TrimSuffix(moment, "Z") }
