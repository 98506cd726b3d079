package main

import (
	"strconv"
	"strings"
)

// inboundTables writes how fast notifications are acknowledged.
func inboundTables(text *strings.Builder, list []acknowledged) {
	if len(list) == 0 {
		return
	}
	text.WriteString("\n### Notifications acknowledged\n\nBy " + strconv.Itoa(inboundClients) + " clients, signed as DocuSign does and stored with their job; the jobs are left to another process. " +
		"Bare is inserting the same bytes, on SQLite as many in a commit as there are clients; a create is one of a record with two fields. One who sends alone has the p99 of a vendor while nothing else happens, and while as many clients create records.\n\n")
	var rows [][]string
	for _, a := range list {
		rows = append(rows, []string{
			strconv.Itoa(a.size >> 10), number(median(a.ours)), number(median(a.p99)), number(median(a.rest)), number(median(a.beside)),
			number(median(ratios(a.beside, a.rest))), number(median(a.bare)), number(median(ratios(a.ours, a.bare))),
			number(median(a.creates)), number(median(ratios(a.ours, a.creates))),
		})
	}
	writeTable(text, []string{"KiB", "a second", "p99 ms", "of one alone", "beside creates", "ratio", "bare", "ratio", "creates", "ratio"}, rows)
}
