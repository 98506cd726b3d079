package main

import (
	"strings"
	"unicode"
)

// longest is the length up to which a word in capitals is taken as an abbreviation: BMW, GMC, INC, SAAB.
const longest = 4

// asTheyAre are names in capitals that are no shouted words.
var asTheyAre = map[string]bool{"CFMOTO": true, "KTMMEX": true, "DAIX": true}

// known are names that the rule would spell wrong.
var known = map[string]string{"SAAB": "Saab", "YUGO": "Yugo", "OPEN RANGE": "Open Range", "Ram": "Ram"}

// display spells a make that vPIC has in capitals: AIRSTREAM is Airstream, and BMW stays.
func display(name string) string {
	if to, ok := known[name]; ok {
		return to
	}
	if asTheyAre[name] || strings.ContainsFunc(name, unicode.IsLower) {
		return name
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range words {
		if len(word) > longest {
			name = strings.Replace(name, word, word[:1]+strings.ToLower(word[1:]), 1)
		}
	}

	return name
}
