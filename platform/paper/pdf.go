package paper

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"runtime"
	"strings"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
)

// Printer prints papers. It may be used by several goroutines at a time. Its fonts are loaded for the first paper.
type Printer struct {
	fonts func() (*fontSet, error)
	turns chan struct{}
}

// New returns a Printer with the embedded fonts, and those in files, in which the letters are looked for that the embedded ones do not have: TrueType,
// alone (.ttf) or the first of a collection (.ttc).
func New(fontFiles ...string) *Printer {
	return &Printer{lazily(fontFiles), make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// PDF returns a paper as PDF, and what could not be printed as it was given.
//
// Errors: those of the context. A picture that cannot be read and a letter that no font has are warnings.
func (p *Printer) PDF(ctx context.Context, doc Paper) ([]byte, []Warning, error) {
	set, err := p.fonts()
	if err != nil {
		return nil, nil, fmt.Errorf("printing %s: %w", doc.Number, err)
	}
	one := printing{&doc, newFaces(set), &[]image.Point{}, p.turns}
	s, pages := one.fit(ctx)
	s.open()
	if err := s.drawPages(ctx, pages); err != nil {
		return nil, nil, err
	}
	var file bytes.Buffer
	if err := s.pdf.Output(&file); err != nil {
		return nil, nil, fmt.Errorf("printing %s: %w", doc.Number, err)
	}

	return file.Bytes(), append(s.warnings.all, set.warnings...), nil
}

// printing is a paper that is being printed.
type printing struct {
	paper *Paper
	faces *faces
	sizes *[]image.Point
	turns chan struct{}
}

// fit lays a paper out, a little smaller if it then takes a page less: one where one will do.
func (p printing) fit(ctx context.Context) (*sheet, *pager) {
	s, pages := p.laidOut(ctx, 1)
	const most = 4 // pages; longer ones gain little
	if pages.page == 0 || pages.page >= most {
		return s, pages
	}
	for _, scale := range []float64{0.95, 0.9, 0.86} {
		if pages.y-pages.top > (1-scale)*2*pages.high*float64(pages.page) {
			continue
		}
		if smaller, fewer := p.laidOut(ctx, scale); fewer.page < pages.page {
			return smaller, fewer
		}
	}

	return s, pages
}

func (p printing) laidOut(ctx context.Context, scale float64) (*sheet, *pager) {
	s := newSheet(ctx, p, scale)
	pieces := append(s.head(), s.layout(p.paper.Blocks, s.inner())...)

	return s, place(pieces, marginTop, s.room())
}

// open begins the file.
func (s *sheet) open() {
	s.pdf = fpdf.NewCustom(&fpdf.InitType{UnitStr: "mm", Size: fpdf.SizeType{Wd: s.wide, Ht: s.high}})
	s.pdf.SetCreationDate(s.paper.Created)
	s.pdf.SetModificationDate(s.paper.Created)
	s.pdf.SetCatalogSort(true)
	s.pdf.SetTitle(property(strings.TrimSpace(s.paper.Title+" "+s.paper.Number)), true)
	s.pdf.SetAuthor(property(s.paper.Head.Name), true)
	s.pdf.SetLang(property(cmp.Or(s.paper.Language, "en")))
	s.pdf.SetMargins(marginSide, marginTop, marginSide)
	s.pdf.SetAutoPageBreak(false, 0)
}

// property is a text for the properties of the file: the library panics over letters that it cannot write there.
func property(text string) string {
	return strings.Map(func(r rune) rune {
		if r > lastPlain || unicode.IsControl(r) {
			return unicode.ReplacementChar
		}

		return r
	}, text)
}

// drawPages draws the pages, each with its foot.
func (s *sheet) drawPages(ctx context.Context, p *pager) error {
	frame, next := 0, 0
	for page := range p.page + 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.pdf.AddPage()
		s.drawn = drawn{}
		s.stamp()
		for ; frame < len(p.frames) && p.frames[frame].page == page; frame++ {
			s.frame(p.frames[frame], marginSide, 0)
		}
		for ; next < len(p.pieces) && p.pieces[next].page == page; next++ {
			one := p.pieces[next]
			one.draw(marginSide+one.x, one.y)
		}
		s.foot(page+1, p.page+1)
	}

	return nil
}

// foot is what stands at the foot of a page.
func (s *sheet) foot(page, of int) {
	st := s.styles.label
	st.size = 8
	y := s.high - footHeight - st.high()
	width := s.inner()
	s.line(marginSide, y-1.6, marginSide+width, y-1.6, 0.2, rule)
	s.where = "Foot"
	text := cmp.Or(s.paper.Foot, strings.TrimSpace(s.paper.Title+" "+s.paper.Number))
	number := s.text(fmt.Sprintf("Page %d of %d", page, of), &st, width)
	lines := s.text(text, &st, width-30)
	s.draw(lines[:min(len(lines), 2)], marginSide, y, width-30, Left)
	s.draw(number, marginSide, y, width, Right)
}

// stamp is a word across the page.
func (s *sheet) stamp() {
	if s.paper.Stamp == "" {
		return
	}
	st := style{size: 110, bold: true, color: rgb{0xf3, 0xdc, 0xdc}}
	lines := s.text(s.paper.Stamp, &st, 1e6)
	if wide := lines[0].width; wide > s.high*0.75 {
		st.size *= s.high * 0.75 / wide
		lines = s.text(s.paper.Stamp, &st, 1e6)
	}
	s.pdf.TransformBegin()
	s.pdf.TransformRotate(52, s.wide/2, s.high/2)
	s.draw(lines[:1], s.wide/2-lines[0].width/2, s.high/2-lines[0].height/2, lines[0].width, Left)
	s.pdf.TransformEnd()
	s.drawn = drawn{}
}

// head is the letterhead: the company at the left, what the paper is at the right, and a rule below.
func (s *sheet) head() []piece {
	h, width := s.paper.Head, s.inner()
	const share = 0.54
	leftWide := width*share - gutter/2
	rightWide := width - leftWide - gutter
	var left []piece
	if h.Logo.Open != nil {
		wide, high := s.measured(h.Logo, 55, 20)
		left = append(left, piece{height: high + s.mm(1.5), draw: func(x, y float64) { s.picture(h.Logo, "Letterhead: logo", x, y, wide, high, false) }})
	}
	s.where = "Letterhead"
	left = append(left, s.linePieces(s.text(h.Name, &s.styles.name, leftWide), 0, leftWide, Left)...)
	left = append(left, s.linePieces(s.text(h.lines(), &s.styles.label, leftWide), 0, leftWide, Left)...)
	s.where = "Title"
	right := s.linePieces(s.text(s.paper.Title, &s.styles.title, rightWide), 0, rightWide, Right)
	right = append(right, s.linePieces(s.text(s.paper.Number, &s.styles.number, rightWide), 0, rightWide, Right)...)
	right = append(right, gapped(s.linePieces(s.text(s.paper.Date, &s.styles.body, rightWide), 0, rightWide, Right), s.mm(0.6))...)
	for _, one := range s.paper.Details {
		s.where = join("Title", one.Name)
		label := s.styles.label
		spans := []span{{one.Name + "  ", &label}, {one.Text, &s.styles.body}}
		right = append(right, gapped(s.linePieces(s.lines(spans, rightWide, s.begins), 0, rightWide, Right), s.mm(0.3))...)
	}
	if len(left)+len(right) == 0 {
		return nil
	}
	cells := []cell{{0, left}, {leftWide + gutter, right}}
	if len(left) == 0 {
		cells = cells[1:]
	}
	all := append(s.side(cells), piece{gap: s.mm(2.4), height: s.mm(0.7), draw: func(x, y float64) { s.line(x, y+0.3, x+width, y+0.3, 0.7, s.accent) }})

	return kept(all)
}

// lines are those below the name.
func (h Head) lines() string {
	var all []string
	add := func(between string, parts ...string) {
		var there []string
		for _, p := range parts {
			if p != "" {
				there = append(there, p)
			}
		}
		if len(there) > 0 {
			all = append(all, strings.Join(there, between))
		}
	}
	labeled := func(label, text string) string {
		if text == "" {
			return ""
		}

		return label + text
	}
	for _, one := range h.Lines {
		add("", one)
	}
	const dot = "  ·  "
	add(dot, h.Phone, h.Email)
	add("", h.Website)
	add(dot, labeled("USDOT ", h.USDOT), h.Docket)
	add("", labeled("Tax ID ", h.TaxID))

	return strings.Join(all, "\n")
}
