package field

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Digits of a measure, so that every unit's canonical value is exact within those of a slot.
const (
	measureWhole    = 12
	measureFraction = 6
)

// unit is a unit of a measure, and how many of the canonical one it is.
type unit struct{ name, factor string }

// measureOptions is a quantity with a unit: a weight, a length. A value keeps the number and the unit that
// were given, and beside them the same in the canonical unit, by which values are compared.
type measureOptions struct {
	bounds

	Unit string `json:"unit"`

	what  string
	units []unit
}

// measureType is the type of a measure whose first unit is the canonical one. Values without a unit
// are in the usual one.
func measureType(name string, usual string, units ...unit) Type {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.name
	}

	return Type{
		Name: name,
		About: fmt.Sprintf(`A %s: {"value": "12.5", "unit": "%s"}, from min to max. Units are %s; unit (%s) is the unit `+
			"of min and max, and of values without one. Answers add the value in %s, by which values are compared; a filter is in %s "+
			`unless it has a unit ("12.5 %s").`,
			name, usual, strings.Join(names, ", "), usual, names[0], names[0], usual),
		Index:    NumericIndex,
		Filter:   kind.Decimal,
		Inside:   names[0],
		Sortable: true,
		New:      func() Values { return &measureOptions{Unit: usual, what: name, units: units} },
	}
}

// Check implements Values.
func (m *measureOptions) Check() error {
	if m.factor(m.Unit) == "" {
		return OptionError{"unit", "The unit must be one of " + m.unitNames() + "."}
	}

	return m.check(func(text string) (string, string, error) {
		number, canonical, err := m.convert(text, m.Unit)
		if err != nil {
			return "", "", err
		}

		return number, OrderedNumber(canonical), nil
	})
}

// Parse implements Values.
func (m *measureOptions) Parse(raw []byte) (Value, error) {
	given := map[string]string{"unit": string(rawjson.Quote(m.Unit))}
	for name, member := range rawjson.Members(raw) {
		switch string(name) {
		case "value", "unit", m.units[0].name:
			given[string(name)] = string(member)
		default:
			return Value{}, m.form()
		}
	}
	number, name := rawjson.Text([]byte(given["value"])), rawjson.Text([]byte(given["unit"]))
	if raw[0] != '{' || number == "" || name == "" {
		return Value{}, m.form()
	}
	number, canonical, err := m.convert(number, name)
	if err != nil {
		return Value{}, err
	}
	if err := m.checkBounds(canonical); err != nil {
		return Value{}, err
	}

	return Value{
		JSON: []byte(`{"` + m.units[0].name + `":"` + canonical + `","unit":"` + name + `","value":"` + number + `"}`),
		Key:  canonical,
	}, nil
}

// checkBounds says the bounds with their unit.
func (m *measureOptions) checkBounds(canonical string) error {
	if err := m.boundsError(OrderedNumber(canonical)); err != nil {
		return Error(strings.TrimSuffix(err.Error(), ".") + " " + m.Unit + ".")
	}

	return nil
}

// convert returns a number in its shortest form and what it is in the canonical unit.
func (m *measureOptions) convert(text, unit string) (number, canonical string, err error) {
	factor := m.factor(unit)
	if factor == "" {
		return "", "", Error("must have one of the units " + m.unitNames() + ".")
	}
	number, err = NormalDecimal(text, measureFraction)
	if err != nil {
		return "", "", err
	}
	whole, _, _ := strings.Cut(number, ".")
	switch {
	case number[0] == '-':
		return "", "", Error("must not be negative.")
	case len(whole) > measureWhole:
		return "", "", Error(fmt.Sprintf("must not have more than %d digits before the point.", measureWhole))
	}

	return ShortDecimal(number), ShortDecimal(multiply(number, factor)), nil
}

// multiply multiplies two decimal numbers that are not negative, exactly.
func multiply(a, b string) string {
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

// ConvertMeasure returns a decimal number of one unit in another one, if both are of weights or both of lengths, and no digit
// is lost.
func ConvertMeasure(number, from, to string) (string, bool) {
	n, ok := new(big.Rat).SetString(number)
	if !ok {
		return "", false
	}
	for _, typ := range []Type{weightType(), lengthType()} {
		m, _ := typ.New().(*measureOptions)
		one, known := new(big.Rat).SetString(m.factor(from))
		other, same := new(big.Rat).SetString(m.factor(to))
		if known && same {
			n.Quo(n.Mul(n, one), other)
			digits, exact := n.FloatPrec()

			return n.FloatString(digits), exact
		}
	}

	return "", false
}

func (m *measureOptions) factor(name string) string {
	for _, u := range m.units {
		if u.name == name {
			return u.factor
		}
	}

	return ""
}

func (m *measureOptions) unitNames() string {
	names := make([]string, len(m.units))
	for i, u := range m.units {
		names[i] = u.name
	}

	return strings.Join(names, ", ")
}

// form says what a value looks like.
func (m *measureOptions) form() error {
	return Error(fmt.Sprintf(`must be a %s: {"value": "12.5", "unit": "%s"}.`, m.what, m.Unit))
}

// Comparable takes a number in the canonical unit, which cursors have, or one with its unit.
func (m *measureOptions) Comparable(text string) (any, error) {
	number, name := splitUnit(text)
	if name == "" {
		return NormalDecimal(number, FractionDigits)
	}
	_, canonical, err := m.convert(number, name)

	return canonical, err
}

// Schema implements Values.
func (m *measureOptions) Schema() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"value": map[string]any{"type": "string", "format": "decimal", "pattern": `^[0-9]+(\.[0-9]+)?$|^-0+(\.0+)?$`},
			"unit":  map[string]any{"type": "string", "enum": strings.Split(m.unitNames(), ", "), "default": m.Unit},
			m.units[0].name: map[string]any{
				"readOnly": true, "description": "The value in " + m.units[0].name + "; ignored in requests.",
			},
		},
		"required":             []string{"value"},
		"additionalProperties": false,
	}
}

// CSV implements Values.
func (*measureOptions) CSV(json []byte) string {
	return rawjson.Text(rawjson.Member(json, "value")) + " " + rawjson.Text(rawjson.Member(json, "unit"))
}

// FromCSV implements Values.
func (m *measureOptions) FromCSV(cell string) ([]byte, error) {
	if _, err := ValidCell(cell, nil); err != nil {
		return nil, err
	}
	number, name := splitUnit(strings.TrimSpace(cell))
	switch {
	case number == "" && name == "":
		return []byte("null"), nil
	case name == "":
		name = m.Unit
	}

	return []byte(`{"unit":` + string(rawjson.Quote(name)) + `,"value":` + string(rawjson.Quote(number)) + `}`), nil
}

// splitUnit splits "12.5 lb" before the first letter.
func splitUnit(text string) (number, unit string) {
	end := strings.IndexFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' })
	if end < 0 {
		return text, ""
	}

	return strings.TrimSpace(text[:end]), text[end:]
}

// weightType is a weight. A pound is exactly 0.45359237 kg (NIST Handbook 44, appendix C).
func weightType() Type {
	return measureType("weight", "lb",
		unit{"kg", "1"},
		unit{"g", "0.001"},
		unit{"t", "1000"},
		unit{"oz", "0.028349523125"},
		unit{"lb", "0.45359237"},
		unit{"cwt", "45.359237"},
		unit{"ton", "907.18474"},
	)
}

// lengthType is a length. A foot is exactly 0.3048 m (NIST Handbook 44, appendix C).
func lengthType() Type {
	return measureType("length", "ft",
		unit{"m", "1"},
		unit{"mm", "0.001"},
		unit{"cm", "0.01"},
		unit{"km", "1000"},
		unit{"in", "0.0254"},
		unit{"ft", "0.3048"},
		unit{"yd", "0.9144"},
		unit{"mi", "1609.344"},
	)
}
