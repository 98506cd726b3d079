package paper

import (
	"regexp"
	"slices"
	"strings"
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

// direction is where a paragraph begins.
type direction int

const (
	// byLetters is for running text: it begins where its first letter does.
	byLetters direction = iota
	fromLeft
	fromTheRight
)

// asLetters finds what stays together from left to right in any text: telephone numbers, dates, and words with digits in them, such as a VIN.
var asLetters = regexp.MustCompile(`[+(]*\d[\d ().:/-]{4,}\d|[A-Za-z0-9-]*(?:[A-Za-z]-?\d|\d-?[A-Za-z])[A-Za-z0-9-]*`)

// isolated returns a text with a plain letter in the place of each that stays together from left to right.
func isolated(text []rune) []rune {
	out := string(text)
	if !asLetters.MatchString(out) {
		return text
	}

	return []rune(asLetters.ReplaceAllStringFunc(out, func(found string) string { return strings.Repeat("a", len(found)) }))
}

// levelsOf returns the levels of the letters of a paragraph, nil where all is read from left to right.
func levelsOf(text []rune, begins direction) (levels []level, right bool) {
	if !slices.ContainsFunc(text, func(r rune) bool { return r >= 0x0590 && fromRight(r) }) { //nolint:mnd // the first Hebrew letter
		return nil, false
	}
	text = isolated(text)
	switch begins {
	case fromLeft:
		text = append([]rune{leftMark}, text...)
	case fromTheRight:
		text = append([]rune{rightMark}, text...)
	case byLetters:
	}
	if levels, right = levelsOfAll(text); levels != nil && begins != byLetters {
		levels = levels[1:]
	}

	return levels, right
}

// Characters without a shape that have a direction.
const (
	leftMark  = 0x200E
	rightMark = 0x200F
)

func levelsOfAll(text []rune) (levels []level, right bool) {
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
	pairBrackets(text, levels, right)

	return levels, right
}

// pairBrackets gives both brackets of a pair the same direction (rule N0), which the library does not do at the end of a paragraph: that of the
// paragraph if a letter between them has it, otherwise that of the letters before them if those between have it.
func pairBrackets(text []rune, levels []level, right bool) {
	plain, turned := level(0), level(1)
	if right {
		plain, turned = 1, 2
	}
	var open []int
	for i, r := range text {
		switch r {
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			if len(open) == 0 {
				continue
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			within := strong(text[from+1 : i])
			set := plain
			if !within[right] && within[!right] && lastFromRight(text[:from], right) != right {
				set = turned
			}
			levels[from], levels[i] = set, set
		}
	}
}

// strong reports whether there are letters from right to left (true), and from left to right (false), in a text.
func strong(text []rune) map[bool]bool {
	found := map[bool]bool{}
	for _, r := range text {
		if class := classOf(r); class == bidi.L || class == bidi.R {
			found[class == bidi.R] = true
		}
	}

	return found
}

// lastFromRight reports whether the last letter with a direction is read from right to left; without one, what the paragraph is.
func lastFromRight(text []rune, paragraph bool) bool {
	for _, r := range slices.Backward(text) {
		if class := classOf(r); class == bidi.L || class == bidi.R {
			return class == bidi.R
		}
	}

	return paragraph
}

// classOf is the class of a letter in the algorithm: L, R, EN for numbers and what belongs to them, and ON for all that has no direction of its own.
func classOf(r rune) bidi.Class {
	properties, _ := bidi.LookupRune(r)
	switch class := properties.Class(); class {
	case bidi.R, bidi.AL:
		return bidi.R
	case bidi.EN, bidi.AN, bidi.ET:
		return bidi.EN
	case bidi.L:
		return bidi.L
	default:
		return bidi.ON
	}
}

// firstStrong is the direction of the first letter that has one.
func firstStrong(text []rune) bidi.Direction {
	for _, r := range text {
		if class := classOf(r); class == bidi.R {
			return bidi.RightToLeft
		} else if class == bidi.L {
			return bidi.LeftToRight
		}
	}

	return bidi.LeftToRight
}

// numberAt returns how many letters at the beginning of what follows a text from right to left are a number that belongs to it.
func numberAt(text []rune) (n int) {
	for i, r := range text {
		if class := classOf(r); class == bidi.L {
			break
		} else if class == bidi.EN {
			n = i + 1
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

// mirrored is the shape of a bracket in a text from right to left.
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
