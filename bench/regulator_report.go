package main

import (
	"strconv"
	"strings"
)

// regulatorTables writes how fast the census is imported, and carriers are found in it.
func regulatorTables(text *strings.Builder, found *regulated) {
	if found == nil {
		return
	}
	text.WriteString("\n### Regulator's data\n\nA census of " + strconv.Itoa(found.rows) + " rows, imported by the command line, which starts and stops in this time; bare is COPY on PostgreSQL and " +
		"a prepared insert in a loop on SQLite, of the same columns with the same key and none of the names by which carriers are found. " +
		"A lookup and a verdict are one over HTTP, a walk the statement on the index alone, one after the other and warm.\n\n")
	writeTable(text, []string{"imported/s", "again, unchanged/s", "bare/s", "ratio", "memory MiB", "lookup p50 ms", "p99 ms", "walk p50 ms", "p99 ms", "ratio of p99", "verdicts/s"}, [][]string{{
		number(found.imported), number(found.again), number(found.bare), number(found.imported / found.bare), mebibytes(found.memory),
		number(found.lookup[0].Seconds() * 1e3), number(found.lookup[1].Seconds() * 1e3), number(found.walk[0].Seconds() * 1e3), number(found.walk[1].Seconds() * 1e3),
		number(found.lookup[1].Seconds() / found.walk[1].Seconds()), number(found.verdicts),
	}})
}
