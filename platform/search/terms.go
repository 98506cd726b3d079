package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Terms are what is searched for: a text is found if it contains each of them, without regard to case and accents.
type Terms []string

// Parse splits a query at its spaces. It returns none for a query without anything to search for.
func Parse(query string) Terms {
	var terms Terms
	for term := range strings.FieldsSeq(foldText(query)) {
		if !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}

	return terms
}

// Rank says how well a row is found: the lower, the better.
type Rank int

// How a row is found: its title is what was searched for, begins with it, contains it; or another text does.
const (
	TitleIs Rank = iota
	TitleBegins
	TitleContains
	TextContains
)

// Rank ranks a row by its title.
func (t Terms) Rank(title string) Rank {
	title, whole := foldText(title), strings.Join(t, " ")
	switch {
	case title == whole:
		return TitleIs
	case strings.HasPrefix(title, whole):
		return TitleBegins
	case !slices.ContainsFunc(t, func(term string) bool { return !strings.Contains(title, term) }):
		return TitleContains
	default:
		return TextContains
	}
}

// inside reports whether a text contains any of the terms.
func (t Terms) inside(text string) bool {
	text = foldText(text)

	return slices.ContainsFunc(t, func(term string) bool { return strings.Contains(text, term) })
}

// foldText brings a text into the form in which it is compared: one line, and none of the characters that marks consist of.
func foldText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= firstOfMarks && r <= lastOfMarks:
			return -1
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		default:
			return r
		}
	}, database.FoldText(text))
}

const (
	// snippetBefore and snippetWords are how many words a snippet has before the one that was found, and in all;
	// snippetRunes how many characters.
	snippetBefore, snippetWords, snippetRunes = 6, 20, 240
)

// Snippet returns the text around its first word that is one of those found, "" if none is.
func Snippet(text string, found func(word string) bool) string {
	words := strings.Fields(text)
	at := slices.IndexFunc(words, found)
	if at < 0 {
		return ""
	}
	from := max(0, at-snippetBefore)
	to := min(len(words), from+snippetWords)
	runes := []rune(strings.Join(words[from:to], " "))
	snippet := string(runes[:min(len(runes), snippetRunes)])
	if from > 0 {
		snippet = "… " + snippet
	}
	if to < len(words) || len(runes) > snippetRunes {
		snippet += " …"
	}

	return snippet
}
