package custommodules

import (
	"strings"
	"time"
)

// keep takes a value as it is: the other field has the same type and other options.
func keep(_, _ valueType, raw []byte) ([]byte, error) { return raw, nil }

// spell reads a text as the cell of a table is read, so without the spaces around it.
func spell(from, to valueType, raw []byte) ([]byte, error) { return to.fromCSV(from.csv(raw)) }

// misspells reports whether a text was written in another way than its value is.
func misspells(from, to valueType, before, after []byte) bool {
	return from.csv(before) != to.csv(after)
}

// write writes a value as the cell of a table has it.
func write(from, _ valueType, raw []byte) ([]byte, error) { return quote(from.csv(raw)), nil }

// quoted makes a string of JSON that is none.
func quoted(_, _ valueType, raw []byte) ([]byte, error) { return quote(string(raw)), nil }

// truthOf takes 1 for true and 0 for false.
func truthOf(_, _ valueType, raw []byte) ([]byte, error) {
	switch string(raw) {
	case "1":
		return []byte("true"), nil
	case "0":
		return []byte("false"), nil
	}

	return nil, valueError("must be 1 or 0 to become true or false.")
}

func bitOf(_, _ valueType, raw []byte) ([]byte, error) {
	if raw[0] == 't' {
		return []byte("1"), nil
	}

	return []byte("0"), nil
}

// wholeOf takes a number that has no fraction but zeros.
func wholeOf(_, _ valueType, raw []byte) ([]byte, error) {
	whole, fraction, _ := strings.Cut(stringOf(raw), ".")
	if strings.Trim(fraction, "0") != "" {
		return nil, valueError("must not have a fraction to become an integer.")
	}
	if whole == "-0" {
		whole = "0"
	}

	return []byte(whole), nil
}

func listOf(_, _ valueType, raw []byte) ([]byte, error) {
	return append(append([]byte{'['}, raw...), ']'), nil
}

// onlyOf takes the option of a list that has no more than one.
func onlyOf(_, _ valueType, raw []byte) ([]byte, error) {
	switch ids := idsIn(raw); len(ids) {
	case 0:
		return []byte("null"), nil
	case 1:
		return quote(ids[0]), nil
	}

	return nil, valueError("must not have more than one option to become one.")
}

// timeConversions take what has no zone for UTC, and a day for its first moment.
func timeConversions() []conversion {
	const moment = time.RFC3339Nano

	return []conversion{
		{from: "date", to: "date", convert: keep},
		{from: "date", to: "local_datetime", convert: retime(time.DateOnly, time.DateTime)},
		{from: "date", to: "datetime", convert: retime(time.DateOnly, moment)},
		{from: "local_datetime", to: "date", convert: retime(time.DateTime, time.DateOnly), loses: untimely(time.DateTime, time.DateOnly)},
		{from: "local_datetime", to: "time", convert: retime(time.DateTime, time.TimeOnly), loses: untimely(time.DateTime, time.TimeOnly)},
		{from: "local_datetime", to: "datetime", convert: retime(time.DateTime, moment)},
		{from: "datetime", to: "date", convert: retime(moment, time.DateOnly), loses: untimely(moment, time.DateOnly)},
		{from: "datetime", to: "time", convert: retime(moment, time.TimeOnly), loses: untimely(moment, time.TimeOnly)},
		{from: "datetime", to: "local_datetime", convert: retime(moment, time.DateTime), loses: untimely(moment, time.DateTime)},
	}
}

// retime writes a time of one layout in another.
func retime(from, to string) func(_, _ valueType, raw []byte) ([]byte, error) {
	return func(_, _ valueType, raw []byte) ([]byte, error) {
		at, err := time.Parse(from, stringOf(raw))
		if err != nil {
			return nil, valueError("cannot be read as a time.")
		}

		return quote(at.UTC().Format(to)), nil
	}
}

// untimely reports whether a layout left out something of a time.
func untimely(from, to string) func(_, _ valueType, before, after []byte) bool {
	return func(_, _ valueType, before, after []byte) bool {
		was, err := time.Parse(from, stringOf(before))
		if err != nil {
			return true
		}
		is, err := time.Parse(to, stringOf(after))

		return err != nil || !was.Equal(is)
	}
}
