package naming

import (
	"slices"
	"strings"
)

// Subject is what a sentence about a key begins with: "The pickup date". A key whose words are no noun is quoted: "`picked_up_at`".
func Subject(key string) string {
	words := strings.Split(key, "_")
	if last := words[len(words)-1]; slices.Contains(particles, last) || len(words) == 1 && slices.Contains(adjectives, last) {
		return "`" + key + "`"
	}

	return "The " + Spaced(key)
}

// IsNoun reports whether the words of a key are a noun, so that a sentence may begin with "The" and them.
func IsNoun(key string) bool { return strings.HasPrefix(Subject(key), "The ") }

// particles end keys that are no nouns.
var particles = []string{
	"after", "all", "and", "any", "as", "at", "before", "by", "do", "for", "from", "how", "if", "in", "into", "is", "not", "of", "off", "on", "only", "or", "per",
	"since", "than", "to", "until", "up", "via", "what", "when", "where", "who", "why", "with",
}

// adjectives and verbs are keys by themselves.
var adjectives = []string{
	"accepted", "active", "again", "atomic", "deleted", "disabled", "enabled", "expires", "given", "paid", "private", "public", "reply", "required", "sensitive",
	"sent", "shown", "unique", "verified", "visible",
}
