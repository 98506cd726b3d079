package vpic

import (
	"slices"
	"strings"
)

// yearCodes are the characters at the tenth place, from 1980 on; they repeat after 30 years (49 CFR 565.15, table VII).
const yearCodes = "ABCDEFGHJKLMNPRSTVWXY123456789"

// ahead is how many years a model year may be after the present year.
const ahead = 2

// years are the model years that a VIN of 17 characters may mean, the most probable first, none if the tenth place has no year. The
// vehicle type is that of vPIC.
//
// For cars and light trucks made for North America the seventh place tells the cycles apart: a digit until 2009, a letter from 2010 on. Others may
// have either: the newest year is probable.
func years(number string, now int, kind string) []int {
	i := strings.IndexByte(yearCodes, number[9])
	if i < 0 {
		return nil
	}
	newest := firstYear + i + len(yearCodes)
	possible := []int{newest, newest - len(yearCodes)}
	if newest > now+ahead {
		return possible[1:]
	}
	if digit := number[6] >= '0' && number[6] <= '9'; digit && light(kind) && ruled(number) {
		slices.Reverse(possible)
	}

	return possible
}

// ruled reports whether a VIN follows the rules of North America: by its manufacturer, or by a right check digit, which vehicles that are imported
// there must have.
func ruled(number string) bool { return northAmerican(number) || checkDigit(number) == "valid" }

// light reports whether the seventh place of vehicles of a type says what the year is. Light trucks are among those that are not: what a
// truck weighs is not known before its year.
func light(kind string) bool {
	return slices.Contains([]string{"Passenger Car", "Multipurpose Passenger Vehicle (MPV)", "Low Speed Vehicle (LSV)"}, kind)
}
