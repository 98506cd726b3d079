package field

import "strings"

// Digits of a number in its ordered text: enough for every int64 and for a decimal of 18 digits on
// either side of the point.
const (
	IntegerDigits  = 19
	FractionDigits = 18
)

// OrderedNumber writes a decimal number ("-12.50") so that texts sort as numbers do: all of one
// width, first "1" for a number that is not negative, or "0" and every digit's complement to nine.
// The number has at most IntegerDigits and FractionDigits digits, and is not a negative zero.
func OrderedNumber(number string) string {
	digits, negative := strings.CutPrefix(number, "-")
	whole, fraction, _ := strings.Cut(digits, ".")

	ordered := make([]byte, 0, 1+IntegerDigits+FractionDigits)
	ordered = append(ordered, '1')
	for range IntegerDigits - len(whole) {
		ordered = append(ordered, '0')
	}
	ordered = append(append(ordered, whole...), fraction...)
	for range FractionDigits - len(fraction) {
		ordered = append(ordered, '0')
	}
	if negative {
		for i, digit := range ordered {
			ordered[i] = '0' + '9' - digit
		}
		ordered[0] = '0'
	}

	return string(ordered)
}

// OrderedDecimal is OrderedNumber in the SQL of SQLite, of the SQL for the text of a decimal number.
func OrderedDecimal(text string) string {
	whole := "CAST(ltrim(" + text + ", '-') AS INTEGER)"
	point := "instr(" + text + " || '.', '.')"
	fraction := "CAST(substr(rtrim(substr(" + text + " || '.', " + point + " + 1), '.') || '000000000000000000', 1, 18) AS INTEGER)"
	digits := func(sign, whole, fraction string) string {
		return "'" + sign + "' || printf('%018d%018d', " + whole + ", " + fraction + ")"
	}

	return "CASE WHEN " + text + " IS NULL THEN NULL WHEN " + text + " LIKE '-%' THEN " +
		digits("09", "999999999999999999 - "+whole, "999999999999999999 - "+fraction) +
		" ELSE " + digits("10", whole, fraction) + " END"
}
