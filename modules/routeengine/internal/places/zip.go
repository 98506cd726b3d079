package places

import (
	"fmt"
	"strings"

	"github.com/dispatchd/dispatchd/platform/naming"
)

// ZIP is the number of a ZIP code. Its text has five digits.
type ZIP uint32

// ZIPError says what is wrong with a ZIP code, as the end of a sentence that begins with its name.
type ZIPError string

// Error implements error.
func (e ZIPError) Error() string { return string(e) }

// What is wrong with ZIP codes.
const (
	errNotZIP   = ZIPError(`must be a ZIP code of five digits, such as 75201 or 75201-1234.`)
	errZeros    = ZIPError(`must have five digits: ZIP codes of the Northeast begin with 0, such as 02108.`)
	errCanadian = ZIPError(`must be a ZIP code of the United States, not a Canadian postal code.`)
)

const (
	zipDigits  = 5
	plusDigits = 9
	leastShort = 3
)

// ParseZIP reads a ZIP code of five digits, or of nine, with or without a hyphen or a space. Spaces around it do not matter. The error is an
// ZIPError.
func ParseZIP(text string) (ZIP, error) {
	text = naming.ZIP(text)
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}

		return -1
	}, text)
	switch {
	case len(digits) == zipDigits && len(text) == zipDigits,
		len(digits) == plusDigits && text == digits[:zipDigits]+"-"+digits[zipDigits:]:
		number := uint32(0)
		for _, d := range digits[:zipDigits] {
			number = number*10 + uint32(d-'0') //nolint:gosec,mnd // a digit
		}

		return ZIP(number), nil
	case len(digits) >= leastShort && len(digits) < zipDigits && text == digits:
		return 0, errZeros
	case canadian(text):
		return 0, errCanadian
	}

	return 0, errNotZIP
}

// canadian reports whether a text has the form of a Canadian postal code, or of its first half: K1A 0B1.
func canadian(text string) bool {
	text = strings.ReplaceAll(text, " ", "")
	if len(text) != 3 && len(text) != 6 {
		return false
	}
	for i, r := range strings.ToUpper(text) {
		if digit := r >= '0' && r <= '9'; digit != (i%2 == 1) || !digit && (r < 'A' || r > 'Z') {
			return false
		}
	}

	return true
}

// String returns the five digits.
func (z ZIP) String() string { return fmt.Sprintf("%05d", uint32(z)) }

func (z ZIP) id() string { return string(ZIPCode) + "-" + z.String() }

// military returns the region of a military post office, "" for any other ZIP code: the Postal Service reserves 090 to 098 for Europe,
// 340 for the Americas and 962 to 966 for the Pacific.
func (z ZIP) military() string {
	switch prefix := uint32(z) / zoneSize; {
	case prefix >= 90 && prefix <= 98: //nolint:mnd // see above
		return "AE"
	case prefix == 340: //nolint:mnd // see above
		return "AA"
	case prefix >= 962 && prefix <= 966: //nolint:mnd // see above
		return "AP"
	}

	return ""
}
