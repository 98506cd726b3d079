package custommodules

import (
	"slices"
	"strings"
)

// conversion is how values of one type become values of another. What is not among conversions() cannot
// be done.
type conversion struct {
	from, to typeName
	// convert makes of a value of one field, in its normal form and not null, JSON that the other field may
	// or may not take. Its error is a valueError.
	convert func(from, to valueType, raw []byte) ([]byte, error)
	// loses reports whether the old value cannot be told from the new one; nil says that it always can.
	loses func(from, to valueType, before, after []byte) bool
}

// conversions are all of them, by the types that they are from, in the order of fieldTypes.
func conversions() []conversion {
	var all []conversion
	for _, from := range textTypes() {
		for _, to := range slices.Concat(textTypes(), spelledTypes()) {
			all = append(all, conversion{from, to, spell, misspells})
		}
	}
	for _, from := range spelledTypes() {
		for _, to := range textTypes() {
			all = append(all, conversion{from: from, to: to, convert: write})
		}
	}

	return slices.Concat(all, numberConversions(), choiceConversions(), timeConversions())
}

func textTypes() []typeName { return []typeName{"text", "long_text"} }

// spelledTypes are the types whose values are read from texts and written as texts.
func spelledTypes() []typeName {
	return []typeName{
		"integer", "decimal", "boolean", "date", "local_datetime", "datetime", "time", "select", "multi_select",
		"email", "phone", "url", "vin", "usdot_number", "mc_number", "scac", "equipment",
	}
}

// numberConversions never round.
func numberConversions() []conversion {
	return []conversion{
		{from: "integer", to: "integer", convert: keep},
		{from: "integer", to: "decimal", convert: quoted},
		{from: "integer", to: "boolean", convert: truthOf},
		{from: "integer", to: "select", convert: quoted},
		{from: "decimal", to: "decimal", convert: keep},
		{from: "decimal", to: "integer", convert: wholeOf},
		{from: "boolean", to: "integer", convert: bitOf},
		{from: "boolean", to: "select", convert: quoted},
	}
}

func choiceConversions() []conversion {
	return []conversion{
		{from: "select", to: "select", convert: keep},
		{from: "select", to: "multi_select", convert: listOf},
		{from: "multi_select", to: "multi_select", convert: keep},
		{from: "multi_select", to: "select", convert: onlyOf},
	}
}

// conversionOf returns the conversion between two types, false if there is none.
func conversionOf(from, to typeName) (conversion, bool) {
	all := conversions()
	i := slices.IndexFunc(all, func(c conversion) bool { return c.from == from && c.to == to })
	if i < 0 {
		return conversion{}, false
	}

	return all[i], true
}

// becomes names the types that values of one can become.
func becomes(from typeName) string {
	var names []string
	for _, c := range conversions() {
		if c.from == from {
			names = append(names, string(c.to))
		}
	}
	if names == nil {
		return "Values of this type cannot be converted."
	}

	return "It can become " + strings.Join(names, ", ") + "."
}

// converter converts the values of one field into those of another.
type converter struct {
	conversion

	old, made valueType
}

// value converts a stored value. What is nothing stays nothing, with no JSON. Its error is a valueError.
func (c converter) value(raw []byte) (v value, loses bool, err error) {
	if len(orNothing(raw)) == 0 {
		return value{}, false, nil
	}
	text, err := c.convert(c.old, c.made, raw)
	if err != nil {
		return value{}, false, err
	}
	if len(orNothing(text)) == 0 {
		return value{json: []byte("null")}, false, nil
	}
	v, err = c.made.parse(text)
	if err == nil && c.loses != nil {
		loses = c.loses(c.old, c.made, raw, v.json)
	}

	return v, loses, err
}
