package field

import (
	"fmt"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// vinLength is how long every vehicle identification number is since 1981 (49 CFR 565.13).
const vinLength = 17

// checkDigit says what becomes of a VIN whose check digit is wrong. Vehicles from before 1981 and
// from outside North America need not have a right one.
type checkDigit string

const (
	checkDigitOff     checkDigit = "off"
	checkDigitWarn    checkDigit = "warn"
	checkDigitEnforce checkDigit = "enforce"
)

// vinOptions is a vehicle identification number, in upper case.
type vinOptions struct {
	stringCells

	CheckDigit checkDigit `json:"check_digit"`
}

var vinType = Type{
	Name:     "vin",
	About:    "A vehicle identification number: 17 letters and digits without I, O and Q. check_digit is off, warn (the default) or enforce.",
	Index:    TextIndex,
	Filter:   kind.Text,
	Sortable: true,
	New:      func() Values { return &vinOptions{CheckDigit: checkDigitWarn} },
}

// Check implements Values.
func (v *vinOptions) Check() error {
	switch v.CheckDigit {
	case checkDigitOff, checkDigitWarn, checkDigitEnforce:
		return nil
	}

	return OptionError{"check_digit", "The check digit must be off, warn or enforce."}
}

// Parse implements Values.
func (v *vinOptions) Parse(raw []byte) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	if len([]rune(given)) != vinLength {
		return Value{}, Error(fmt.Sprintf("must be %d characters.", vinLength))
	}
	number := upperASCII(given)
	if strings.ContainsFunc(number, func(r rune) bool { return VINValue(r) < 0 }) {
		return Value{}, Error("must be letters and digits without I, O and Q.")
	}
	parsed := Value{JSON: []byte(`"` + number + `"`), Key: number}
	if want := VINCheckDigit(number); v.CheckDigit != checkDigitOff && number[8] != want {
		problem := fmt.Sprintf("has the check digit %c, but it should be %c.", number[8], want)
		if v.CheckDigit == checkDigitEnforce {
			return Value{}, Error(problem)
		}
		parsed.Warning = problem
	}

	return parsed, nil
}

// Comparable implements Values.
func (v *vinOptions) Comparable(text string) (any, error) { return v.Part(text) }

// Part implements PartSearcher.
func (*vinOptions) Part(text string) (string, error) { return ComparableText(upperASCII(text)) }

// Schema implements Values.
func (*vinOptions) Schema() map[string]any {
	return map[string]any{"type": "string", "pattern": `^[A-HJ-NPR-Za-hj-npr-z0-9]{17}$`}
}

// upperASCII leaves other letters alone: the upper case of ſ is S, and it is no part of a VIN.
func upperASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}

		return r
	}, text)
}

// VINValue returns the number that a character of a VIN counts as (49 CFR 565.15, table III), -1
// for what is no character of a VIN.
func VINValue(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r >= 'A' && r <= 'H':
		return int(r-'A') + 1
	case r >= 'J' && r <= 'N':
		return int(r-'J') + 1
	case r == 'P':
		return 7
	case r == 'R':
		return 9
	case r >= 'S' && r <= 'Z':
		return int(r-'S') + 2
	}

	return -1
}

// VINCheckDigit computes the ninth character of a VIN of 17 characters (49 CFR 565.15, tables IV and V).
func VINCheckDigit(number string) byte {
	weights := [vinLength]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}
	sum := 0
	for i, r := range number {
		sum += VINValue(r) * weights[i]
	}

	return "0123456789X"[sum%11]
}
