package cell

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/currency"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// number is a cell that was read as a number: digits with one point or none, and a minus sign or none.
type number struct {
	text    string
	percent bool
	// comma and point say what its decimals stand behind, as far as it can be told; both, that it cannot.
	comma, point bool
}

var (
	// grouped are digits with something between thousands (1,234,567), or as in India (12,34,567).
	grouped = regexp.MustCompile(`^[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}$`)
	// parted are digits with spaces or apostrophes between thousands.
	parted = regexp.MustCompile(`^[0-9]{1,3}(?:[ '][0-9]{3})+(?:[.,][0-9]+)?$`)
	digits = regexp.MustCompile(`^[0-9]*[.,]?[0-9]*$`)
	// thousand may be a thousand, or three decimals.
	thousand = regexp.MustCompile(`^[1-9][0-9]{0,2}[.,][0-9]{3}$`)
)

// readNumber reads an amount with what people put around it. Where one separator stands before three digits, comma says
// whether it is that of the decimals.
func readNumber(text string, comma bool) (number, bool) {
	var n number
	text, negative, ok := cutSign(keyboardText(text))
	if !ok {
		return n, false
	}
	if text == nothing {
		n.text = "0"

		return n, true
	}
	if rest, is := strings.CutSuffix(text, "%"); is {
		n.percent, text = true, strings.TrimSpace(rest)
	}
	whole, decimals, ok := n.split(text, comma)
	if !ok || whole+decimals == "" {
		return n, false
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	n.text = whole
	if decimals != "" {
		n.text += "." + decimals
	}
	if negative && strings.Trim(n.text, "0.") != "" {
		n.text = "-" + n.text
	}

	return n, true
}

// keyboardText writes the kinds of spaces, minus signs and apostrophes as those of a keyboard.
func keyboardText(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '\u2212' || r == '\u2013' || r == '\u2012':
			return '-'
		case r == '\u2019':
			return '\''
		}

		return r
	}, text))
}

// nothing is what spreadsheets show for zero in the format of accounts: $ -.
const nothing = "-"

// cutSign takes the sign and the currency off an amount, false if there are two of one. The amount is "-" for nothing beside a currency.
func cutSign(text string) (rest string, negative, ok bool) {
	signs, currencies := 0, 0
	if bare := strings.TrimSpace(withoutCurrency(text)); bare != text && bare != "" && strings.Trim(bare, "-") == "" {
		return nothing, false, true
	}
	if bare := strings.TrimSpace(withoutCurrency(text)); bare != text && strings.HasPrefix(bare, "(") { // $ (75.00)
		text, currencies = bare, 1
	}
	if inner, is := strings.CutPrefix(text, "("); is {
		if text, is = strings.CutSuffix(inner, ")"); !is {
			return "", false, false
		}
		signs, negative = 1, true
	}
	for range 4 {
		before := text
		switch {
		case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "+"):
			negative = negative || text[0] == '-'
			text = text[1:]
			signs++
		case strings.HasSuffix(text, "-"):
			negative, text = true, text[:len(text)-1]
			signs++
		default:
			if text = withoutCurrency(text); text != before {
				currencies++
			}
		}
		if text = strings.TrimSpace(text); text == before {
			break
		}
	}

	return text, negative, signs <= 1 && currencies <= 1
}

// withoutCurrency takes a symbol or a code of ISO 4217 off the beginning or the end of an amount.
func withoutCurrency(text string) string {
	runes := []rune(text)
	letters := 0
	for letters < len(runes) && letters < 3 && unicode.IsLetter(runes[letters]) {
		letters++
	}
	if letters < len(runes) && letters < 3 && unicode.Is(unicode.Sc, runes[letters]) {
		return string(runes[letters+1:]) // $ or US$
	}
	if letters == 3 && isCurrency(string(runes[:3])) {
		return string(runes[3:])
	}
	if last := len(runes) - 1; last >= 0 && unicode.Is(unicode.Sc, runes[last]) {
		return string(runes[:last])
	}
	if at := len(runes) - 3; at > 0 && isCurrency(string(runes[at:])) {
		return string(runes[:at])
	}

	return text
}

func isCurrency(code string) bool {
	_, err := currency.ParseISO(code)

	return err == nil
}

// split splits digits into those before and behind the decimal separator.
func (n *number) split(text string, comma bool) (whole, decimals string, ok bool) {
	spaced := parted.MatchString(text)
	if spaced {
		text = strings.NewReplacer(" ", "", "'", "").Replace(text)
	}
	points, commas := strings.Count(text, "."), strings.Count(text, ",")
	switch {
	case points > 0 && commas > 0:
		return n.splitDecimals(text)
	case points+commas > 1: // 1,234,567
		n.point, n.comma = commas > 0, points > 0

		return strings.NewReplacer(",", "", ".", "").Replace(text), "", grouped.MatchString(strings.ReplaceAll(text, ".", ","))
	case !digits.MatchString(text):
		return "", "", false
	case points+commas == 0:
		return text, "", true
	}
	if !spaced && thousand.MatchString(text) {
		n.point, n.comma = true, true
		if comma == (points == 1) {
			return strings.NewReplacer(",", "", ".", "").Replace(text), "", true
		}
	} else {
		n.point, n.comma = points == 1, commas == 1
	}
	whole, decimals, _ = strings.Cut(strings.ReplaceAll(text, ",", "."), ".")

	return whole, decimals, true
}

// splitDecimals splits digits with points and commas: the last of them is that of the decimals.
func (n *number) splitDecimals(text string) (whole, decimals string, ok bool) {
	n.comma = strings.LastIndexByte(text, ',') > strings.LastIndexByte(text, '.')
	n.point = !n.comma
	if n.comma {
		text = strings.NewReplacer(",", ".", ".", ",").Replace(text)
	}
	whole, decimals, _ = strings.Cut(text, ".")

	return strings.ReplaceAll(whole, ",", ""), decimals, grouped.MatchString(whole) && digits.MatchString(decimals) && !strings.Contains(decimals, ",")
}

func (r Reader) comma() bool { return r.format == Comma || r.format == CommaPercent }

// number reads a number, behind which its unit may stand if the reader has one. Another unit of the same kind of quantity is
// converted where that is exact.
func (r Reader) number(text string) (number, bool) {
	n, ok := readNumber(text, r.comma())
	m := quantity.FindStringSubmatch(text)
	if ok || r.unit == "" || m == nil {
		return n, ok
	}
	if n, ok = readNumber(m[1], r.comma()); !ok || n.percent {
		return n, false
	}
	named := unitNamed(m[2])
	if unit := cmp.Or(naming.ReadHeading("1, "+named).Unit, named); unit != r.unit {
		n.text, ok = field.ConvertMeasure(n.text, unit, r.unit)
	}

	return n, ok
}

func (r Reader) amount(text string) (string, error) {
	n, ok := r.number(text)
	if !ok {
		return "", Error("is not an amount; such as " + r.Example())
	}
	if n.percent && (r.format == PointPercent || r.format == CommaPercent) {
		return shiftPercent(n.text), nil
	}

	return n.text, nil
}

// shiftPercent moves the point of a number by two digits.
func shiftPercent(text string) string {
	text, negative := strings.CutPrefix(text, "-")
	whole, decimals, _ := strings.Cut(text, ".")
	if missing := 3 - len(whole); missing > 0 {
		whole = strings.Repeat("0", missing) + whole
	}
	at := len(whole) - 2
	text = strings.TrimRight(whole[:at]+"."+whole[at:]+decimals, "0")
	text = strings.TrimSuffix(text, ".")
	if negative {
		text = "-" + text
	}

	return text
}

func (r Reader) whole(text string) (string, error) {
	n, ok := r.number(text)
	if !ok || n.percent {
		return "", Error("is not a whole number; such as " + r.Example())
	}
	whole, decimals, _ := strings.Cut(n.text, ".")
	if strings.Trim(decimals, "0") != "" {
		return "", Error("is not a whole number; such as " + r.Example())
	}
	negative := strings.HasPrefix(whole, "-")
	if whole = strings.TrimLeft(whole, "-0"); whole == "" {
		return "0", nil
	}
	if negative {
		whole = "-" + whole
	}

	return whole, nil
}

var quantity = regexp.MustCompile(`^(.*?[0-9.])\s*(\pL+\.?|#|'|")?$`)

// measure reads a quantity with its unit, or without one.
func (r Reader) measure(text string) (string, error) {
	m := quantity.FindStringSubmatch(text)
	if m == nil {
		return "", Error("is not a " + r.kind + "; such as " + r.Example())
	}
	n, ok := readNumber(m[1], r.comma())
	if !ok || n.percent {
		return "", Error("is not a " + r.kind + "; such as " + r.Example())
	}

	return strings.TrimSpace(n.text + " " + unitNamed(m[2])), nil
}

// unitNamed is what fields call a unit.
func unitNamed(word string) string {
	unit := strings.ToLower(strings.TrimSuffix(word, "."))

	return cmp.Or(units[unit], unit)
}

// units are words for units, by which fields call them.
var units = map[string]string{
	"#": "lb", "lbs": "lb", "pound": "lb", "pounds": "lb", "kgs": "kg", "kilogram": "kg", "kilograms": "kg", "tons": "ton",
	"tonne": "t", "tonnes": "t", "ounce": "oz", "ounces": "oz", "'": "ft", "feet": "ft", "foot": "ft", "\"": "in", "inch": "in",
	"inches": "in", "meter": "m", "meters": "m", "mile": "mi", "miles": "mi", "yards": "yd", "yard": "yd",
}
