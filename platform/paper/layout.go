package paper

import (
	"slices"
	"strings"
)

// gaps between blocks, in millimetres.
const (
	gapBlock   = 3.4
	gapHeading = 4.8
	gapBelow   = 1.6 // a heading
	gapTitle   = 1.0
	gutter     = 8.0
)

// layout makes pieces of blocks.
func (s *sheet) layout(blocks []Block, width float64) (all []piece) {
	afterHeading := false
	for _, b := range blocks {
		pieces := s.pieces(b, width)
		if afterHeading && len(pieces) > 0 {
			pieces[0].gap = s.mm(gapTitle)
		}
		_, afterHeading = b.(Heading)
		all = append(all, pieces...)
	}

	return all
}

func (s *sheet) pieces(b Block, width float64) []piece {
	switch b := b.(type) {
	case Heading:
		return s.heading(b.Text, width)
	case Text:
		return s.paragraph(b, width)
	case Rich:
		return s.rich(b, width)
	case Facts:
		return s.facts(b, width)
	case Parties:
		return s.parties(b, width)
	case Columns:
		return s.columns(b, width)
	case Table:
		return s.table(b, width)
	case Amounts:
		return s.amounts(b, width)
	case Photos:
		return s.photos(b, width)
	case Image:
		return s.image(b, width)
	case Outline:
		return s.outline(b, width)
	case Signature:
		return s.signature(b, width)
	case Code:
		return s.code(b, width)
	case Box:
		return s.box(b, width)
	case KeepTogether:
		return kept(s.layout(b.Blocks, width))
	case Space:
		return []piece{{height: 0, gap: s.mm(b.Height)}}
	case Line:
		return []piece{{gap: s.mm(gapBlock), height: s.mm(0.3), draw: func(x, y float64) { s.line(x, y, x+width, y, 0.25, rule) }}}
	case PageBreak:
		return []piece{{newPage: true, keep: true}}
	}

	return nil
}

// heading is a title with a rule below it.
func (s *sheet) heading(text string, width float64) []piece {
	if text == "" {
		return nil
	}
	s.where = text
	lines := s.text(text, &s.styles.heading, width)
	high := heightOf(lines)

	return []piece{{gap: s.mm(gapHeading), height: high + s.mm(gapBelow), keep: true, draw: func(x, y float64) {
		s.draw(lines, x, y, width, Left)
		s.line(x, y+high+s.mm(0.3), x+width, y+high+s.mm(0.3), 0.3, rule)
	}}}
}

// titled puts a heading above pieces.
func (s *sheet) titled(title string, width float64, below []piece) []piece {
	if title == "" {
		return gapped(below, s.mm(gapBlock))
	}

	if len(below) > 0 {
		below[0].gap = s.mm(gapTitle)
	}

	return append(s.heading(title, width), below...)
}

func (s *sheet) paragraph(t Text, width float64) (all []piece) {
	st := &s.styles.body
	switch {
	case t.Small && t.Bold:
		st = &s.styles.smallBold
	case t.Small:
		st = &s.styles.small
	case t.Bold:
		st = &s.styles.bold
	}
	for _, text := range paragraphsOf(t.Text) {
		part := gapped(s.linePieces(s.running(text, st, width), 0, width, t.Align), s.mm(1.6))
		all = append(all, part...)
	}

	return gapped(all, s.mm(gapBlock-1))
}

// facts are labels with values, in one or two columns.
func (s *sheet) facts(f Facts, width float64) (all []piece) {
	if len(f.Items) == 0 {
		return nil
	}
	if f.Title != "" {
		s.where = f.Title
	}
	columns := f.Columns
	if columns < 1 || columns > 2 {
		columns = s.factColumns(f, width)
	}
	if columns > len(f.Items) {
		columns = len(f.Items)
	}
	each := (width - gutter*float64(columns-1)) / float64(columns)
	rows := (len(f.Items) + columns - 1) / columns
	label := s.labelWidth(f.Items, each)
	where := s.where
	for row := range rows {
		var cells []cell
		for column := range columns {
			i := column*rows + row
			if i >= len(f.Items) {
				continue
			}
			fact, x := f.Items[i], float64(column)*(each+gutter)
			s.where = join(where, fact.Name)
			names := s.text(fact.Name, &s.styles.label, label-s.mm(3))
			for n := range names {
				names[n].height = s.styles.body.high() // on the line of the value
			}
			cells = append(cells,
				cell{x, s.linePieces(names, 0, label, Left)},
				cell{x + label, s.linePieces(s.text(fact.Text, &s.styles.body, each-label), 0, each-label, Left)})
		}
		part := s.side(cells)
		if row > 0 {
			part = gapped(part, s.mm(0.9))
		}
		all = append(all, part...)
	}
	s.where = where
	if n := len(all); n > 1 {
		all[0].keep = true
		all[n-2].keep = true
	}

	return s.titled(f.Title, width, all)
}

// factColumns is two if all values then take one line.
func (s *sheet) factColumns(f Facts, width float64) int {
	const few, narrow = 4, 120
	if len(f.Items) < few || width < narrow {
		return 1
	}
	each := (width - gutter) / 2
	label := s.labelWidth(f.Items, each)
	for _, one := range f.Items {
		if len(s.text(one.Text, &s.styles.body, each-label)) > 1 {
			return 1
		}
	}

	return 2
}

// labelWidth is the width of the labels of facts: as much as the widest needs, within limits.
func (s *sheet) labelWidth(items []Fact, width float64) float64 {
	widest := 0.0
	for _, one := range items {
		for _, l := range s.text(one.Name, &s.styles.label, width) {
			widest = max(widest, l.width)
		}
	}

	return min(max(widest+s.mm(4), width*0.16), width*0.4)
}

// join names a part of a block in a warning.
func join(where, part string) string {
	if where == "" || part == "" {
		return where + part
	}

	return where + ": " + part
}

// parties stand side by side.
func (s *sheet) parties(all Parties, width float64) (out []piece) {
	const most = 3
	columns := min(len(all), most)
	if len(all) == 4 { //nolint:mnd // two by two
		columns = 2
	}
	for len(all) > 0 {
		now := all[:min(columns, len(all))]
		all = all[len(now):]
		each := (width - gutter*float64(columns-1)) / float64(columns)
		cells := make([]cell, len(now))
		for i, p := range now {
			s.where = join(p.Label, p.Name)
			pieces := s.linePieces(s.text(p.Label, &s.styles.label, each), 0, each, Left)
			pieces = append(pieces, piece{height: s.mm(1.4), draw: func(x, y float64) { s.line(x, y+s.mm(0.4), x+each, y+s.mm(0.4), 0.4, s.accent) }})
			pieces = append(pieces, s.linePieces(s.text(p.Name, &s.styles.bold, each), 0, each, Left)...)
			pieces = append(pieces, s.linePieces(s.text(strings.Join(p.Lines, "\n"), &s.styles.body, each), 0, each, Left)...)
			cells[i] = cell{float64(i) * (each + gutter), pieces}
		}
		out = append(out, gapped(s.side(cells), s.mm(gapBlock+1))...)
	}

	return out
}

func (s *sheet) columns(c Columns, width float64) []piece {
	n := len(c.Cells)
	if n == 0 {
		return nil
	}
	widths := shares(c.Weights, n, width-gutter*float64(n-1))
	cells := make([]cell, n)
	x := 0.0
	for i, blocks := range c.Cells {
		pieces := s.layout(blocks, widths[i])
		if len(pieces) > 0 {
			pieces[0].gap = 0
		}
		cells[i] = cell{x, pieces}
		x += widths[i] + gutter
	}

	return gapped(s.side(cells), s.mm(gapBlock))
}

// shares divides a width by weights.
func shares(weights []float64, n int, width float64) []float64 {
	all, sum := make([]float64, n), 0.0
	for i := range all {
		all[i] = 1
		if i < len(weights) && weights[i] > 0 {
			all[i] = weights[i]
		}
		sum += all[i]
	}
	for i := range all {
		all[i] *= width / sum
	}

	return all
}

// box is a frame around blocks.
func (s *sheet) box(b Box, width float64) []piece {
	const pad = 3.6
	f := &frame{width: width, strong: b.Strong}
	inner := width - 2*pad
	var pieces []piece
	if b.Title != "" {
		st := s.styles.bold
		if b.Strong {
			st.color = s.accent
		}
		s.where = b.Title
		pieces = s.linePieces(s.text(b.Title, &st, inner), 0, inner, Left)
		for i := range pieces {
			pieces[i].keep = true
		}
	}
	inside := s.layout(b.Blocks, inner)
	if len(inside) > 0 {
		inside[0].gap = 0
		if b.Title != "" {
			inside[0].gap = s.mm(1.2)
		}
	}
	pieces = append(pieces, inside...)
	if len(pieces) == 0 {
		return nil
	}
	inset(pieces, f, pad)
	pieces[len(pieces)-1].keep = true
	edge := piece{height: s.mm(3), frames: []*frame{f}}
	first := edge
	first.keep, edge.ends = true, true
	all := append(append([]piece{first}, pieces...), edge)
	if stackHeight(all) <= s.room()*0.4 {
		kept(all)
	}

	return gapped(all, s.mm(gapBlock+0.6))
}

// inset moves pieces, their heads and frames into a frame.
func inset(pieces []piece, into *frame, pad float64) {
	moved, heads := map[*frame]bool{}, map[*piece][]piece{}
	for i := range pieces {
		one := &pieces[i]
		one.x += pad
		for _, f := range one.frames {
			if !moved[f] {
				moved[f] = true
				f.x += pad
			}
		}
		one.frames = append([]*frame{into}, one.frames...)
		if len(one.head) == 0 {
			continue
		}
		first := &one.head[0] // rows of a table share their head
		if heads[first] == nil {
			heads[first] = slices.Clone(one.head)
			for j := range heads[first] {
				heads[first][j].x += pad
			}
		}
		one.head = heads[first]
	}
}
