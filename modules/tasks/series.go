package tasks

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/teambition/rrule-go"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// series finds out when tasks recur, in the time zones of companies.
type series struct {
	users *identity.Service
	items *item.Registry
}

func newSeries(users *identity.Service, items *item.Registry) *series { return &series{users, items} }

// ruleError says what is wrong with a recurrence, as the predicate of a sentence.
type ruleError string

// Error implements error.
func (e ruleError) Error() string { return string(e) }

const (
	// furthest bounds, in years, how far ahead of a task the next one may be, and so what looking for it costs.
	furthest = 10
	// widest bounds the interval of a rule.
	widest = 1000
)

// untilDate is an end that is a day: that day is part of the series.
var untilDate = regexp.MustCompile(`(UNTIL=\d{8})(;|$)`)

// parseRecurrence reads a recurrence, or returns a ruleError.
func parseRecurrence(text string, zone *time.Location) (rrule.ROption, error) {
	text = untilDate.ReplaceAllString(strings.TrimPrefix(strings.ToUpper(text), "RRULE:"), "${1}T235959$2")
	option, err := rrule.StrToROptionInLocation(text, zone)
	switch {
	case err != nil:
		return rrule.ROption{}, ruleError("must be an RRULE such as FREQ=WEEKLY;BYDAY=MO,TH")
	case option.Freq > rrule.DAILY:
		return rrule.ROption{}, ruleError("must have the FREQ DAILY, WEEKLY, MONTHLY or YEARLY")
	case len(option.Byhour)+len(option.Byminute)+len(option.Bysecond)+len(option.Byyearday)+len(option.Byweekno)+len(option.Byeaster) > 0,
		!option.Dtstart.IsZero():
		return rrule.ROption{}, ruleError("supports only FREQ, INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS and WKST; the time of day is that of due_at")
	case option.Interval < 0 || option.Interval > widest || option.Count < 0:
		return rrule.ROption{}, ruleError("must have an INTERVAL from 1 to 1000, and a COUNT that is not negative")
	}

	return *option, nil
}

// checkParts refuses what RFC 5545 forbids and the parser takes: a part that is given twice, zeros, and two ends.
func checkParts(text string) error {
	parts := map[string]string{}
	for part := range strings.SplitSeq(strings.TrimPrefix(strings.ToUpper(text), "RRULE:"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if _, twice := parts[name]; twice {
			return ruleError("must have each part once, and " + name + " is given twice")
		}
		parts[name] = value
	}
	for _, name := range []string{"INTERVAL", "COUNT"} {
		if value, given := parts[name]; given && strings.Trim(value, "0") == "" {
			return ruleError("must not have " + name + "=0: it is at least 1")
		}
	}
	if err := checkDays(parts); err != nil {
		return err
	}
	_, counted := parts["COUNT"]
	if _, ends := parts["UNTIL"]; counted && ends {
		return ruleError("must have a COUNT or an UNTIL, not both")
	}

	return nil
}

// numbered is a day of BYDAY with a number: 1MO, -1FR.
var numbered = regexp.MustCompile(`(?:^|,)\s*[+-]?[0-9]+`)

// checkDays refuses the days that RFC 5545, section 3.3.10, forbids for a frequency.
func checkDays(parts map[string]string) error {
	freq := strings.TrimSpace(parts["FREQ"])
	_, monthDays := parts["BYMONTHDAY"]
	_, positions := parts["BYSETPOS"]
	others := 0
	for name := range parts {
		if strings.HasPrefix(name, "BY") && name != "BYSETPOS" {
			others++
		}
	}
	switch {
	case numbered.MatchString(parts["BYDAY"]) && freq != "MONTHLY" && freq != "YEARLY":
		return ruleError("must not have a number in BYDAY, as in 1MO, unless FREQ is MONTHLY or YEARLY")
	case monthDays && freq == "WEEKLY":
		return ruleError("must not have BYMONTHDAY with FREQ=WEEKLY. Use BYDAY, or FREQ=MONTHLY")
	case positions && others == 0:
		return ruleError("must have another BY part, such as BYDAY, beside BYSETPOS")
	}

	return nil
}

// nextOccurrence is the first occurrence after a time, the zero time if there is none within the next ten years. The rule is
// applied to the time of day of from, in its zone; an occurrence that the zone skips when clocks are put forward is as late as the
// offset before the change has it.
func nextOccurrence(option rrule.ROption, from, moment time.Time) (time.Time, error) {
	zone := from.Location()
	option.Dtstart = wall(from)
	if limit := moment.AddDate(furthest, 0, 0); option.Until.IsZero() || option.Until.After(limit) {
		option.Until = limit
	}
	option.Until = wall(option.Until.In(zone))
	rule, err := rrule.NewRRule(option)
	if err != nil {
		return time.Time{}, ruleError("must be an RRULE: " + err.Error())
	}
	next := wall(moment.In(zone)).Add(-widestGap)
	for {
		if next = rule.After(next, false); next.IsZero() {
			return time.Time{}, nil
		}
		at := calendar.Local(next.Year(), next.Month(), next.Day(), next.Hour(), next.Minute(), next.Second(), zone)
		if at.After(moment) {
			return at.UTC(), nil
		}
	}
}

// widestGap bounds by how much clocks are put forward or back.
const widestGap = 24 * time.Hour

// wall is the date and time of day of an instant, without its zone.
func wall(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
}

// normalizeRecurrence returns a recurrence in its normal form, or a ruleError.
func normalizeRecurrence(text string, due time.Time, zone *time.Location) (string, error) {
	option, err := parseRecurrence(text, zone)
	if err == nil {
		err = checkParts(text)
	}
	if err != nil {
		return "", err
	}
	if year := due.Year(); year < 2000 || year > 2100 {
		return "", ruleError("requires a due at in the years 2000 to 2100")
	}
	next, err := nextOccurrence(option, due.In(zone), due)
	if err == nil && next.IsZero() {
		err = ruleError("must recur within ten years of due_at")
	}

	return option.RRuleString(), err
}

// next is when the task that follows one is due: after that one, and after now. It is the zero time at the end.
func (s *series) next(ctx context.Context, t task, now time.Time) (time.Time, error) {
	zone, err := s.zone(ctx)
	if err != nil {
		return time.Time{}, err
	}
	option, err := parseRecurrence(t.Recurrence, zone)
	if err != nil {
		return time.Time{}, err
	}
	moment := *t.DueAt
	if now.After(moment) {
		moment = now
	}

	return nextOccurrence(option, t.RecursFrom.In(zone), moment)
}

// zone is the company's time zone.
func (s *series) zone(ctx context.Context) (*time.Location, error) {
	who, _ := principal.From(ctx)
	company, err := s.users.Company(ctx, who.Company)

	return company.Zone(), err
}

// stillThere is an item, or none if it is gone.
func (s *series) stillThere(ctx context.Context, of resource.Item) (resource.Item, error) {
	if of.UUID == uuid.Nil {
		return of, nil
	}
	_, there, err := s.items.ClassOf(ctx, of.Ref())
	if errs.KindOf(err) == errs.Invalid || (err == nil && !there) {
		return resource.Item{}, nil
	}

	return of, err
}
