package places

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dispatchd/dispatchd/platform/database"
)

// fullWords are the words that names abbreviate.
var fullWords = map[string]string{"st": "saint", "ste": "sainte", "ft": "fort", "mt": "mount"}

// joined are the beginnings of names that are written apart or together.
var joined = []string{"mc", "d", "l", "o"}

// Fold returns a name as it is compared: without case, accents and punctuation, with "st", "ste", "ft" and "mt" in full, and "mc", "d",
// "l" and "o" joined with the word that follows: Coeur D Alene is Coeur d'Alene.
func Fold(name string) string { return strings.Join(foldWords(name, true), " ") }

// foldTyped is Fold for a name that somebody is still typing: its last word is taken as it is, unless a space or point ends it.
func foldTyped(name string) string {
	return strings.Join(foldWords(name, strings.HasSuffix(name, " ") || strings.HasSuffix(name, ".")), " ")
}

func foldWords(name string, complete bool) []string {
	name = strings.ReplaceAll(strings.ReplaceAll(database.FoldText(name), "'", ""), "’", "")
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := 0; i < len(words); i++ {
		if i == len(words)-1 && !complete {
			break
		}
		if full, ok := fullWords[words[i]]; ok {
			words[i] = full
		}
		if slices.Contains(joined, words[i]) && i+1 < len(words) {
			words[i] += words[i+1]
			words = slices.Delete(words, i+1, i+2)
		}
	}

	return words
}

// stateOf returns the two letters of a state that is named by them or in full, "" if there is none.
func stateOf(name string) string {
	folded := strings.Join(foldWords(name, false), " ") // "MT" is not a mount
	for code, full := range stateNames {
		if folded == strings.ToLower(code) || folded == full {
			return code
		}
	}

	return ""
}

// State reports whether a name is that of a state, and returns its two letters.
func State(name string) (string, bool) {
	code := stateOf(name)

	return code, code != ""
}

// statesFrom returns the states whose letters or name begin with what was typed.
func statesFrom(typed string) []string {
	typed = strings.Join(foldWords(typed, false), " ")
	var codes []string
	for code, full := range stateNames {
		if strings.HasPrefix(strings.ToLower(code), typed) || strings.HasPrefix(full, typed) {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)

	return codes
}

// stateNames are the folded names of states and territories.
var stateNames = map[string]string{
	"AK": "alaska", "AL": "alabama", "AR": "arkansas", "AS": "american samoa", "AZ": "arizona", "CA": "california", "CO": "colorado",
	"CT": "connecticut", "DC": "district of columbia", "DE": "delaware", "FL": "florida", "FM": "micronesia", "GA": "georgia", "GU": "guam",
	"HI": "hawaii", "IA": "iowa", "ID": "idaho", "IL": "illinois", "IN": "indiana", "KS": "kansas", "KY": "kentucky", "LA": "louisiana",
	"MA": "massachusetts", "MD": "maryland", "ME": "maine", "MH": "marshall islands", "MI": "michigan", "MN": "minnesota", "MO": "missouri",
	"MP": "northern mariana islands", "MS": "mississippi", "MT": "montana", "NC": "north carolina", "ND": "north dakota", "NE": "nebraska",
	"NH": "new hampshire", "NJ": "new jersey", "NM": "new mexico", "NV": "nevada", "NY": "new york", "OH": "ohio", "OK": "oklahoma",
	"OR": "oregon", "PA": "pennsylvania", "PR": "puerto rico", "PW": "palau", "RI": "rhode island", "SC": "south carolina",
	"SD": "south dakota", "TN": "tennessee", "TX": "texas", "UT": "utah", "VA": "virginia", "VI": "virgin islands", "VT": "vermont",
	"WA": "washington", "WI": "wisconsin", "WV": "west virginia", "WY": "wyoming",
}
