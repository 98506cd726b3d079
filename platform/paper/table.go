package paper

import "strconv"

// table is a table, its head repeated on each page.
func (s *sheet) table(t Table, width float64) []piece {
	if len(t.Rows) == 0 && t.Empty == "" || len(t.Columns) == 0 {
		return nil
	}
	if t.Title != "" {
		s.where = t.Title
	}
	where := s.where
	columns := tableColumns{align: make([]Align, len(t.Columns)), widths: make([]float64, len(t.Columns))}
	for i, c := range t.Columns {
		columns.align[i], columns.widths[i] = c.Align, c.Weight
	}
	columns.widths = shares(columns.widths, len(t.Columns), width)
	head := s.tableHead(t.Columns, columns, width)
	all := []piece{head}
	again := []piece{head}
	for i, r := range t.Rows {
		s.where = join(where, "row "+strconv.Itoa(i+1))
		pieces := s.tableRow(r, columns, width)
		for j := range pieces {
			pieces[j].head = again
		}
		all = append(all, pieces...)
	}
	if len(t.Rows) == 0 {
		lines := s.text(t.Empty, &s.styles.label, width-2*cellSide)
		all = append(all, piece{height: heightOf(lines) + 2*s.mm(cellTop), draw: func(x, y float64) { s.draw(lines, x+cellSide, y+s.mm(cellTop), width, Left) }})
	}
	s.where = where
	if n := len(all); len(t.Totals) > 0 {
		all[n-1].keep = true
	}
	for i, r := range t.Totals {
		pieces := s.tableRow(r, columns, width)
		for j := range pieces {
			pieces[j].head = again
			pieces[j].keep = i < len(t.Totals)-1
		}
		if i == 0 && len(pieces) > 0 {
			draw := pieces[0].draw
			pieces[0].draw = func(x, y float64) {
				draw(x, y)
				s.line(x, y, x+width, y, 0.4, s.accent)
			}
		}
		all = append(all, pieces...)
	}
	all[0].keep = true

	return s.titled(t.Title, width, all)
}

// Free space in a cell, in millimetres.
const (
	cellTop  = 0.9
	cellSide = 1.6
)

// tableColumns are how the columns of a table are set.
type tableColumns struct {
	align  []Align
	widths []float64
}

func (s *sheet) tableHead(all []Column, columns tableColumns, width float64) piece {
	st := &s.styles.smallBold
	texts := make([][]line, len(all))
	high := 0.0
	for i, c := range all {
		texts[i] = s.text(c.Title, st, columns.widths[i]-2*cellSide)
		high = max(high, heightOf(texts[i]))
	}
	if high == 0 {
		return piece{height: s.mm(0.4), draw: func(x, y float64) { s.line(x, y, x+width, y, 0.4, s.accent) }}
	}
	high += 2 * s.mm(cellTop)

	return piece{height: high, draw: func(x, y float64) {
		s.fill(x, y, width, high, pale)
		s.line(x, y+high, x+width, y+high, 0.4, s.accent)
		for i, lines := range texts {
			s.draw(lines, x+cellSide, y+high-s.mm(cellTop)-heightOf(lines), columns.widths[i]-2*cellSide, columns.align[i])
			x += columns.widths[i]
		}
	}}
}

// tableRow is a row; one that is higher than half a page is cut between its lines.
func (s *sheet) tableRow(r Row, columns tableColumns, width float64) []piece {
	st := &s.styles.body
	if r.Strong {
		st = &s.styles.bold
	}
	texts := make([][]line, min(len(r.Cells), len(columns.widths)))
	high := 0.0
	for i := range texts {
		texts[i] = s.text(r.Cells[i], st, columns.widths[i]-2*cellSide)
		high = max(high, heightOf(texts[i]))
	}
	note := s.text(r.Note, &s.styles.label, width-2*cellSide)
	if high == 0 {
		high = st.high()
	}
	whole := high + heightOf(note) + 2*s.mm(cellTop)
	if whole > s.room()/2 { //nolint:mnd // half a page
		return s.highRow(texts, note, columns, width)
	}

	return []piece{{height: whole, draw: func(x, y float64) {
		s.line(x, y+whole, x+width, y+whole, 0.15, rule)
		s.draw(note, x+cellSide, y+s.mm(cellTop)+high, width-2*cellSide, Left)
		for i, lines := range texts {
			s.draw(lines, x+cellSide, y+s.mm(cellTop), columns.widths[i]-2*cellSide, columns.align[i])
			x += columns.widths[i]
		}
	}}}
}

func (s *sheet) highRow(texts [][]line, note []line, columns tableColumns, width float64) []piece {
	cells := make([]cell, len(texts))
	x := cellSide
	for i, lines := range texts {
		cells[i] = cell{x, s.linePieces(lines, 0, columns.widths[i]-2*cellSide, columns.align[i])}
		x += columns.widths[i]
	}
	all := append(s.side(cells), s.linePieces(note, cellSide, width-2*cellSide, Left)...)

	return append(all, piece{height: s.mm(cellTop), draw: func(x, y float64) { s.line(x, y, x+width, y, 0.15, rule) }})
}

// amounts are sums below each other at the right.
func (s *sheet) amounts(all Amounts, width float64) []piece {
	if len(all) == 0 {
		return nil
	}
	wide := min(width, max(width*0.42, 72))
	type sum struct {
		label, value []line
		high         float64
		strong       bool
	}
	sums, high := make([]sum, len(all)), 0.0
	for i, a := range all {
		st := &s.styles.body
		if a.Strong {
			st = &s.styles.total
		}
		s.where = a.Label
		one := sum{s.text(a.Label, st, wide*0.55-cellSide), s.text(a.Value, st, wide*0.45-cellSide), 0, a.Strong}
		one.high = max(heightOf(one.label), heightOf(one.value)) + 2*s.mm(cellTop)
		sums[i], high = one, high+one.high
	}

	return []piece{{gap: s.mm(gapBlock), height: high, draw: func(x, y float64) {
		x += width - wide
		for i, one := range sums {
			if one.strong {
				s.fill(x, y, wide, one.high, pale)
				s.line(x, y, x+wide, y, 0.4, s.accent)
			} else if i > 0 {
				s.line(x, y, x+wide, y, 0.15, rule)
			}
			s.draw(one.label, x+cellSide, y+s.mm(cellTop), wide*0.55-cellSide, Left)
			s.draw(one.value, x+wide*0.55, y+s.mm(cellTop), wide*0.45-cellSide, Right)
			y += one.high
		}
	}}}
}
