package vpic

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/field"
)

const (
	// length is how long a VIN is since 1981 (49 CFR 565.13).
	length = 17
	// shortest is the least number of characters that decode: the manufacturer and the descriptor.
	shortest = 8
	// shortestLegacy is the length of the shortest VINs from before 1981.
	shortestLegacy = 5
	// shortestUsual and longestUsual are how long most VINs from before 1981 are: texts of that length are taken for one.
	shortestUsual, longestUsual = 11, 13
	// firstRuled is the first model year with VINs of 17 characters (49 CFR 565.13).
	firstRuled = 1981
	// unknown stands for a character that the caller does not know.
	unknown = '*'
	// mostProblems is how many problems of one text are reported.
	mostProblems = 5
)

// lookalikes are the letters that VINs do not have, and characters of other alphabets that look like Latin ones.
var lookalikes = map[rune]string{
	'I': "1", 'O': "0", 'Q': "0",
	'А': "A", 'В': "B", 'Е': "E", 'К': "K", 'М': "M", 'Н': "H", 'О': "0", 'Р': "P", 'С': "C", 'Т': "T", 'У': "Y", 'Х': "X", 'З': "3", // Cyrillic
	'Α': "A", 'Β': "B", 'Ε': "E", 'Ζ': "Z", 'Η': "H", 'Ι': "1", 'Κ': "K", 'Μ': "M", 'Ν': "N", 'Ο': "0", 'Ρ': "P", 'Τ': "T", 'Υ': "Y", 'Χ': "X", // Greek
}

// Normalize returns a text in upper case, without the spaces and hyphens that people put into VINs. Letters of other alphabets stay.
func Normalize(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r == '-' || r == '.' || unicode.IsSpace(r) || unicode.Is(unicode.Dash, r) || unicode.Is(unicode.Cf, r):
			return -1
		}

		return r
	}, text)
}

// legacy reports whether a text in its normal form is a VIN from before 1981, by its length or by the model year, 0 if that is not known.
// Each maker had numbers of its own then, which may have I, O and Q.
func legacy(number string, year int) bool {
	switch n := len(number); {
	case n < shortestLegacy || n >= length || year >= firstRuled || strings.ContainsFunc(number, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}):
		return false
	case year > 0:
		return true
	default:
		return n < shortest || n >= shortestUsual && n <= longestUsual
	}
}

// Unlabel returns the 17 characters of a VIN in the text of a Code 39 label, "" for other texts. Such a label has * at both ends, and on
// imported vehicles the identifier I before the VIN (ANSI MH10.8.2, AIAG B-10).
func Unlabel(number string) string {
	inner := number
	if strings.HasPrefix(number, "*") && strings.HasSuffix(number, "*") && len(number) > length {
		inner = number[1 : len(number)-1]
	}
	if len(inner) == length+1 {
		inner = strings.TrimPrefix(inner, "I")
	}
	if inner == number || len(inner) != length || strings.ContainsRune(inner, unknown) || len(Problems(inner)) > 0 {
		return ""
	}

	return inner
}

// Problems says why a text in its normal form is no VIN, with positions from 1: nil for one of 5 to 17 characters, of which * stands for
// one that is not known.
func Problems(number string) []vehiclesapi.Problem {
	if n := utf8.RuneCountInString(number); n < shortestLegacy || n > length {
		characters := "characters"
		if n == 1 {
			characters = "character"
		}
		p := vehiclesapi.Problem{Message: fmt.Sprintf("The VIN has %d %s. It must have %d.", n, characters, length)}
		if n > length {
			if p.Hint = Unlabel(number); p.Hint != "" {
				p.Message = fmt.Sprintf("This is the text of a bar code label. The VIN on it is %s.", p.Hint)
			}
		}

		return []vehiclesapi.Problem{p}
	}
	if legacy(number, 0) {
		return nil
	}
	var all []vehiclesapi.Problem
	position := 0
	for _, r := range number {
		position++
		if r == unknown || field.VINValue(r) >= 0 {
			continue
		}
		p := vehiclesapi.Problem{Position: position, Character: string(r), Hint: lookalikes[unicode.ToUpper(r)]}
		switch {
		case r == utf8.RuneError || !unicode.IsPrint(r):
			p.Character = fmt.Sprintf("%U", r)
			p.Message = fmt.Sprintf("Character %d cannot be in a VIN.", position)
		case r >= 'A' && r <= 'Z':
			p.Message = fmt.Sprintf("%c is not used in VINs: %s?", r, p.Hint)
		case p.Hint != "":
			p.Message = fmt.Sprintf("%c (%U) is not a Latin letter: %s?", r, r, p.Hint)
		case r >= '！' && r <= '～': // the full-width forms of ASCII
			p.Hint = string(unicode.ToUpper(r - '！' + '!'))
			p.Message = fmt.Sprintf("%c (%U) is a full-width character: %s?", r, r, p.Hint)
		default:
			p.Message = fmt.Sprintf("%c cannot be in a VIN: only A to Z without I, O and Q, and 0 to 9.", r)
		}
		if all = append(all, p); len(all) == mostProblems {
			break
		}
	}

	return all
}

// Pattern returns a complete VIN with * in place of the check digit and without the serial number, as vPIC's API takes it: vehicles of one
// pattern have the same details. It is "" for other texts.
func Pattern(number string) string {
	if len(number) != length || strings.ContainsRune(number, unknown) || len(Problems(number)) > 0 {
		return ""
	}
	end := 11
	if number[2] == '9' { // the last three characters of a small manufacturer's WMI follow the plant
		end = 14
	}

	return number[:8] + string(unknown) + number[9:end]
}

// checkDigit says whether the check digit of a VIN without problems is right.
func checkDigit(number string) string {
	switch {
	case len(number) != length || strings.ContainsRune(number, unknown):
		return "unknown"
	case field.VINCheckDigit(number) == number[8]:
		return "valid"
	}

	return "invalid"
}

// northAmerican reports whether the manufacturer is one of North America, where the check digit and the model year are mandatory.
func northAmerican(number string) bool { return number[0] >= '1' && number[0] <= '5' }

// region is the part of the world that the first character of a VIN stands for (ISO 3780).
func region(number string) string {
	switch c := number[0]; {
	case c >= '1' && c <= '5':
		return "North America"
	case c == '6' || c == '7':
		return "Oceania"
	case c == '8' || c == '9':
		return "South America"
	case c >= 'A' && c <= 'G':
		return "Africa"
	case c >= 'H' && c <= 'R':
		return "Asia"
	case c >= 'S' && c <= 'Z':
		return "Europe"
	}

	return ""
}

// similar are the characters that are mistaken for one another in VINs.
var similar = map[byte]string{
	'0': "D", 'D': "0", '1': "7L", 'L': "1", '7': "1", '2': "Z", 'Z': "2", '4': "A", 'A': "4", '5': "S", 'S': "5", '6': "G", 'G': "6C", 'C': "G",
	'8': "B3", 'B': "8", '3': "8", 'U': "V", 'V': "UY", 'Y': "V", 'M': "N", 'N': "M", 'X': "K", 'K': "X", 'P': "R", 'R': "P",
}

// mostSuggestions is how many VINs are suggested in place of a wrong one.
const mostSuggestions = 5

// Suggestions are VINs with a right check digit that were probably meant: with the letters I, O and Q replaced, with one similar
// character, or with two neighbours the other way round. Known makers come first.
func (d *Data) Suggestions(number string) []string {
	fixed := strings.Map(func(r rune) rune {
		if hint := lookalikes[unicode.ToUpper(r)]; hint != "" {
			return rune(hint[0])
		}

		return r
	}, number)
	if len(Problems(fixed)) > 0 || len(fixed) != length || strings.ContainsRune(fixed, unknown) {
		return []string{}
	}
	var known, others []string
	add := func(to string) {
		switch {
		case to == number || checkDigit(to) != "valid":
		case d.known(to):
			known = append(known, to)
		default:
			others = append(others, to)
		}
	}
	add(fixed)
	if len(known) == 0 && checkDigit(fixed) != "valid" {
		for i := range length {
			for _, c := range []byte(similar[fixed[i]]) {
				add(fixed[:i] + string(c) + fixed[i+1:])
			}
			if i+1 < length && fixed[i] != fixed[i+1] {
				add(fixed[:i] + string(fixed[i+1]) + string(fixed[i]) + fixed[i+2:])
			}
		}
	}
	all := append(known, others...)

	return append([]string{}, all[:min(len(all), mostSuggestions)]...)
}

// Plausible reports whether a VIN without problems is one of a known manufacturer, or has a right check digit.
func (d *Data) Plausible(number string) bool {
	return checkDigit(number) == "valid" || d.known(number)
}

// known reports whether the manufacturer of a VIN is known.
func (d *Data) known(number string) bool { return d.maker(number) != nil || abroad[number[:3]] != "" }

// Checked is a verdict on the text of a VIN.
type Checked struct {
	VIN         string
	Valid       bool
	CheckDigit  string // valid, invalid, unknown
	Expected    string // "" if it cannot be computed
	Mandatory   bool
	Legacy      bool
	Problems    []vehiclesapi.Problem
	Suggestions []string
}

// Check checks a text as a user wrote it.
func (d *Data) Check(text string) Checked {
	number := Normalize(text)
	out := Checked{VIN: clip(number), CheckDigit: "unknown", Problems: []vehiclesapi.Problem{}, Suggestions: []string{}}
	if problems := Problems(number); len(problems) > 0 {
		out.Problems = problems
		switch labeled := Unlabel(number); {
		case labeled != "":
			out.Suggestions = []string{labeled}
		case utf8.RuneCountInString(number) == length:
			out.Suggestions = d.Suggestions(number)
		}

		return out
	}
	out.CheckDigit, out.Mandatory = checkDigit(number), northAmerican(number) && len(number) == length
	out.Valid = len(number) == length && !strings.ContainsRune(number, unknown)
	out.Legacy = len(number) < length
	if out.Valid {
		out.Expected = string(field.VINCheckDigit(number))
	}
	if out.CheckDigit == "invalid" {
		out.Suggestions = d.Suggestions(number)
	}

	return out
}
