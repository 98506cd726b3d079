package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// name says where the errand was asked and by how many.
func (f errandFound) name() string {
	return string(f.task) + ", " + f.place() + ", " + plural(f.clients, "client")
}

func (e errand) place() string {
	if e.small {
		return "small tenant"
	}

	return "large module"
}

// millionTables writes what was measured with a million records.
func millionTables(text *strings.Builder, m millionFound) {
	if len(m.found) == 0 {
		return
	}
	all := m.sizes.large + m.sizes.modules*m.sizes.small
	fmt.Fprintf(text, "\n### At %d records\n\nOne module of %d, and %d of %d each; the small tenant has %d of these. "+
		"The deep page is after %d. Made in %s.\n\n",
		all, m.sizes.large, m.sizes.modules, m.sizes.small, smallModules, m.sizes.depth(), m.filled.Round(time.Second))
	writeTable(text,
		[]string{"operation", "where", "clients", "a second", "p50 ms", "p99 ms", "CPU µs", "ceiling", "ceiling/s", "ratio", "p50 ratio", "to that of"},
		errandRows(m.found))
}

func errandRows(found []errandFound) [][]string {
	var rows [][]string
	for _, f := range found {
		beside, than := beside(found, f)
		rows = append(rows, []string{
			string(f.task), f.place(), strconv.Itoa(f.clients), number(f.rate()), millis(median(f.p50s())), millis(median(f.p99s())),
			number(median(f.cpus()) / float64(time.Microsecond)), f.ceilings[0].name, number(f.ceilingRate(0)), number(f.ratio(0)),
			number(beside), than,
		})
	}

	return rows
}

// beside compares the p50 with that of the errand that it is told by, within each round.
func beside(found []errandFound, f errandFound) (ratio float64, than string) {
	e, ok := f.beside()
	if !ok {
		return math.NaN(), ""
	}
	for _, other := range found {
		if other.errand == e {
			ratio, than = median(ratios(f.p50s(), other.p50s())), "the large module"
		}
	}
	if !f.small {
		than = "the first page"
	}

	return ratio, than
}
