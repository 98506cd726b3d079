package custommodules

import "strings"

func (*text) words(json []byte) string { return stringOf(json) }

func (*longText) words(json []byte) string { return stringOf(json) }

func (email) words(json []byte) string { return stringOf(json) }

func (usdotNumber) words(json []byte) string { return stringOf(json) }

func (scac) words(json []byte) string { return stringOf(json) }

// words has a number in one piece too.
func (mcNumber) words(json []byte) string {
	number := stringOf(json)

	return number + " " + strings.ReplaceAll(number, "-", "")
}

// words has the ends of a VIN by which people know vehicles, of 8 and of 6 characters.
func (*vin) words(json []byte) string {
	number := stringOf(json)
	for _, tail := range []int{8, 6} {
		if len(number) > tail {
			number += " " + stringOf(json)[len(stringOf(json))-tail:]
		}
	}

	return number
}

// words has a number of ten digits as people group it, and every number with and without its country's
// code.
func (*phone) words(json []byte) string {
	number := strings.TrimPrefix(stringOf(json), "+")
	national, ok := strings.CutPrefix(number, "1")
	if !ok || len(national) != 10 {
		return number
	}

	return strings.Join([]string{number, national, national[:3], national[3:6], national[6:], national[3:]}, " ")
}

func (*address) words(json []byte) string {
	var parts []string
	for name, part := range members(json) {
		if string(name) != "country" {
			parts = append(parts, stringOf(part))
		}
	}

	return strings.Join(parts, " ")
}
