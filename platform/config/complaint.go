package config

import "strconv"

// read makes the typed value of what was written, or says what is wrong and what would be right.
func (k *kind) read(w written) (value any, complaint string) {
	if value, ok := k.parse(w); ok {
		return value, ""
	}

	return nil, "want " + k.want + ", got " + k.describeWritten(w) + k.hint(w)
}

// describeWritten describes what was written instead; never the value of a secret.
func (k *kind) describeWritten(w written) string {
	switch {
	case w.form == list && k.name == "list":
		return "a list with entries that are not text"
	case w.form.describeUnfit() != "":
		return w.form.describeUnfit()
	case k.name == secretKind:
		return "something else"
	case w.form == untyped || w.form == text:
		return quote(w.text)
	default:
		return shorten(w.text)
	}
}

// describeUnfit names a form that is no single value, "" if it is one.
func (f form) describeUnfit() string {
	switch f {
	case nothing:
		return "nothing"
	case list:
		return "a list"
	case mapping:
		return "a section"
	case untyped, text, boolean, integer, number, other:
	}

	return ""
}

// hint says how to write what probably was meant.
func (k *kind) hint(w written) string {
	switch {
	case w.form == nothing:
		return " (leave the key out to have its default)"
	case w.form.describeUnfit() != "" || w.form == untyped:
		return ""
	case k.name == "list":
		return " (write it as [" + shorten(w.text) + "])"
	case w.form != text && k.accepts(written{form: text, text: w.text}):
		return " (put it in quotes)"
	case w.quoted && k.accepts(written{text: w.text}):
		return " (remove the quotes)"
	default:
		return ""
	}
}

func (k *kind) accepts(w written) bool {
	_, ok := k.parse(w)

	return ok
}

// longest is how much of a wrong value or name a message shows, in characters.
const longest = 60

func quote(s string) string { return strconv.Quote(shorten(s)) }

func shorten(s string) string {
	runes := []rune(s)
	if len(runes) <= longest {
		return s
	}

	return string(runes[:longest]) + "…"
}
