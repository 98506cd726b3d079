package main

import (
	"strconv"
	"strings"
	"time"
)

// sectionTables writes what each piece costs, and how fast events are, if they were measured.
func sectionTables(text *strings.Builder, m measurement) {
	header := func(first string) []string {
		return []string{first, "CPU µs", "adds µs", "ratio", "p50 µs", "adds µs", "ratio"}
	}
	if m.peer != nil {
		m.peer.table(text)
	}
	if len(m.pieces) > 0 {
		text.WriteString("\n### What each piece adds to a create by one client\n\n")
		writeTable(text, header("create"), pieceRows(m.pieces))
	}
	if len(m.rows) > 0 {
		text.WriteString("\n### What an event adds to a transaction\n\n")
		writeTable(text, header("transaction"), pieceRows(m.rows))
	}
	if len(m.events) > 0 {
		text.WriteString("\n### Events delivered\n\n")
		writeTable(text, []string{"deliveries", "listeners", "a second", "River alone", "ratio"}, eventRows(m.events))
	}
}

// name says how deliveries were measured.
func (d delivered) name() string {
	return d.kind() + " to " + strconv.Itoa(d.listeners)
}

func (d delivered) kind() string {
	if d.backlog {
		return "from a backlog"
	}

	return "while they are published"
}

func eventRows(list []delivered) [][]string {
	var rows [][]string
	for _, d := range list {
		rows = append(rows, []string{
			d.kind(), strconv.Itoa(d.listeners), number(median(d.ours)), number(median(d.ceiling)), number(median(ratios(d.ours, d.ceiling))),
		})
	}

	return rows
}

// added is what a piece costs beside the bare create of the same turn.
type added struct {
	value, more, ratio float64 // medians: with the piece, its share of that, with the piece / bare
}

func compareTurns(ours, bare []float64) added {
	more := make([]float64, 0, len(ours))
	for i := range min(len(ours), len(bare)) {
		more = append(more, ours[i]-bare[i])
	}

	return added{value: median(ours), more: median(more), ratio: median(ratios(ours, bare))}
}

// values are the values of all turns.
func (c pieceCost) values(value func(measured) time.Duration) []float64 {
	list := make([]float64, len(c.turns))
	for i, m := range c.turns {
		list[i] = float64(value(m)) / float64(time.Microsecond)
	}

	return list
}

// pieceRows compares each piece with the first, the bare create.
func pieceRows(costs []pieceCost) [][]string {
	if len(costs) == 0 {
		return nil
	}
	cpu := func(m measured) time.Duration { return m.cpu }
	p50 := func(m measured) time.Duration { return m.p50 }
	var rows [][]string
	for i, c := range costs {
		row := []string{c.name}
		for _, value := range []func(measured) time.Duration{cpu, p50} {
			a := compareTurns(c.values(value), costs[0].values(value))
			if i == 0 {
				row = append(row, number(a.value), "–", "–")

				continue
			}
			row = append(row, number(a.value), number(a.more), number(a.ratio))
		}
		rows = append(rows, row)
	}

	return rows
}
