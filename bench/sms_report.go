package main

import (
	"strconv"
	"strings"
)

// smsTables writes how fast messages are accepted and handed over.
func smsTables(text *strings.Builder, found *texted) {
	if found == nil {
		return
	}
	text.WriteString("\n### Text messages\n\nAccepted: POST /messages by " + strconv.Itoa(smsClients) + " clients while nobody does the jobs; a create is one of a record with two fields. " +
		"Handed over: " + strconv.Itoa(found.queued) + " messages, queued in bulks of " + strconv.Itoa(smsBulk) +
		", go through the adapter of Twilio to a vendor that takes 50 ms; bare is the same vendor called by nothing but an HTTP client, with as many calls at once. " +
		"The wait is from the answer of the bulk request to the vendor.\n\n")
	writeTable(text, []string{"accepted/s", "creates/s", "ratio", "handed over/s", "bare/s", "ratio", "at once", "wait p50 ms", "wait p99 ms"}, [][]string{{
		number(median(found.accepted)), number(median(found.creates)), number(median(ratios(found.accepted, found.creates))),
		number(median(found.handed)), number(median(found.bare)), number(median(ratios(found.handed, found.bare))),
		strconv.Itoa(found.parallel), number(median(found.p50)), number(median(found.p99)),
	}})
}
