package intake

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Lesson is a label that was not known, and what it means.
type Lesson struct {
	Label string
	Field Field
}

// Learn finds what labels mean that were not known: says has what people have entered since, by field, and a label whose value is the same means that field.
func Learn(q Inquiry, says map[Field]string) (learned []Lesson) {
	for _, line := range q.Unparsed {
		label, value, _ := strings.Cut(line, ": ")
		for _, field := range slices.Sorted(maps.Keys(says)) {
			if plain(says[field]) != "" && plain(says[field]) == plain(value) {
				learned = append(learned, Lesson{label, field})

				break
			}
		}
	}

	return learned
}

// plain is a value without what is written in different ways: case, spaces and punctuation, and the +1 of phone numbers.
func plain(text string) string {
	kept := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}

		return -1
	}, text)
	const national = 10
	if digits := strings.TrimPrefix(kept, "1"); len(digits) == national && strings.Trim(digits, "0123456789") == "" {
		return digits
	}

	return kept
}
