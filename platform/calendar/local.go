package calendar

import "time"

// Local returns the instant of a date and a time of day in a zone, as RFC 5545 has it: a time that occurs twice, when clocks
// are put back, is the first one, and a time that does not occur, when they are put forward, is read with the offset before the
// change, so that 2:30 is the instant called 3:30. Values outside of their ranges are normalized, as in time.Date.
func Local(year int, month time.Month, day, hour, minute, second int, zone *time.Location) time.Time {
	wall := time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	before, after := inOffsetOf(wall, wall.AddDate(0, 0, -1), zone), inOffsetOf(wall, wall.AddDate(0, 0, 1), zone)
	if !sameWall(before, wall) && sameWall(after, wall) {
		return after
	}

	return before
}

// inOffsetOf reads a date and time of day with the offset that a zone has at another time.
func inOffsetOf(wall, other time.Time, zone *time.Location) time.Time {
	_, offset := other.In(zone).Zone()

	return wall.Add(-time.Duration(offset) * time.Second).In(zone)
}

// sameWall reports whether an instant has a date and time of day.
func sameWall(at, wall time.Time) bool {
	return at.Format(time.DateTime) == wall.Format(time.DateTime)
}
