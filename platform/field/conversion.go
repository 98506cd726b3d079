package field

import (
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Conversion is how values of one type become values of another. What is not among conversions() cannot
// be done.
type Conversion struct {
	From, To string
	// convert makes of a value of one field, in its normal form and not null, JSON that the other field may
	// or may not take. Its error is an Error.
	convert func(from, to Values, raw []byte) ([]byte, error)
	// loses reports whether the old value cannot be told from the new one; nil says that it always can.
	loses func(from, to Values, before, after []byte) bool
}

// Conversions are all of them, by the types that they are from, in the order of fieldTypes.
func Conversions() []Conversion {
	var all []Conversion
	for _, from := range TextTypes {
		for _, to := range slices.Concat(TextTypes, spelledTypes) {
			all = append(all, Conversion{from, to, parseCell, isReformatted})
		}
	}
	for _, from := range spelledTypes {
		for _, to := range TextTypes {
			all = append(all, Conversion{From: from, To: to, convert: writeCell})
		}
	}

	return slices.Concat(all, numberConversions, choiceConversions, timeConversions())
}

// TextTypes are the types of free text: text and long_text.
var TextTypes = []string{"text", "long_text"}

// spelledTypes are the types whose values are read from texts and written as texts.
var spelledTypes = []string{
	"integer", "decimal", "boolean", "date", "local_datetime", "datetime", "time", "select", "multi_select",
	"email", "phone", "url", "vin", "usdot_number", "mc_number", "scac", "equipment",
}

// numberConversions never round.
var numberConversions = []Conversion{
	{From: "integer", To: "integer", convert: keepRaw},
	{From: "integer", To: "decimal", convert: quoteJSON},
	{From: "integer", To: "boolean", convert: truthOf},
	{From: "integer", To: "select", convert: quoteJSON},
	{From: "decimal", To: "decimal", convert: keepRaw},
	{From: "decimal", To: "integer", convert: wholeOf},
	{From: "boolean", To: "integer", convert: bitOf},
	{From: "boolean", To: "select", convert: quoteJSON},
}

var choiceConversions = []Conversion{
	{From: "select", To: "select", convert: keepRaw},
	{From: "select", To: "multi_select", convert: listOf},
	{From: "multi_select", To: "multi_select", convert: keepRaw},
	{From: "multi_select", To: "select", convert: onlyOf},
}

// ConversionOf returns the conversion between two types, false if there is none.
func ConversionOf(from, to string) (Conversion, bool) {
	all := Conversions()
	i := slices.IndexFunc(all, func(c Conversion) bool { return c.From == from && c.To == to })
	if i < 0 {
		return Conversion{}, false
	}

	return all[i], true
}

// ConvertibleTo names the types that values of one can become.
func ConvertibleTo(from string) string {
	var names []string
	for _, c := range Conversions() {
		if c.From == from {
			names = append(names, c.To)
		}
	}
	if names == nil {
		return "Values of this type cannot be converted."
	}

	return "It can become " + strings.Join(names, ", ") + "."
}

// Converter converts the values of one field into those of another.
type Converter struct {
	Conversion

	Old, New Values
}

// Convert converts a stored value. What is nothing stays nothing, with no JSON. Its error is an Error.
func (c Converter) Convert(raw []byte) (v Value, loses bool, err error) {
	if len(rawjson.OrNothing(raw)) == 0 {
		return Value{}, false, nil
	}
	text, err := c.convert(c.Old, c.New, raw)
	if err != nil {
		return Value{}, false, err
	}
	if len(rawjson.OrNothing(text)) == 0 {
		return Value{JSON: []byte("null")}, false, nil
	}
	v, err = c.New.Parse(text)
	if err == nil && c.loses != nil {
		loses = c.loses(c.Old, c.New, raw, v.JSON)
	}

	return v, loses, err
}

// keepRaw takes a value as it is: the other field has the same type and other options.
func keepRaw(_, _ Values, raw []byte) ([]byte, error) { return raw, nil }

// parseCell reads a text as the cell of a table is read, so without the spaces around it.
func parseCell(from, to Values, raw []byte) ([]byte, error) { return to.FromCSV(from.CSV(raw)) }

// isReformatted reports whether a text was written in another way than its value is.
func isReformatted(from, to Values, before, after []byte) bool {
	return from.CSV(before) != to.CSV(after)
}

// writeCell writes a value as the cell of a table has it.
func writeCell(from, _ Values, raw []byte) ([]byte, error) { return rawjson.Quote(from.CSV(raw)), nil }

// quoteJSON makes a string of JSON that is none.
func quoteJSON(_, _ Values, raw []byte) ([]byte, error) { return rawjson.Quote(string(raw)), nil }

// truthOf takes 1 for true and 0 for false.
func truthOf(_, _ Values, raw []byte) ([]byte, error) {
	switch string(raw) {
	case "1":
		return []byte("true"), nil
	case "0":
		return []byte("false"), nil
	}

	return nil, Error("must be 1 or 0 to become true or false.")
}

func bitOf(_, _ Values, raw []byte) ([]byte, error) {
	if raw[0] == 't' {
		return []byte("1"), nil
	}

	return []byte("0"), nil
}

// wholeOf takes a number that has no fraction but zeros.
func wholeOf(_, _ Values, raw []byte) ([]byte, error) {
	whole, fraction, _ := strings.Cut(rawjson.Text(raw), ".")
	if strings.Trim(fraction, "0") != "" {
		return nil, Error("must not have a fraction to become an integer.")
	}
	if whole == "-0" {
		whole = "0"
	}

	return []byte(whole), nil
}

func listOf(_, _ Values, raw []byte) ([]byte, error) {
	return append(append([]byte{'['}, raw...), ']'), nil
}

// onlyOf takes the option of a list that has no more than one.
func onlyOf(_, _ Values, raw []byte) ([]byte, error) {
	switch ids := idsIn(raw); len(ids) {
	case 0:
		return []byte("null"), nil
	case 1:
		return rawjson.Quote(ids[0]), nil
	}

	return nil, Error("must not have more than one option to become a single one.")
}

// timeConversions take what has no zone for UTC, and a day for its first moment.
func timeConversions() []Conversion {
	const moment = time.RFC3339Nano

	return []Conversion{
		{From: "date", To: "date", convert: keepRaw},
		{From: "date", To: "local_datetime", convert: reformatTime(time.DateOnly, time.DateTime)},
		{From: "date", To: "datetime", convert: reformatTime(time.DateOnly, moment)},
		{From: "local_datetime", To: "date", convert: reformatTime(time.DateTime, time.DateOnly), loses: losesTime(time.DateTime, time.DateOnly)},
		{From: "local_datetime", To: "time", convert: reformatTime(time.DateTime, time.TimeOnly), loses: losesTime(time.DateTime, time.TimeOnly)},
		{From: "local_datetime", To: "datetime", convert: reformatTime(time.DateTime, moment)},
		{From: "datetime", To: "date", convert: reformatTime(moment, time.DateOnly), loses: losesTime(moment, time.DateOnly)},
		{From: "datetime", To: "time", convert: reformatTime(moment, time.TimeOnly), loses: losesTime(moment, time.TimeOnly)},
		{From: "datetime", To: "local_datetime", convert: reformatTime(moment, time.DateTime), loses: losesTime(moment, time.DateTime)},
	}
}

// reformatTime writes a time of one layout in another.
func reformatTime(from, to string) func(_, _ Values, raw []byte) ([]byte, error) {
	return func(_, _ Values, raw []byte) ([]byte, error) {
		at, err := time.Parse(from, rawjson.Text(raw))
		if err != nil {
			return nil, Error("cannot be parsed as a time.")
		}

		return rawjson.Quote(at.UTC().Format(to)), nil
	}
}

// losesTime reports whether a layout left out something of a time.
func losesTime(from, to string) func(_, _ Values, before, after []byte) bool {
	return func(_, _ Values, before, after []byte) bool {
		was, err := time.Parse(from, rawjson.Text(before))
		if err != nil {
			return true
		}
		is, err := time.Parse(to, rawjson.Text(after))

		return err != nil || !was.Equal(is)
	}
}
