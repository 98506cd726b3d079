package config

import (
	"slices"
	"strings"
)

// form is how a value was written.
type form int

const (
	untyped form = iota // in an environment variable or a flag, which know only text
	text
	boolean
	integer
	number
	nothing // null, or a key with nothing after it
	list
	mapping
	other // what YAML knows and no key takes, such as a date
)

// written is a value as somebody wrote it.
type written struct {
	form form
	text string
	// quoted says that YAML had it in quotes.
	quoted bool
	// items are what a list holds.
	items []written
}

// scalar reads values of the given forms; what is untyped may be anything that parses.
func scalar(parse func(string) (any, bool), forms ...form) func(written) (any, bool) {
	return func(w written) (any, bool) {
		if w.form != untyped && !slices.Contains(forms, w.form) {
			return nil, false
		}

		return parse(w.text)
	}
}

// texts returns what a list of texts holds. Untyped text is separated by commas.
func (w written) texts() ([]string, bool) {
	var all []string
	if w.form == untyped {
		for part := range strings.SplitSeq(w.text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				all = append(all, part)
			}
		}

		return all, true
	}
	for _, item := range w.items {
		if item.form != text {
			return nil, false
		}
		all = append(all, item.text)
	}

	return all, w.form == list
}
