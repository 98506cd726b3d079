package template

import (
	"regexp"
	"slices"
	"strings"
)

var (
	path     = regexp.MustCompile(`[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*`)
	filtered = regexp.MustCompile(`\|\s*\w+`)
	edges    = regexp.MustCompile(`^(?:\{\{-?|\{%-?\s*\w*)|-?[%}]\}$`)
)

// Variables returns the names of the variables that a template reads, "load.tariff" and the like, each once and sorted. It says nothing of a template that
// Check refuses.
func Variables(source string) []string {
	var all []string
	for _, part := range expression.FindAllString(source, -1) {
		bare := filtered.ReplaceAllString(edges.ReplaceAllString(quoted.ReplaceAllString(part, `""`), " "), " ")
		for _, at := range path.FindAllStringIndex(bare, -1) {
			name := bare[at[0]:at[1]]
			if at[0] > 0 && strings.ContainsRune("0123456789.", rune(bare[at[0]-1])) || isWord(name) {
				continue
			}
			all = append(all, name)
		}
	}
	slices.Sort(all)

	return slices.Compact(all)
}

// isWord reports whether a name is a word of the language.
func isWord(name string) bool {
	return slices.Contains([]string{"and", "or", "contains", "true", "false", "nil", "null", "empty", "blank"}, name)
}
