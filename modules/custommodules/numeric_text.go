package custommodules

import "strings"

// Digits of a number in its ordered text: enough for every int64 and for a decimal of 18 digits on
// either side of the point.
const (
	integerDigits  = 19
	fractionDigits = 18
)

// orderedNumber writes a decimal number ("-12.50") so that texts sort as numbers do: all of one
// width, first "1" for a number that is not negative, or "0" and every digit's complement to nine.
// The number has at most integerDigits and fractionDigits digits, and is not a negative zero.
func orderedNumber(number string) string {
	digits, negative := strings.CutPrefix(number, "-")
	whole, fraction, _ := strings.Cut(digits, ".")

	ordered := make([]byte, 0, 1+integerDigits+fractionDigits)
	ordered = append(ordered, '1')
	for range integerDigits - len(whole) {
		ordered = append(ordered, '0')
	}
	ordered = append(append(ordered, whole...), fraction...)
	for range fractionDigits - len(fraction) {
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
