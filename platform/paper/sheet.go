package paper

import (
	"context"
	"image"
	"slices"
	"strings"

	"codeberg.org/go-pdf/fpdf"
)

// rgb is a color.
type rgb struct{ r, g, b int }

// The colors of all papers; that of titles and strong rules is the letterhead's.
var (
	ink   = rgb{0x1b, 0x20, 0x27}
	gray  = rgb{0x5f, 0x68, 0x74}
	rule  = rgb{0xcf, 0xd5, 0xdc}
	pale  = rgb{0xf3, 0xf5, 0xf8}
	blue  = rgb{0x1a, 0x55, 0xa0}
	white = rgb{0xff, 0xff, 0xff}
)

// Measures of a page, in millimetres.
const (
	marginSide   = 17.0
	marginTop    = 15.0
	marginBottom = 19.0
	footHeight   = 8.0
)

// styles are those of all texts.
type styles struct {
	body, bold, small, smallBold, label, heading, title, number, name, total style
}

// sheet is a paper that is laid out and drawn.
type sheet struct {
	ctx    context.Context //nolint:containedctx // of one call of PDF
	paper  *Paper
	pdf    *fpdf.Fpdf
	faces  *faces
	styles styles
	// scale is the size of texts and gaps: 1, or less for a paper that fits on one page so.
	scale  float64
	accent rgb
	// begins is where the values of the paper begin, such as names.
	begins direction
	// wide and high are the size of the page.
	wide, high float64
	where      string
	warnings   *warnings
	drawn      drawn
	// pictures counts those that were drawn.
	pictures int
	// sizes are those of pictures in the order in which they are measured, also when the paper is laid out again; measuredPictures is how many were.
	sizes            *[]image.Point
	measuredPictures int
	// turns bounds how many pictures are decoded at a time.
	turns chan struct{}
}

// drawn is what the PDF was set to last.
type drawn struct {
	face  *face
	size  float64
	color rgb
}

func newSheet(ctx context.Context, of printing, scale float64) *sheet {
	p := of.paper
	s := &sheet{ctx: ctx, paper: p, faces: of.faces, scale: scale, accent: accentOf(p.Head.Color), warnings: &warnings{}, sizes: of.sizes, turns: of.turns}
	s.wide, s.high = p.Size.millimetres()
	s.begins = fromLeft
	if language, _, _ := strings.Cut(p.Language, "-"); slices.Contains([]string{"ar", "he", "fa", "ur"}, language) {
		s.begins = fromTheRight
	}
	sized := func(size float64, bold bool, color rgb) style {
		return style{size: size * scale, bold: bold, color: color}
	}
	s.styles = styles{
		body: sized(9.5, false, ink), bold: sized(9.5, true, ink), small: sized(8, false, ink), smallBold: sized(8, true, ink), label: sized(8, false, gray),
		heading: sized(10.5, true, s.accent), title: sized(17, true, s.accent), number: sized(11, true, ink), name: sized(11.5, true, ink), total: sized(11, true, ink),
	}

	return s
}

func (s Size) millimetres() (wide, high float64) {
	switch s {
	case A4:
		return 210, 297
	case Legal:
		return 215.9, 355.6
	case Letter:
	}

	return 215.9, 279.4
}

// inner is the width between the margins.
func (s *sheet) inner() float64 { return s.wide - 2*marginSide }

// room is the height of a page for blocks.
func (s *sheet) room() float64 { return s.high - marginTop - marginBottom }

// mm scales a gap.
func (s *sheet) mm(gap float64) float64 { return gap * s.scale }

// warnings are what was noted while a paper was laid out.
type warnings struct{ all []Warning }

// missing notes letters that no font has.
func (s *sheet) missing(letters string) {
	const most = 200
	s.warnings.letters(s.where, strings.ReplaceAll(letters, " ", ""), most)
}

func (w *warnings) letters(where, letters string, most int) {
	for i := range w.all {
		if one := &w.all[i]; one.Code == WarnLetters && one.Where == where {
			one.Characters = unite(one.Characters, letters, most)

			return
		}
	}
	w.all = append(w.all, Warning{
		Code: WarnLetters, Characters: unite("", letters, most), Where: where,
		Text: "No font has these letters. They are printed in Latin letters with their codes. Add a font that has them: see docs/paper.md.",
	})
}

// unite appends the letters that are not there yet.
func unite(all, letters string, most int) string {
	for _, r := range letters {
		if !strings.ContainsRune(all, r) && len(all) < most {
			all += string(r)
		}
	}

	return all
}

// font has the PDF write in a font.
func (s *sheet) font(f *face, st *style) {
	if !f.added {
		s.pdf.AddUTF8FontFromBytes(f.of.family, "", f.of.data)
		f.added = true
	}
	if s.drawn.face != f || s.drawn.size != st.size {
		s.pdf.SetFont(f.of.family, "", st.size)
		s.drawn.face, s.drawn.size = f, st.size
	}
	if s.drawn.color != st.color {
		s.pdf.SetTextColor(st.color.r, st.color.g, st.color.b)
		s.drawn.color = st.color
	}
}

// draw draws lines below each other in a column.
func (s *sheet) draw(lines []line, x, y, width float64, align Align) {
	for _, l := range lines {
		s.drawLine(l, x, y, width, align)
		y += l.height
	}
}

func (s *sheet) drawLine(l line, x, y, width float64, align Align) {
	switch {
	case align == Right, l.right && align != Center:
		x += width - l.width
	case align == Center:
		x += (width - l.width) / 2
	}
	y += l.height * base
	var text strings.Builder
	for from := 0; from < len(l.glyphs); {
		first, to, wide := l.glyphs[from], from, 0.0
		text.Reset()
		for to < len(l.glyphs) && l.glyphs[to].face == first.face && l.glyphs[to].style == first.style {
			text.WriteRune(l.glyphs[to].r)
			wide += l.glyphs[to].width
			to++
		}
		s.font(first.face, first.style)
		s.pdf.Text(x, y, text.String())
		if link := first.style.link; link != "" {
			s.line(x, y+0.5, x+wide, y+0.5, 0.15, first.style.color)
			s.pdf.LinkString(x, y-l.height*base, wide, l.height, link)
		}
		x += wide
		from = to
	}
}

func (s *sheet) line(x1, y1, x2, y2, thick float64, color rgb) {
	s.pdf.SetDrawColor(color.r, color.g, color.b)
	s.pdf.SetLineWidth(thick)
	s.pdf.Line(x1, y1, x2, y2)
}

func (s *sheet) fill(x, y, wide, high float64, color rgb) {
	s.pdf.SetFillColor(color.r, color.g, color.b)
	s.pdf.Rect(x, y, wide, high, "F")
}

func (s *sheet) border(x, y, wide, high, thick float64, color rgb) {
	s.pdf.SetDrawColor(color.r, color.g, color.b)
	s.pdf.SetLineWidth(thick)
	s.pdf.Rect(x, y, wide, high, "D")
}
