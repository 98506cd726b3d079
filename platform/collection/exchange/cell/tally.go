package cell

import (
	"fmt"
	"strings"
)

// Tally counts how the cells of a column write what they may be. Its zero value has seen none.
type Tally struct {
	// Cells are those that are not empty.
	Cells int64 `json:"cells"`
	// Dates are those that are dates, in some order: MonthFirst and DayFirst those that exist in one alone, Either those
	// that exist in both, DotsMonth those with points that have the month first.
	Dates      int64 `json:"dates,omitempty"`
	MonthFirst int64 `json:"month_first,omitempty"`
	DayFirst   int64 `json:"day_first,omitempty"`
	Either     int64 `json:"either,omitempty"`
	DotsMonth  int64 `json:"dots_month,omitempty"`
	// Numbers are those that are numbers: Point and Comma those whose decimals can only stand behind that, Thousands
	// those for which either would do, Percents those with a percent sign.
	Numbers   int64 `json:"numbers,omitempty"`
	Point     int64 `json:"point,omitempty"`
	Comma     int64 `json:"comma,omitempty"`
	Thousands int64 `json:"thousands,omitempty"`
	Percents  int64 `json:"percents,omitempty"`
	// Sample is one of the cells that decide nothing.
	DateSample   string `json:"date_sample,omitempty"`
	NumberSample string `json:"number_sample,omitempty"`
}

// trial is after how many cells a column in which there is hardly a date or number is not looked at for more.
const (
	trial       = 500
	longestRead = 64
)

// Add counts a cell.
func (t *Tally) Add(cell string) {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return
	}
	t.Cells++
	if len(cell) > longestRead {
		return
	}
	if t.Cells < trial || t.Dates*20 > t.Cells {
		t.addDate(cell)
	}
	if t.Cells < trial || t.Numbers*20 > t.Cells {
		t.addNumber(cell)
	}
}

func (t *Tally) addDate(cell string) {
	d, ok := readDay(cell, MonthFirst)
	if !ok {
		d, ok = readDay(cell, DayFirst)
	}
	if !ok {
		if _, ok = readDay(cell, MonthDots); ok {
			t.Dates++
			t.DotsMonth++
		}

		return
	}
	t.Dates++
	switch {
	case d.dots: // the day is first without being asked
	case d.order == monthFirst:
		t.MonthFirst++
	case d.order == dayFirst:
		t.DayFirst++
	case d.order == either:
		t.Either++
		if t.DateSample == "" {
			t.DateSample = cell
		}
	}
}

func (t *Tally) addNumber(cell string) {
	n, ok := readNumber(cell, false)
	if !ok {
		return
	}
	t.Numbers++
	if n.percent {
		t.Percents++
	}
	switch {
	case n.comma && n.point:
		t.Thousands++
		if t.NumberSample == "" {
			t.NumberSample = cell
		}
	case n.comma:
		t.Comma++
	case n.point:
		t.Point++
	}
}

// Fit is how many cells a format reads.
type Fit struct {
	Format Format `json:"format"`
	Fits   int64  `json:"fits" doc:"How many cells of the file it reads, of those that are not empty."`
}

// Proposal is how a column seems to write its values.
type Proposal struct {
	Format Format
	Fits   []Fit
	// Note says what cannot be told from the cells, "" if all can.
	Note string
}

// Propose says how a column writes values of a type. Where the cells leave it open, the country decides, and the note
// says so.
func (t Tally) Propose(kind string, l Locale) Proposal {
	switch kind {
	case "date", "local_datetime", "datetime":
		return t.proposeDates(l)
	case "integer", "decimal", "weight", "length":
		return t.proposeNumbers(kind)
	}

	return Proposal{}
}

// proposeDates counts what each order would read.
func (t Tally) proposeDates(l Locale) Proposal {
	p := Proposal{Fits: []Fit{
		{ISO, t.Dates - t.MonthFirst - t.DayFirst - t.Either - t.DotsMonth},
		{MonthFirst, t.Dates - t.DayFirst - t.DotsMonth},
		{DayFirst, t.Dates - t.MonthFirst - t.DotsMonth},
	}}
	if t.DotsMonth > 0 {
		p.Fits = append(p.Fits, Fit{MonthDots, t.Dates - t.DayFirst})
	}
	american := l.Country == "" || l.Country == "US"
	switch {
	case t.Dates == 0:
	case t.DotsMonth > 0 && t.DayFirst == 0:
		p.Format = MonthDots
	case t.MonthFirst+t.DayFirst+t.Either == 0:
		p.Format = ISO
	case t.MonthFirst > t.DayFirst, t.MonthFirst == t.DayFirst && american:
		p.Format = MonthFirst
	default:
		p.Format = DayFirst
	}
	switch {
	case t.MonthFirst > 0 && t.DayFirst > 0:
		p.Note = fmt.Sprintf("The column is ambiguous: in %d dates the month is first, in %d the day. Those of the other order are refused.", t.MonthFirst, t.DayFirst)
	case t.Either > 0 && t.MonthFirst+t.DayFirst == 0:
		p.Note = fmt.Sprintf("The column is ambiguous: each date can be read with the month or the day first, such as %s. %s is a guess; say which it is.",
			t.DateSample, p.Format)
	}

	return p
}

// proposeNumbers says which separator decimals stand behind. Numbers that can only be read in one way are read by both.
func (t Tally) proposeNumbers(kind string) Proposal {
	p := Proposal{Fits: []Fit{{Point, t.Numbers}, {Comma, t.Numbers}}}
	switch {
	case t.Numbers == 0:
	case t.Comma > t.Point:
		p.Format = Comma
	default:
		p.Format = Point
	}
	switch {
	case t.Thousands > 0 && (t.Comma > 0) == (t.Point > 0) && strings.ContainsAny(t.NumberSample, ",."):
		p.Note = fmt.Sprintf("The column is ambiguous: %d numbers such as %s have a separator that may be that of thousands or of decimals. %s is a guess; say which it is.",
			t.Thousands, t.NumberSample, p.Format)
	case t.Percents > 0 && kind == "decimal":
		p.Note = fmt.Sprintf("%d cells have a percent sign: 12.5%% is read as 12.5. The format 1,234.56%% reads it as 0.125.", t.Percents)
	}

	return p
}
