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

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an"
	}

	return "a"
}

// camel joins the words of an id, each with a capital.
func camel(id string) string {
	var joined strings.Builder
	for word := range strings.SplitSeq(id, "_") {
		if word != "" {
			joined.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}

	return joined.String()
}
