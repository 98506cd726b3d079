package naming

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Bounds on what an answer says about bad input, and on the work of finding the words: a stranger
// decides how much of it there is.
const (
	longestEcho    = 60
	longestSuggest = 64
	mostListed     = 20
)

// UnknownKey words the refusal of a key, with the nearest of the known ones.
func UnknownKey(key, of string, known []string) string {
	message := fmt.Sprintf("The key %s is not known%s.", Shorten(key), of)
	switch nearest := Nearest(key, known); {
	case nearest != "":
		message += " Did you mean " + nearest + "?"
	case len(known) > 0 && len(known) <= mostListed:
		message += " Known are: " + strings.Join(slices.Sorted(slices.Values(known)), ", ") + "."
	}

	return message
}

// Nearest returns the known key that key is probably meant to be, "" if none is near.
func Nearest(key string, known []string) string {
	if len(key) > longestSuggest {
		return ""
	}
	best, distance := "", len(key)/3+2
	for _, candidate := range known {
		if len(candidate) >= len(key)+distance || len(key) >= len(candidate)+distance {
			continue
		}
		if d := levenshtein.ComputeDistance(key, candidate); d < distance {
			best, distance = candidate, d
		}
	}

	return best
}

// Shorten cuts a key of the caller's to what an answer may repeat.
func Shorten(key string) string {
	runes := []rune(key)
	if len(runes) <= longestEcho {
		return key
	}

	return string(runes[:longestEcho]) + "…"
}

// DidYouMean ends a sentence, with the nearest of the known names.
func DidYouMean(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return ". Did you mean " + near + "?"
	}

	return "."
}

// ShortenText cuts what may repeat a value to what an answer has room for.
func ShortenText(text string) string {
	const room = 200
	if runes := []rune(text); len(runes) > room {
		return string(runes[:room]) + "…"
	}

	return text
}
