package paper

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mozillazg/go-unidecode"
	"golang.org/x/text/unicode/norm"
)

// style is how a text looks.
type style struct {
	size         float64 // in points
	bold, italic bool
	color        rgb
	link         string
}

// span is a text in a style.
type span struct {
	text  string
	style *style
}

// glyph is a letter that is to be drawn.
type glyph struct {
	r     rune
	width float64 // in millimetres
	face  *face
	style *style
}

// line is a line of text in the order in which it is drawn, from left to right.
type line struct {
	glyphs        []glyph
	width, height float64
	// right says that its paragraph begins at the right.
	right bool
}

const (
	point   = 25.4 / 72 // in millimetres
	leading = 1.3       // the height of a line, in sizes of its letters
	// base is where the letters of a line stand, in shares of its height.
	base = 0.76
)

func (s style) high() float64 { return s.size * point * leading }

// text breaks a text into lines of a width.
func (s *sheet) text(text string, st *style, width float64) []line {
	if text == "" {
		return nil
	}

	return s.lines([]span{{text, st}}, width, s.begins)
}

// running is running text, which begins where its first letter does.
func (s *sheet) running(text string, st *style, width float64) []line {
	return s.lines([]span{{text, st}}, width, byLetters)
}

// lines breaks a text of several styles into lines of a width.
func (s *sheet) lines(spans []span, width float64, begins direction) (all []line) {
	var paragraph []glyph
	high := 0.0
	for _, one := range spans {
		high = max(high, one.style.high())
		for i, text := range strings.Split(one.text, "\n") {
			if i > 0 {
				all = append(all, wrapped(paragraph, width, high, begins)...)
				paragraph, high = nil, one.style.high()
			}
			paragraph = s.glyphs(paragraph, text, one.style)
		}
	}

	return append(all, wrapped(paragraph, width, high, begins)...)
}

func heightOf(lines []line) (high float64) {
	for _, l := range lines {
		high += l.height
	}

	return high
}

// glyphs appends the letters of a text, which has one line.
func (s *sheet) glyphs(all []glyph, text string, st *style) []glyph {
	if all == nil {
		all = make([]glyph, 0, len(text))
	}
	size := st.size * point / em
	faces := s.faces.of(st)
	if ascii(text) {
		for _, r := range text {
			if r == '\t' {
				r = ' '
			}
			if w, ok := faces[0].width(r); ok {
				all = append(all, glyph{r, float64(w) * size, faces[0], st})
			}
		}

		return all
	}
	for _, r := range s.spelled(joined([]rune(norm.NFC.String(text))), faces) {
		if r == '\t' {
			r = ' '
		}
		if unseen(r) {
			continue
		}
		for _, f := range faces {
			if w, ok := f.width(r); ok {
				all = append(all, glyph{r, float64(w) * size, f, st})

				break
			}
		}
	}

	return all
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf || text[i] < ' ' && text[i] != '\t' {
			return false
		}
	}

	return true
}

// unseen reports whether a character has no shape of its own, such as one that joins others.
func unseen(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.IsControl(r) && r != '\n' && r != '\t'
}

// spelled replaces letters that no font has by a transcription and their codes: "Wang Wei (U+738B U+4F1F)".
func (s *sheet) spelled(text []rune, faces []*face) []rune {
	here := func(r rune) bool {
		for _, f := range faces {
			if _, ok := f.width(r); ok {
				return true
			}
		}

		return unseen(r) || r == '\t'
	}
	missing := -1
	for i, r := range text {
		if !here(r) {
			missing = i

			break
		}
	}
	if missing < 0 {
		return text
	}
	out, run := append([]rune{}, text[:missing]...), []rune{}
	flush := func() {
		word := strings.TrimRight(string(run), " ")
		if word == "" {
			return
		}
		s.missing(word)
		var codes []string
		for _, r := range word {
			if r != ' ' {
				codes = append(codes, fmt.Sprintf("U+%04X", r))
			}
		}
		latin := strings.Join(strings.Fields(unidecode.Unidecode(word)), " ")
		out = append(out, []rune(strings.TrimSpace(latin+" ("+strings.Join(codes, " ")+")"))...)
		out = append(out, []rune(strings.Repeat(" ", len(string(run))-len(word)))...)
		run = run[:0]
	}
	for _, r := range text[missing:] {
		switch {
		case r == ' ' && len(run) > 0, !here(r):
			run = append(run, r)
		default:
			flush()
			out = append(out, r)
		}
	}
	flush()

	return out
}

// wrapped breaks a paragraph into lines of a width.
func wrapped(text []glyph, width, high float64, begins direction) (all []line) {
	runes := make([]rune, len(text))
	for i, g := range text {
		runes[i] = g.r
	}
	levels, right := levelsOf(runes, begins)
	right = right && begins == byLetters
	add := func(from, to int) {
		for to > from && text[to-1].r == ' ' {
			to--
		}
		one := line{glyphs: text[from:to], height: high, right: right}
		if levels != nil {
			one.glyphs = ordered(one.glyphs, levels[from:to])
		}
		for _, g := range one.glyphs {
			one.width += g.width
		}
		all = append(all, one)
	}
	const rounding = 1e-6
	from, may, wide := 0, -1, 0.0
	for i := 0; i < len(text); i++ {
		if wide += text[i].width; wide > width+rounding && text[i].r != ' ' && i > from {
			to := i
			if may > from {
				to = may
			}
			add(from, to)
			for from = to; from < len(text) && text[from].r == ' '; from++ {
			}
			may, wide, i = -1, 0, from-1

			continue
		}
		if i+1 < len(text) && breaks(text, i) {
			may = i + 1
		}
	}
	add(from, len(text))

	return all
}

// breaks reports whether a line may end after a letter.
func breaks(text []glyph, i int) bool {
	r, next := text[i].r, text[i+1].r
	switch {
	case r == ' ':
		return next != ' '
	case r == '-' || r == '–' || r == '—':
		return i > 0 && unicode.IsLetter(text[i-1].r) && unicode.IsLetter(next)
	case ideograph(r) || ideograph(next):
		return !strings.ContainsRune("（「『【〈《(", r) && !strings.ContainsRune("、。，．）」』】〉》！？：；・ー々ゃゅょっャュョッ,.)!?:;", next) && next != ' '
	}

	return false
}

// ideograph reports whether a line may end beside a letter, as in Chinese and Japanese.
func ideograph(r rune) bool {
	return r >= 0x3000 && r <= 0x9FFF || r >= 0xF900 && r <= 0xFAFF || r >= 0xFF00 && r <= 0xFFEF //nolint:mnd // blocks of Unicode
}

// faces are the fonts that a paper uses.
type faces struct {
	all []*face
	by  [4][]*face // regular, bold, italic, both
}

func newFaces(set *fontSet) *faces {
	f := &faces{}
	for _, one := range set.fonts {
		f.all = append(f.all, &face{of: one, widths: map[rune]int{}})
	}
	for i := range f.by {
		bold, italic := i&1 != 0, i&2 != 0 && i&1 == 0
		// The first four are ours; those like the style come before the others.
		for _, alike := range []bool{true, false} {
			for _, one := range f.all {
				if (one.of.bold == bold && one.of.italic == italic) == alike {
					f.by[i] = append(f.by[i], one)
				}
			}
		}
	}

	return f
}

// of returns the fonts for a style, in the order in which a letter is looked for in them.
func (f *faces) of(st *style) []*face {
	i := 0
	if st.bold {
		i |= 1
	}
	if st.italic {
		i |= 2
	}

	return f.by[i]
}
