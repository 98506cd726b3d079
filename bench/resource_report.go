package main

import (
	"strconv"
	"strings"
	"time"
)

// resourceTables writes what a resource costs beside the same by hand, and how long starts take.
func resourceTables(text *strings.Builder, found *besideHand) {
	if found == nil {
		return
	}
	text.WriteString("\n### A resource beside the same by hand\n\nA name and a text, by " + strconv.Itoa(resourceClients) +
		" clients: the first row of each operation is a table by hand. CPU is the service's for a request.\n\n")
	writeTable(text, []string{"operation", "kind", "CPU µs", "ratio", "p50 µs", "ratio"}, kindRows(found.kinds))
	text.WriteString("\n### Starts\n\n")
	writeTable(text, []string{"service", "ready in ms"}, startRows(found.starts))
}

func kindRows(kinds []*kept) [][]string {
	var rows [][]string
	for _, what := range []operation{opCreate, opGet, opPage, opPatch} {
		costs := make([]pieceCost, len(kinds))
		for i, k := range kinds {
			costs[i] = pieceCost{k.name, k.turns[what]}
		}
		cpu := func(m measured) time.Duration { return m.cpu }
		p50 := func(m measured) time.Duration { return m.p50 }
		for i, c := range costs {
			row := []string{string(what), c.name}
			for _, value := range []func(measured) time.Duration{cpu, p50} {
				a := compareTurns(c.values(value), costs[0].values(value))
				if row = append(row, number(a.value)); i == 0 {
					row = append(row, "–")
				} else {
					row = append(row, number(a.ratio))
				}
			}
			rows = append(rows, row)
		}
	}

	return rows
}

func startRows(starts []*startTimes) [][]string {
	var rows [][]string
	for _, s := range starts {
		rows = append(rows, []string{s.name, millis(float64(medianDuration(s.times)))})
	}

	return rows
}
