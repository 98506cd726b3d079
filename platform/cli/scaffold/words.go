package scaffold

import "strings"

// plural returns the plural of a plain English noun.
func plural(noun string) string {
	stem, isY := strings.CutSuffix(noun, "y")
	switch {
	case isY && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou"):
		return stem + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	default:
		return noun + "s"
	}
}

// NounOf returns what an area of that id keeps, if the id's last word is a plural: "spot" for
// "yard_spots". Otherwise it returns "item".
func NounOf(id string) string {
	last := id[strings.LastIndex(id, "_")+1:]
	candidates := []string{strings.TrimSuffix(last, "ies") + "y", strings.TrimSuffix(last, "es"), strings.TrimSuffix(last, "s")}
	for _, noun := range candidates {
		if len(noun) > 2 && noun != last && plural(noun) == last && !isReserved(noun) {
			return noun
		}
	}

	return "item"
}

func indefiniteArticle(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an"
	}

	return "a"
}
