package field

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"github.com/dispatchd/dispatchd/platform/list"
)

// ReadableNumber turns a number as a database has it, as it is or as OrderedNumber writes it, into one with as many digits after
// the point as it needs, and at least scale.
func ReadableNumber(text string, scale int) string {
	plain := text
	if len(text) == 1+IntegerDigits+FractionDigits && !strings.ContainsAny(text, ".-") {
		plain = orderedBack(text)
	}
	number, ok := new(big.Rat).SetString(plain)
	if !ok {
		return text
	}
	digits, _ := number.FloatPrec()

	return number.FloatString(max(digits, scale))
}

// orderedBack is the reverse of OrderedNumber, with all zeros.
func orderedBack(ordered string) string {
	digits, sign := []byte(ordered), ""
	if digits[0] == '0' {
		sign = "-"
		for i, digit := range digits {
			digits[i] = '0' + '9' - digit
		}
	}

	return sign + string(digits[1:1+IntegerDigits]) + "." + string(digits[1+IntegerDigits:])
}

// SumParts are whole numbers that SQLite can add up exactly, of the SQL for a number as OrderedNumber writes it: each nine of its
// digits, as their complement to nines where the number is below zero.
func SumParts(value string) []list.SumPart {
	const width = 9
	var parts []list.SumPart
	for from, exponent := 2, IntegerDigits; exponent > -FractionDigits; {
		long := cmp.Or(exponent%width, width)
		exponent -= long
		digits := fmt.Sprintf("CAST(substr(%s, %d, %d) AS INTEGER)", value, from, long)
		parts = append(parts, list.SumPart{
			Expr:     "CASE WHEN " + value + " < '1' THEN " + digits + " - " + strings.Repeat("9", long) + " ELSE " + digits + " END",
			Exponent: exponent,
		})
		from += long
	}

	return parts
}
