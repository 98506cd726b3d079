package main

import (
	"strconv"
	"strings"
	"time"
)

// billingTables writes how fast subscriptions are renewed and money is posted.
func billingTables(text *strings.Builder, f *billed) {
	if f == nil {
		return
	}
	const atOnce = 64
	ceiling := atOnce * float64(time.Minute) / float64(vendorLatency)
	text.WriteString("\n### Billing\n\nRenewals: " + strconv.Itoa(f.renewals) + " subscriptions are due at once, each of another company. Issued is until the last invoice was issued and " +
		"its charge ordered, paid until the vendor's answer to the last charge was stored and posted. The vendor takes 50 ms; the ceiling is " + strconv.Itoa(atOnce) +
		" of its calls at a time, and nothing else.\n\n")
	writeTable(text, []string{"issued/min", "paid/min", "ceiling/min", "ratio", "calls at once"}, [][]string{{
		number(f.issued), number(f.paid), number(ceiling), number(f.paid / ceiling), strconv.Itoa(f.parallel),
	}})
	text.WriteString("\nLedger: transactions of two postings by " + strconv.Itoa(publishers) + " clients, each to an account of its own and one that all share. " +
		"Bare inserts the same rows into the same tables and adds to the same balances: pgbench on PostgreSQL; on SQLite a loop of prepared statements with a commit for as many " +
		"transactions as there are clients.\n\n")
	writeTable(text, []string{"transactions/s", "bare/s", "ratio"}, [][]string{{
		number(median(f.posted)), number(median(f.bare)), number(median(ratios(f.posted, f.bare))),
	}})
}
