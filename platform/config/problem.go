package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// source is where a value comes from.
type source struct {
	kind string // "default", "file", "environment", "flag"
	name string // the path, the variable, the flag
	line int    // in a file; 0 if not known
}

func (s source) String() string {
	switch {
	case s.name == "":
		return s.kind
	case s.line == 0:
		return s.kind + " " + s.name
	default:
		return fmt.Sprintf("%s %s:%d", s.kind, s.name, s.line)
	}
}

// problem is one thing that is wrong with a configuration.
type problem struct {
	key  string // "" if it is about no key
	text string
	from source
}

// String is one line: the key, what is wrong, what would be right, and where.
func (p problem) String() string {
	line := p.text
	if p.key != "" {
		line = printable(p.key) + ": " + line
	}
	if p.from.kind != "" {
		line += " (" + p.from.String() + ")"
	}

	return strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

// printable quotes a key that somebody invented and that would be hard to read as it is.
func printable(key string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' || r == unicode.ReplacementChar }
	if strings.ContainsFunc(key, odd) {
		return quote(key)
	}

	return shorten(key)
}

// joinProblems makes one error of all problems, sorted and without repetition; nil if there are none.
func joinProblems(problems []problem) error {
	slices.SortFunc(problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.from.line, b.from.line), cmp.Compare(a.String(), b.String()))
	})
	all := make([]error, 0, len(problems))
	for _, p := range slices.Compact(problems) {
		all = append(all, errors.New(p.String()))
	}

	return errors.Join(all...)
}
