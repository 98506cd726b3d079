package custommodules

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/dispatchd/dispatchd/platform/list"
)

// Digits of a measure, so that every unit's canonical value is exact within those of a slot.
const (
	measureWhole    = 12
	measureFraction = 6
)

// unit is a unit of a measure, and how many of the canonical one it is.
type unit struct{ name, factor string }

// measure is a quantity with a unit: a weight, a length. A value keeps the number and the unit that
// were given, and beside them the same in the canonical unit, by which values are compared.
type measure struct {
	bounds

	Unit string `json:"unit"`

	what  string
	units []unit
}

// measureType is the type of a measure whose first unit is the canonical one. Values without a unit
// are in the usual one.
func measureType(name typeName, usual string, units ...unit) fieldType {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.name
	}

	return fieldType{
		name: name,
		about: fmt.Sprintf(`A %s: {"value": "12.5", "unit": "%s"}, from min to max. Units are %s; unit (%s) is that of a value `+
			"which names none, and of min and max. Values come back with %s, by which they are compared; a filter is in %s "+
			`if it names no unit ("12.5 %s").`,
			name, usual, strings.Join(names, ", "), usual, names[0], names[0], usual),
		slot:     numericSlot,
		filter:   list.Decimal,
		inside:   names[0],
		sortable: true,
		options:  func() valueType { return &measure{Unit: usual, what: string(name), units: units} },
	}
}

func (m *measure) check() error {
	if m.factor(m.Unit) == "" {
		return optionError{"unit", "The unit must be one of " + m.unitNames() + "."}
	}

	return m.bounds.check(func(text string) (string, string, error) {
		number, canonical, err := m.convert(text, m.Unit)
		if err != nil {
			return "", "", err
		}

		return number, orderedNumber(canonical), nil
	})
}

func (m *measure) parse(raw []byte) (value, error) {
	given := map[string]string{"unit": string(quote(m.Unit))}
	for name, member := range members(raw) {
		switch string(name) {
		case "value", "unit", m.units[0].name:
			given[string(name)] = string(member)
		default:
			return value{}, m.form()
		}
	}
	number, name := stringOf([]byte(given["value"])), stringOf([]byte(given["unit"]))
	if raw[0] != '{' || number == "" || name == "" {
		return value{}, m.form()
	}
	number, canonical, err := m.convert(number, name)
	if err != nil {
		return value{}, err
	}
	if err := m.within(canonical); err != nil {
		return value{}, err
	}

	return value{
		json: []byte(`{"` + m.units[0].name + `":"` + canonical + `","unit":"` + name + `","value":"` + number + `"}`),
		key:  canonical,
	}, nil
}

// within says the bounds with their unit.
func (m *measure) within(canonical string) error {
	if err := m.refuse(orderedNumber(canonical)); err != nil {
		return valueError(strings.TrimSuffix(err.Error(), ".") + " " + m.Unit + ".")
	}

	return nil
}

// convert returns a number in its shortest form and what it is in the canonical unit.
func (m *measure) convert(text, unit string) (number, canonical string, err error) {
	factor := m.factor(unit)
	if factor == "" {
		return "", "", valueError("must have one of the units " + m.unitNames() + ".")
	}
	number, err = normalDecimal(text, measureFraction)
	if err != nil {
		return "", "", err
	}
	whole, _, _ := strings.Cut(number, ".")
	switch {
	case number[0] == '-':
		return "", "", valueError("must not be negative.")
	case len(whole) > measureWhole:
		return "", "", valueError(fmt.Sprintf("must not have more than %d digits before the point.", measureWhole))
	}

	return shortDecimal(number), shortDecimal(product(number, factor)), nil
}

// product multiplies two decimal numbers that are not negative, exactly.
func product(a, b string) string {
	digits := 0
	number := func(text string) *big.Int {
		whole, fraction, _ := strings.Cut(text, ".")
		digits += len(fraction)
		n, _ := new(big.Int).SetString(whole+fraction, 10)

		return n
	}
	text := new(big.Int).Mul(number(a), number(b)).String()
	if digits == 0 {
		return text
	}
	if missing := digits + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}

	return text[:len(text)-digits] + "." + text[len(text)-digits:]
}

func (m *measure) factor(name string) string {
	for _, u := range m.units {
		if u.name == name {
			return u.factor
		}
	}

	return ""
}

func (m *measure) unitNames() string {
	names := make([]string, len(m.units))
	for i, u := range m.units {
		names[i] = u.name
	}

	return strings.Join(names, ", ")
}

// form says what a value looks like.
func (m *measure) form() error {
	return valueError(fmt.Sprintf(`must be a %s: {"value": "12.5", "unit": "%s"}.`, m.what, m.Unit))
}

// comparable takes a number in the canonical unit, which cursors have, or one with its unit.
func (m *measure) comparable(text string) (any, error) {
	number, name := splitUnit(text)
	if name == "" {
		return normalDecimal(number, fractionDigits)
	}
	_, canonical, err := m.convert(number, name)

	return canonical, err
}

func (m *measure) schema() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"value": map[string]any{"type": "string", "format": "decimal", "pattern": `^[0-9]+(\.[0-9]+)?$|^-0+(\.0+)?$`},
			"unit":  map[string]any{"type": "string", "enum": strings.Split(m.unitNames(), ", "), "default": m.Unit},
			m.units[0].name: map[string]any{
				"readOnly": true, "description": "The value in " + m.units[0].name + "; what is sent is not read.",
			},
		},
		"required":             []string{"value"},
		"additionalProperties": false,
	}
}

func (*measure) csv(json []byte) string {
	return stringOf(member(json, "value")) + " " + stringOf(member(json, "unit"))
}

func (m *measure) fromCSV(cell string) ([]byte, error) {
	if _, err := validText(cell, nil); err != nil {
		return nil, err
	}
	number, name := splitUnit(strings.TrimSpace(cell))
	switch {
	case number == "" && name == "":
		return []byte("null"), nil
	case name == "":
		name = m.Unit
	}

	return []byte(`{"unit":` + string(quote(name)) + `,"value":` + string(quote(number)) + `}`), nil
}

// splitUnit splits "12.5 lb" before the first letter.
func splitUnit(text string) (number, unit string) {
	end := strings.IndexFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' })
	if end < 0 {
		return text, ""
	}

	return strings.TrimSpace(text[:end]), text[end:]
}
