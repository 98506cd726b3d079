package history

import (
	"strings"
)

// spacedName returns a name as people say it: "phone_call" is "Phone call".
func spacedName(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	if words == "" {
		return ""
	}

	return strings.ToUpper(words[:1]) + words[1:]
}

// eventAction returns what a name of the form <area>.<thing>.<happened> says: "esign.envelope.completed" is "Envelope completed".
// Called is what people call the thing, "" for the word in the name.
func eventAction(name, called string) string {
	parts := strings.Split(name, ".")
	verb := parts[len(parts)-1]
	if called == "" && len(parts) > 2 {
		called = spacedName(parts[len(parts)-2])
	}
	if called == "" {
		return spacedName(verb)
	}

	return called + " " + strings.ReplaceAll(verb, "_", " ")
}
