package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// loadsTables writes how fast loads are created, found, counted and made of mails.
func loadsTables(text *strings.Builder, f *loadsFound) {
	if f == nil {
		return
	}
	fmt.Fprintf(text, "\n### Loads\n\n%d clients create loads, and have mails made into loads. The ceiling is pgbench inserting the rows that a create writes, in one transaction. "+
		"One client asks a company with %d loads and one with %d, most of which are over.\n\n", loadsClients, f.few, f.many)
	var rows [][]string
	for _, c := range f.creates {
		rates, cpus := make([]float64, len(c.turns)), make([]float64, len(c.turns))
		for i, m := range c.turns {
			rates[i], cpus[i] = m.rate, float64(m.cpu.Microseconds())
		}
		name := "a load of a vehicle"
		if c.vehicles > 1 {
			name = "a load of " + strconv.Itoa(c.vehicles) + " vehicles"
		}
		line := []string{name, number(median(rates)), number(median(cpus)), "", ""}
		if len(c.bare) > 0 {
			line[3], line[4] = number(median(c.bare)), number(median(ratios(rates, c.bare)))
		}
		rows = append(rows, line)
	}
	rows = append(rows, []string{"a load of a mail", number(median(f.mails)), number(median(f.cpus)), "", ""})
	writeTable(text, []string{"what", "a second", "CPU µs", "ceiling/s", "ratio"}, rows)
	text.WriteByte('\n')
	rows = nil
	for _, r := range f.reads {
		few, many := milliseconds(r.few), milliseconds(r.many)
		rows = append(rows, []string{r.name, number(median(few)), number(median(many)), number(median(ratios(many, few)))})
	}
	writeTable(text, []string{"question", "p50 ms, few", "p50 ms, many", "ratio"}, rows)
}

func milliseconds(all []time.Duration) []float64 {
	ms := make([]float64, len(all))
	for i, d := range all {
		ms[i] = d.Seconds() * 1e3 //nolint:mnd // milliseconds
	}

	return ms
}
