package list

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// unit is a part of the calendar by which dates and times are grouped.
type unit string

const (
	byDay     unit = "day"
	byWeek    unit = "week" // from Monday
	byMonth   unit = "month"
	byQuarter unit = "quarter"
	byYear    unit = "year"
)

var errNoTime = errors.New("list: the database returned a time in an unknown format")

var units = []unit{byDay, byWeek, byMonth, byQuarter, byYear}

// begin returns when the unit that a time is in begins, in the zone of the time.
func (u unit) begin(at time.Time) time.Time {
	year, month, day := at.Date()
	switch u {
	case byDay:
	case byWeek:
		day -= (int(at.Weekday()) + 6) % 7
	case byMonth:
		day = 1
	case byQuarter:
		month, day = month-(month-1)%3, 1
	case byYear:
		month, day = time.January, 1
	}

	return time.Date(year, month, day, 0, 0, 0, 0, at.Location())
}

// next returns when the unit after the one that begins then begins.
func (u unit) next(begin time.Time) time.Time {
	year, month, day := begin.Date()
	switch u {
	case byDay:
		day++
	case byWeek:
		day += 7
	case byMonth:
		month++
	case byQuarter:
		month += 3
	case byYear:
		year++
	}

	return time.Date(year, month, day, 0, 0, 0, 0, begin.Location())
}

// divided returns the key with the units from the one with the least to the one with the greatest value, each nil where no
// item has one. Too many are ErrTooManyGroups.
func (k groupKey) divided(least, greatest *string) (groupKey, error) {
	if least == nil || greatest == nil {
		return k, nil
	}
	from, err := storedTime(*least)
	if err != nil {
		return k, err
	}
	to, err := storedTime(*greatest)
	if err != nil {
		return k, err
	}
	at := k.unit.begin(from.In(k.zone))
	for ; !at.After(to); at = k.unit.next(at) {
		if k.bounds = append(k.bounds, at); len(k.bounds) > MaxGroups {
			return k, ErrTooManyGroups.WithField("group_by",
				fmt.Sprintf("From %s on, there are more than %d units of a %s in %s. Group by a longer one, or filter by %s.",
					k.bounds[0].Format(time.DateOnly), MaxGroups, k.unit, k.Name, k.Name))
		}
	}
	k.bounds = append(k.bounds, at)

	return k, nil
}

// storedTime reads a date or time as the databases write it as text. One without a zone is taken to be in UTC.
func storedTime(text string) (time.Time, error) {
	for _, layout := range []string{
		time.DateOnly, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999-07",
	} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}

	return time.Time{}, errNoTime
}

// number returns the SQL for the number of the unit that a value is in: comparisons in the shape of a tree.
func (k groupKey) number(d dialect) (statement, error) {
	if len(k.bounds) == 0 {
		return statement{"NULL"}, nil
	}
	tree, err := k.tree(d, 0, len(k.bounds)-2)
	if err != nil {
		return nil, err
	}

	return slices.Concat(statement{"CASE WHEN ", d.operand(k.Field), " IS NULL THEN NULL ELSE "}, tree, statement{" END"}), nil
}

// tree finds out in which of the units from first to last a value is.
func (k groupKey) tree(d dialect, first, last int) (statement, error) {
	if first == last {
		return statement{strconv.Itoa(first)}, nil
	}
	middle := (first + last + 1) / 2
	bound, err := k.encode(k.Kind.FormatTime(k.bounds[middle]))
	if err != nil {
		return nil, fmt.Errorf("list: group by %s: %w", k.name, err)
	}
	before, err := k.tree(d, first, middle-1)
	if err != nil {
		return nil, err
	}
	after, err := k.tree(d, middle, last)

	return slices.Concat(statement{"CASE WHEN "}, d.compare(k.Field, "<", bound), statement{" THEN "}, before, statement{" ELSE "}, after,
		statement{" END"}), err
}
