package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/qr"
)

// outlineSide is a part of the outline of a vehicle.
type outlineSide struct {
	name                string
	x, y, width, height float64
}

// outlineSides are those of the outline, unfolded around its top, on a field of 300 by 210, as the pages with bills of lading have them.
var outlineSides = []outlineSide{
	{"left", 70, 10, 160, 45},
	{"top", 70, 65, 160, 80},
	{"right", 70, 155, 160, 45},
	{"front", 10, 65, 50, 80},
	{"rear", 240, 65, 50, 80},
}

const (
	outlineWide = 300.0
	outlineHigh = 210.0
)

// at is where a mark is on the outline.
func (m Mark) at() (x, y float64, there bool) {
	i := slices.IndexFunc(outlineSides, func(s outlineSide) bool { return s.name == m.Side })
	if i < 0 {
		return 0, 0, false
	}
	const whole = 1000
	side := outlineSides[i]

	return side.x + float64(min(max(m.X, 0), whole))*side.width/whole, side.y + float64(min(max(m.Y, 0), whole))*side.height/whole, true
}

// outline is the outline of a vehicle, with a list of its damages beside it, or below it in a narrow column.
func (s *sheet) outline(o Outline, width float64) []piece {
	if o.Title != "" {
		s.where = o.Title
	}
	wide := min(width, s.mm(96))
	scale := wide / outlineWide
	high := scale * outlineHigh
	besides := width-wide > s.mm(50)
	x, listWide := 0.0, width
	if besides {
		x, listWide = wide+gutter, width-wide-gutter
	}
	const number = 6.0
	var list []piece
	for i, m := range o.Marks {
		sign := s.text(strconv.Itoa(i+1), &s.styles.bold, s.mm(number))
		pieces := s.linePieces(s.text(cmp.Or(m.Label, m.Side), &s.styles.body, listWide-s.mm(number)), s.mm(number), listWide-s.mm(number), Left)
		if len(pieces) > 0 {
			draw := pieces[0].draw
			pieces[0].draw = func(x, y float64) {
				s.draw(sign, x-s.mm(number), y, s.mm(number), Left)
				draw(x, y)
			}
		}
		list = append(list, gapped(pieces, s.mm(0.6))...)
	}
	if len(o.Marks) == 0 {
		list = s.linePieces(s.text(o.None, &s.styles.label, listWide), 0, listWide, Left)
	}
	car := piece{height: high, draw: func(x, y float64) { s.car(o.Marks, x, y, scale) }}
	if !besides {
		car.keep = true

		return s.titled(o.Title, width, append([]piece{car}, gapped(list, s.mm(1.5))...))
	}
	n := fitting(list, high)
	if n > 0 && stackHeight(list[:n]) > high {
		n = 0
	}
	all := s.side([]cell{{0, []piece{car}}, {x, list[:n]}})

	return s.titled(o.Title, width, append(all, gapped(list[n:], s.mm(1))...))
}

// car draws the outline with its marks.
func (s *sheet) car(marks []Mark, x, y, scale float64) {
	s.pdf.SetDrawColor(gray.r, gray.g, gray.b)
	s.pdf.SetLineWidth(0.25)
	for _, path := range carPaths {
		s.stroke(path, x, y, scale)
	}
	for _, side := range outlineSides {
		label := s.text(strings.ToUpper(side.name[:1])+side.name[1:], &s.styles.label, outlineWide)
		s.draw(label, x+side.x*scale, y+(side.y+side.height)*scale-s.mm(0.6), side.width*scale, Center)
	}
	const radius = 1.75
	for i, m := range marks {
		atX, atY, there := m.at()
		if !there {
			continue
		}
		atX, atY = x+atX*scale, y+atY*scale
		st := style{size: 6.5, bold: true, color: s.accent}
		s.pdf.SetDrawColor(s.accent.r, s.accent.g, s.accent.b)
		s.pdf.SetFillColor(white.r, white.g, white.b)
		if m.New {
			st.color = white
			s.pdf.SetFillColor(s.accent.r, s.accent.g, s.accent.b)
		}
		s.pdf.Circle(atX, atY, radius, "FD")
		s.draw(s.text(strconv.Itoa(i+1), &st, outlineWide), atX-radius*2, atY-st.high()/2-0.1, radius*4, Center)
	}
}

// stroke draws a path of lines and curves: M, L, C and Z with numbers, as in SVG.
func (s *sheet) stroke(path string, x, y, scale float64) {
	fields := strings.Fields(path)
	number := func(i int) float64 {
		v, _ := strconv.ParseFloat(fields[i], 64) //nolint:errcheck // our own paths

		return v
	}
	at := func(i int) (float64, float64) { return x + number(i)*scale, y + number(i+1)*scale }
	for i := 0; i < len(fields); {
		switch fields[i] {
		case "M":
			px, py := at(i + 1)
			s.pdf.MoveTo(px, py)
			i += 3
		case "L":
			px, py := at(i + 1)
			s.pdf.LineTo(px, py)
			i += 3
		case "C":
			ax, ay := at(i + 1)
			bx, by := at(i + 3)
			cx, cy := at(i + 5)
			s.pdf.CurveBezierCubicTo(ax, ay, bx, by, cx, cy)
			i += 7
		default:
			s.pdf.ClosePath()
			i++
		}
	}
	s.pdf.DrawPath("D")
}

// Sizes of a signature, in millimetres; its strokes are on a field of 600 by 200.
const (
	signatureWide = 48.0
	signatureHigh = 16.0
	fieldWide     = 600.0
)

// signature is a signature above its line, with the name and the time below.
func (s *sheet) signature(b Signature, width float64) []piece {
	s.where = join(b.Label, b.Name)
	wide := min(width, 78)
	label := s.text(b.Label, &s.styles.label, width)
	high := s.mm(9.0)
	switch {
	case b.Strokes != "":
		high = signatureHigh * min(1, wide/signatureWide)
	case b.Name == "":
		high = s.mm(13)
	}
	name := s.text(b.Name, &s.styles.bold, wide)
	when := s.text(b.Time, &s.styles.label, wide)
	signed := s.styles.name
	signed.italic, signed.bold = true, false
	typed := s.text(b.Name, &signed, wide)
	below := s.linePieces(append(append(name, when...), s.text(b.Text, &s.styles.small, width)...), 0, width, Left)
	above := append(s.linePieces(label, 0, width, Left), piece{height: high + s.mm(1.2), draw: func(x, y float64) {
		if b.Strokes != "" {
			s.strokes(b.Strokes, x, y, min(signatureWide, wide)/fieldWide)
		} else if len(typed) == 1 {
			s.draw(typed, x, y+high-typed[0].height, wide, Left)
		}
		s.line(x, y+high+s.mm(0.2), x+wide, y+high+s.mm(0.2), 0.25, gray)
	}})
	for i := range above {
		above[i].keep = true
	}

	return gapped(kept(append(above, below...)), s.mm(gapBlock))
}

// strokes draws a signature.
func (s *sheet) strokes(path string, x, y, scale float64) {
	s.pdf.SetDrawColor(ink.r, ink.g, ink.b)
	s.pdf.SetLineWidth(0.45)
	s.pdf.SetLineCapStyle("round")
	var from [2]float64
	for _, step := range strings.FieldsFunc(strings.NewReplacer("M", "|M", "L", "|L").Replace(path), func(r rune) bool { return r == '|' }) {
		var to [2]float64
		if _, err := fmt.Sscanf(step[1:], "%g %g", &to[0], &to[1]); err != nil {
			continue
		}
		if step[0] == 'L' {
			s.pdf.Line(x+from[0]*scale, y+from[1]*scale, x+to[0]*scale, y+to[1]*scale)
		}
		from = to
	}
	s.pdf.SetLineCapStyle("butt")
}

// code is a QR code with a text beside it.
func (s *sheet) code(c Code, width float64) []piece {
	code, err := qr.Of(c.Address)
	if err != nil || c.Address == "" {
		return s.paragraph(Text{Text: strings.TrimSpace(c.Text + "\n" + c.Address)}, width)
	}
	side := s.mm(24)
	text := s.text(c.Text, &s.styles.body, width-side-s.mm(4))

	return []piece{{gap: s.mm(gapBlock), height: max(side, heightOf(text)), draw: func(x, y float64) {
		s.pdf.SetFillColor(0, 0, 0)
		module := side / float64(len(code))
		for row, modules := range code {
			for from := 0; from < len(modules); from++ {
				to := from
				for to < len(modules) && modules[to] {
					to++
				}
				if to > from {
					s.pdf.Rect(x+float64(from)*module, y+float64(row)*module, float64(to-from)*module, module, "F")
					from = to
				}
			}
		}
		s.draw(text, x+side+s.mm(4), y+max(0, (side-heightOf(text))/2), width-side-s.mm(4), Left)
	}}}
}
