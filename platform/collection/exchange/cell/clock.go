package cell

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	clockPattern = regexp.MustCompile(`^([0-9]{1,2})(?:[:h]([0-9]{2})(?::([0-9]{2})(\.[0-9]{1,9})?)?)?(?: ?h)? ?([aApP]\.?[mM]\.?)?(?: ?(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?$`)
	// military is a time as dispatchers write it: 0930.
	military = regexp.MustCompile(`^([0-9]{2})([0-9]{2})$`)
	fraction = regexp.MustCompile(`^0?\.[0-9]+$`)
)

// readClock reads a time of the day, into HH:MM:SS and its zone as RFC 3339 has it.
func readClock(text string) (clock string, zoned, ok bool) {
	text = strings.TrimSpace(text)
	if m := military.FindStringSubmatch(text); m != nil {
		return atClock(m[1], m[2], "00")
	}
	m := clockPattern.FindStringSubmatch(text)
	if m == nil || m[2] == "" && m[5] == "" {
		return "", false, false
	}
	hour, err := strconv.Atoi(m[1])
	if err != nil || strings.Trim(m[4], ".0") != "" {
		return "", false, false
	}
	if m[5] != "" {
		if hour < 1 || hour > 12 {
			return "", false, false
		}
		if hour %= 12; m[5][0]|' ' == 'p' {
			hour += 12
		}
	}
	clock, _, ok = atClock(strconv.Itoa(hour), m[2], m[3])
	if m[6] == "" || !ok {
		return clock, false, ok
	}
	zone := m[6]
	switch {
	case zone[0] != '+' && zone[0] != '-':
		zone = "Z"
	case len(zone) == 5:
		zone = zone[:3] + ":" + zone[3:]
	}

	return clock + zone, true, true
}

func atClock(hour, minute, second string) (string, bool, bool) {
	var n [3]int
	for i, part := range []string{hour, minute, second} {
		if part == "" {
			continue
		}
		var err error
		if n[i], err = strconv.Atoi(part); err != nil {
			return "", false, false
		}
	}

	return fmt.Sprintf("%02d:%02d:%02d", n[0], n[1], n[2]), false, n[0] < 24 && n[1] < 60 && n[2] < 60
}

func timeOfDay(text string) (string, error) {
	if fraction.MatchString(text) {
		part, err := strconv.ParseFloat(text, 64)
		if err == nil {
			return time.Unix(int64(part*secondsOfDay+0.5), 0).UTC().Format(time.TimeOnly), nil
		}
	}
	clock, zoned, ok := readClock(text)
	if !ok || zoned {
		if len(text) == len(time.TimeOnly) && strings.Count(text, ":") == 2 {
			return text, nil // the field says why it is none
		}

		return "", Error("is not a time; such as 14:30")
	}

	return clock, nil
}
