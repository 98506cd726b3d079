package paper

import "slices"

// piece is a part of a paper that stands on one page: a line of text, a row, a picture.
type piece struct {
	// x is where it begins in its column. gap is free space above it, unless it is the first on its page.
	x, gap, height float64
	// keep has it stand on the page of the next piece.
	keep bool
	// newPage has it begin a page.
	newPage bool
	// head is what is repeated above it if it begins a page.
	head []piece
	// frames are around it, the outer one first; ends says that the inner one ends with it.
	frames []*frame
	ends   bool
	draw   func(x, y float64)
}

// frame is a box around pieces that follow each other.
type frame struct {
	x, width float64
	strong   bool
}

// framePad is free space between a frame and a piece where a page ends or begins within it.
const framePad = 2.0

// placed is a piece, or a frame, on its page.
type placed struct {
	page int
	x, y float64
	draw func(x, y float64)
}

// pager places pieces on pages.
type pager struct {
	top, bottom float64
	y           float64
	page        int
	fresh       bool
	frames      []segment
	pieces      []placed
	high        float64
}

// segment is what of a frame is on one page.
type segment struct {
	of          *frame
	page        int
	top, bottom float64
}

// place places pieces below each other on pages of a height.
func place(pieces []piece, top, high float64) *pager {
	p := &pager{top: top, bottom: top + high, y: top, fresh: true, high: high}
	for i := 0; i < len(pieces); {
		last := i
		for last+1 < len(pieces) && pieces[last].keep && !pieces[last+1].newPage {
			last++
		}
		group := pieces[i : last+1]
		if !p.fresh && (group[0].newPage || p.y+group[0].gap+stackHeight(group)+reserve(group) > p.bottom && stackHeight(group) <= high-reserve(group)) {
			p.turn(group[0])
		}
		for _, one := range group {
			if !p.fresh && p.y+one.gap+one.height+one.reserve() > p.bottom {
				p.turn(one)
			}
			p.put(one)
		}
		i = last + 1
	}

	return p
}

// reserve is what the frames around a group need at the end of a page.
func reserve(group []piece) float64 { return group[len(group)-1].reserve() }

func (p piece) reserve() float64 {
	open := len(p.frames)
	if p.ends {
		open--
	}

	return framePad * float64(open)
}

// stackHeight is the height of pieces below each other.
func stackHeight(pieces []piece) (high float64) {
	for i, one := range pieces {
		if high += one.height; i > 0 {
			high += one.gap
		}
	}

	return high
}

// turn begins a page with what a piece has repeated on it.
func (p *pager) turn(next piece) {
	p.page++
	p.y, p.fresh = p.top, true
	for _, f := range next.frames {
		if p.begun(f) {
			p.y += framePad
		}
	}
	for _, one := range next.head {
		one.frames = next.frames
		p.put(one)
	}
	p.fresh = true
}

// begun reports whether a frame has begun.
func (p *pager) begun(f *frame) bool {
	return slices.ContainsFunc(p.frames, func(s segment) bool { return s.of == f })
}

func (p *pager) put(one piece) {
	if !p.fresh {
		p.y += one.gap
	}
	for depth, f := range one.frames {
		p.frame(f, framePad*float64(len(one.frames)-depth), p.y+one.height)
	}
	if one.draw != nil {
		p.pieces = append(p.pieces, placed{p.page, one.x, p.y, one.draw})
	}
	p.y += one.height
	p.fresh = p.fresh && one.height == 0 && one.draw == nil
}

// frame makes a frame reach as far as a piece.
func (p *pager) frame(f *frame, pad, bottom float64) {
	i := slices.IndexFunc(p.frames, func(s segment) bool { return s.of == f && s.page == p.page })
	if i >= 0 {
		p.frames[i].bottom = bottom

		return
	}
	top := p.y
	if p.begun(f) {
		top -= pad
		for j := range p.frames { // what is left on the page before ends below its last piece
			if s := &p.frames[j]; s.of == f && s.page == p.page-1 {
				s.bottom += pad
			}
		}
	}
	p.frames = append(p.frames, segment{f, p.page, top, bottom})
}

// stacked is pieces below each other as one: its height, and how it is drawn.
func (s *sheet) stacked(pieces []piece) piece {
	const endless = 1e9
	p := place(pieces, 0, endless)

	return piece{height: p.y, draw: func(x, y float64) {
		for _, f := range p.frames {
			s.frame(f, x, y)
		}
		for _, one := range p.pieces {
			one.draw(x+one.x, y+one.y)
		}
	}}
}

func (s *sheet) frame(f segment, x, y float64) {
	top, high := y+f.top, f.bottom-f.top
	if f.of.strong {
		s.fill(x+f.of.x, top, f.of.width, high, s.accent.tint())
		s.border(x+f.of.x, top, f.of.width, high, 0.4, s.accent)

		return
	}
	s.border(x+f.of.x, top, f.of.width, high, 0.25, rule)
}

// cell is a column of pieces beside others.
type cell struct {
	x      float64
	pieces []piece
}

// side puts columns side by side. They stay together, unless they are higher than a share of a page: then they go on together on the next one.
func (s *sheet) side(cells []cell) []piece {
	highest := 0.0
	for _, c := range cells {
		highest = max(highest, stackHeight(c.pieces))
	}
	limit := s.room() / 2 //nolint:mnd // half a page
	if highest <= limit {
		return []piece{s.band(cells)}
	}
	const band = 40.0
	var all []piece
	for {
		var now []cell
		left := false
		for i, c := range cells {
			n := fitting(c.pieces, band)
			if n > 0 {
				now = append(now, cell{c.x, c.pieces[:n]})
			}
			cells[i].pieces = c.pieces[n:]
			left = left || len(cells[i].pieces) > 0
		}
		one := s.band(now)
		if len(all) > 0 {
			one.gap = s.mm(0.5)
		}
		all = append(all, one)
		if !left {
			return all
		}
	}
}

// fitting is how many pieces fit in a height: one at least, of those that there are.
func fitting(pieces []piece, high float64) (n int) {
	for n < len(pieces) && (n == 0 || stackHeight(pieces[:n+1]) <= high) {
		n++
	}

	return n
}

func (s *sheet) band(cells []cell) piece {
	stacks := make([]piece, len(cells))
	high := 0.0
	for i, c := range cells {
		stacks[i] = s.stacked(c.pieces)
		high = max(high, stacks[i].height)
	}

	return piece{height: high, draw: func(x, y float64) {
		for i, c := range cells {
			stacks[i].draw(x+c.x, y)
		}
	}}
}

// linePieces are lines as pieces, so that a text may go on on the next page: not after its first line, and not before its last.
func (s *sheet) linePieces(lines []line, x, width float64, align Align) []piece {
	all := make([]piece, len(lines))
	for i, l := range lines {
		all[i] = piece{x: x, height: l.height, keep: len(lines) > 1 && (i == 0 || i == len(lines)-2), draw: func(x, y float64) { s.drawLine(l, x, y, width, align) }}
	}

	return all
}

func kept(pieces []piece) []piece {
	for i := range pieces[:max(len(pieces)-1, 0)] {
		pieces[i].keep = true
	}

	return pieces
}

func gapped(pieces []piece, gap float64) []piece {
	if len(pieces) > 0 {
		pieces[0].gap = max(pieces[0].gap, gap)
	}

	return pieces
}
