package readers

// Truncate returns the first characters of a text.
func Truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	runes := []rune(text)

	return string(runes[:min(most, len(runes))])
}

// Shorten cuts a name of the caller's to what an answer may repeat.
func Shorten(name string) string {
	if short := Truncate(name, 60); short != name {
		return short + "…"
	}

	return name
}
