package paper

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// level is how deep a letter stands in turns of the direction, as the algorithm of Unicode has it (UAX 9): odd ones are read from right to left.
type level uint8

// fromRight reports whether a letter is read from right to left.
func fromRight(r rune) bool {
	properties, _ := bidi.LookupRune(r)
	class := properties.Class()

	return class == bidi.R || class == bidi.AL || class == bidi.AN
}

// levelsOf returns the levels of the letters of a paragraph, nil where all is read from left to right.
func levelsOf(text []rune) (levels []level, right bool) {
	if !slices.ContainsFunc(text, func(r rune) bool { return r >= 0x0590 && fromRight(r) }) { //nolint:mnd // the first Hebrew letter
		return nil, false
	}
	defer func() {
		if recover() != nil { // some pairs of brackets make the library panic
			levels = nil
		}
	}()
	var p bidi.Paragraph
	if _, err := p.SetString(string(text)); err != nil {
		return nil, false
	}
	order, err := p.Order()
	if err != nil {
		return nil, false
	}
	right = firstStrong(text) == bidi.RightToLeft
	for i := range order.NumRuns() {
		run := order.Run(i)
		n := len([]rune(run.String()))
		switch {
		case run.Direction() == bidi.RightToLeft:
			levels = append(levels, slices.Repeat([]level{1}, n)...)
		case right:
			levels = append(levels, slices.Repeat([]level{2}, n)...)
		default:
			inner := 0
			if i > 0 {
				inner = numberAt(text[len(levels) : len(levels)+n])
			}
			levels = append(levels, slices.Repeat([]level{2}, inner)...)
			levels = append(levels, slices.Repeat([]level{0}, n-inner)...)
		}
	}
	if len(levels) != len(text) {
		return nil, right
	}

	return levels, right
}

// firstStrong is the direction of the first letter that has one.
func firstStrong(text []rune) bidi.Direction {
	for _, r := range text {
		properties, _ := bidi.LookupRune(r)
		switch properties.Class() {
		case bidi.L:
			return bidi.LeftToRight
		case bidi.R, bidi.AL:
			return bidi.RightToLeft
		}
	}

	return bidi.LeftToRight
}

// numberAt returns how many letters at the beginning of what follows a text from right to left are a number that belongs to it.
func numberAt(text []rune) (n int) {
	for i, r := range text {
		properties, _ := bidi.LookupRune(r)
		switch properties.Class() {
		case bidi.EN, bidi.AN, bidi.ET:
			n = i + 1
		case bidi.L:
			return n
		}
	}

	return n
}

// ordered puts the letters of a line into the order in which they are drawn: rule L2, and L3 for marks, which stay behind their letter.
func ordered(line []glyph, levels []level) []glyph {
	if levels == nil {
		return line
	}
	out, lv := slices.Clone(line), slices.Clone(levels)
	highest := slices.Max(append([]level{0}, lv...))
	for deep := highest; deep > 0; deep-- {
		for from := 0; from < len(out); from++ {
			if lv[from] < deep {
				continue
			}
			to := from
			for to < len(out) && lv[to] >= deep {
				to++
			}
			slices.Reverse(out[from:to])
			slices.Reverse(lv[from:to])
			from = to
		}
	}
	for i := range out {
		if lv[i]%2 == 1 {
			out[i].r = mirrored(out[i].r)
		}
	}
	for i := len(out) - 2; i >= 0; i-- { //nolint:mnd // the last but one
		if lv[i]%2 == 1 && unicode.Is(unicode.Mn, out[i].r) && !unicode.Is(unicode.Mn, out[i+1].r) {
			out[i], out[i+1] = out[i+1], out[i]
		}
	}

	return out
}

// mirrored is a bracket as it is drawn in a text from right to left.
func mirrored(r rune) rune {
	switch r {
	case '(':
		return ')'
	case ')':
		return '('
	case '[':
		return ']'
	case ']':
		return '['
	case '{':
		return '}'
	case '}':
		return '{'
	case '<':
		return '>'
	case '>':
		return '<'
	case '«':
		return '»'
	case '»':
		return '«'
	}

	return r
}
