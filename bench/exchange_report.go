package main

import (
	"strconv"
	"strings"
)

// exchangeSizes are how many records are imported and exported.
func (o *options) exchangeSizes() []int {
	if o.quick {
		return []int{1_000, 2_000}
	}

	return []int{10_000, o.exchange}
}

// exchangeTables writes how fast imports and exports are.
func exchangeTables(text *strings.Builder, list []exchanged) {
	if len(list) == 0 {
		return
	}
	text.WriteString("\n### Imports and exports\n\nRecords a second. Bare is COPY (PostgreSQL) or a prepared insert in a loop (SQLite) of the rows of\n" +
		"the records alone, and one SELECT of them. Memory is the highest of a process that did nothing else.\n\n")
	var rows [][]string
	for _, e := range list {
		rows = append(rows, []string{
			strconv.Itoa(e.records), number(e.in), number(e.bareIn), number(e.in / e.bareIn), mebibytes(e.memoryIn),
			number(e.out), number(e.bareOut), number(e.out / e.bareOut), mebibytes(e.memoryOut),
		})
	}
	writeTable(text, []string{"records", "imported/s", "bare/s", "ratio", "MiB", "exported/s", "bare/s", "ratio", "MiB"}, rows)
}
