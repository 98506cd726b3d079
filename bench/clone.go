package main

import (
	"fmt"
	"slices"
	"strings"
)

// The ceilings write and read the same rows as the product. What a create writes is not told here:
// one record is created through the API, the rows that it left are read back, and they are cut at
// the values that differ from record to record. So the ceilings follow the product's schema.

// mark is something that differs from record to record.
type mark int

const (
	fixed           mark = iota // text that is the same in every record
	markID                      // the id of the record
	markVIN                     // its VIN
	markPrice                   // its price, "54321.12"
	markDigits                  // its price without the point, as ordered text has it
	markFreshID                 // a key of the row itself, which names nothing else
	markFreshNumber             // a number of the row that no other has, such as its place in a chain
	markWord                    // its VIN as a word that is searched for
	markWordEnd                 // the last eight characters of that
	markWordTail                // the last six
)

// sample is the record that was created: its values are where other rows are cut. Rows belong to it if
// they have its id or that of the request.
type sample struct {
	id, request, module, vin, price string
	searchable                      bool // by its VIN
}

func (s sample) marks() map[mark]string {
	marks := map[mark]string{
		markID:     s.id,
		markVIN:    s.vin,
		markPrice:  s.price,
		markDigits: strings.ReplaceAll(s.price, ".", ""),
	}
	if s.searchable {
		word := strings.ToLower(s.vin)
		marks[markWord], marks[markWordEnd], marks[markWordTail] = word, word[vinLength-8:], word[vinLength-6:]
	}

	return marks
}

// piece is a part of a value: a fixed text, or a mark.
type piece struct {
	mark mark
	text string // of a fixed piece
}

// cut takes a text apart at the values of the sample.
func (s sample) cut(text string) []piece {
	var pieces []piece
	for text != "" {
		at, found, length := len(text), fixed, 0
		for m, value := range s.marks() {
			if i := strings.Index(text, value); value != "" && i >= 0 && i < at {
				at, found, length = i, m, len(value)
			}
		}
		if at > 0 {
			pieces = append(pieces, piece{text: text[:at]})
		}
		if found != fixed {
			pieces = append(pieces, piece{mark: found})
		}
		text = text[at+length:]
	}

	return pieces
}

// cell is one value of a row.
type cell struct {
	column string
	kind   string // the type on PostgreSQL, the storage class on SQLite
	null   bool
	key    bool // part of the primary key
	filled bool // by the database, when it is left out
	unique bool // part of a unique index beside the primary key
	pieces []piece
}

func (c cell) is(m mark) bool { return len(c.pieces) == 1 && c.pieces[0].mark == m && m != fixed }

func (c cell) says(text string) bool {
	return len(c.pieces) == 1 && c.pieces[0].mark == fixed && c.pieces[0].text == text
}

// varies reports whether the value differs from record to record.
func (c cell) varies() bool {
	return slices.ContainsFunc(c.pieces, func(p piece) bool { return p.mark != fixed })
}

// row is one row that a create writes.
type row struct {
	table string
	cells []cell
}

// freshen makes sure that a copy of the row has a key of its own: the record's id is in it, or
// the database fills it, or it gets a fresh id; and that unique numbers are fresh.
func (r row) freshen() (row, error) {
	r.cells = slices.Clone(r.cells)
	for i, c := range r.cells {
		if c.unique && !c.key && !c.null && !c.varies() && (c.kind == "bigint" || c.kind == "integer") {
			r.cells[i].pieces = []piece{{mark: markFreshNumber}}
		}
	}

	last := -1
	for i, c := range r.cells {
		if c.key && c.varies() {
			return r, nil
		}
		if c.key {
			last = i
		}
	}
	if last < 0 {
		return r, nil
	}
	cells := slices.Clone(r.cells)
	switch {
	case cells[last].filled:
		cells = slices.Delete(cells, last, last+1)
	case cells[last].kind == "uuid" || cells[last].kind == "text":
		cells[last].pieces = []piece{{mark: markFreshID}}
	default:
		return row{}, fmt.Errorf("table %s: no fresh value for the key %s (%s)", r.table, cells[last].column, cells[last].kind)
	}

	return row{table: r.table, cells: cells}, nil
}

// insert returns INSERT INTO table (columns), for VALUES or SELECT to follow.
func (r row) insert(table string) string {
	columns := make([]string, len(r.cells))
	for i, c := range r.cells {
		columns[i] = quoteName(c.column)
	}

	return fmt.Sprintf("INSERT INTO %s (%s)", table, strings.Join(columns, ", "))
}

// values renders the cells, separated by commas.
func (r row) values(render func(cell) string) string {
	list := make([]string, len(r.cells))
	for i, c := range r.cells {
		list[i] = "NULL"
		if !c.null {
			list[i] = render(c)
		}
	}

	return strings.Join(list, ", ")
}

// concatenate renders pieces as an expression in SQL: fixed ones by literal, marks by expr.
func concatenate(pieces []piece, literal func(string) string, expr func(mark) string) string {
	if len(pieces) == 0 {
		return literal("")
	}
	parts := make([]string, len(pieces))
	for i, p := range pieces {
		parts[i] = literal(p.text)
		if p.mark != fixed {
			parts[i] = expr(p.mark)
		}
	}

	return strings.Join(parts, " || ")
}

// join renders pieces as text, with the values that the marks have.
func join(pieces []piece, value func(mark) string) string {
	var text strings.Builder
	for _, p := range pieces {
		if p.mark == fixed {
			text.WriteString(p.text)
		} else {
			text.WriteString(value(p.mark))
		}
	}

	return text.String()
}

// tablesOf returns the tables of rows, sorted.
func tablesOf(rows []row) []string {
	var tables []string
	for _, r := range rows {
		tables = append(tables, r.table)
	}
	slices.Sort(tables)

	return slices.Compact(tables)
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
