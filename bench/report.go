package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// report writes the measurements as Markdown that a terminal shows well too.
func report(out io.Writer, o options, facts []fact, all []measurement) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# Measured\n\n%s of %g s, medians; %d records before; depth of the deep page %d.\n"+
		"Only ratios travel to another machine. See README.md for what is compared.\n\n",
		plural(o.rounds, "round"), o.seconds, o.records, o.depth())
	for _, m := range all {
		facts = append(facts, m.facts...)
		facts = append(facts, fact{m.database + ": a create writes a row of", strings.Join(m.writes, ", ")})
	}
	writeTable(&text, []string{"fact", "value"}, factRows(facts))
	for _, m := range all {
		fmt.Fprintf(&text, "\n## %s\n\n", m.database)
		if len(m.answers) > 0 {
			writeTable(&text,
				[]string{"operation", "clients", "req/s", "p50 ms", "p99 ms", "CPU/req µs", "ceiling", "ceiling/s", "ratio"}, answerRows(m.answers))
		}
		sectionTables(&text, m)
		millionTables(&text, m.million)
		exchangeTables(&text, m.exchange)
		listenTables(&text, m.listen)
		filesTables(&text, m.files)
		inboundTables(&text, m.inbound)
		smsTables(&text, m.sms)
		resourceTables(&text, m.resources)
		regulatorTables(&text, m.regulator)
		offlineTables(&text, m.offline)
		billingTables(&text, m.billing)
		loadsTables(&text, m.loads)
		dispatchesTables(&text, m.dispatches)
		papersTables(&text, m.papers)
	}
	if slices.ContainsFunc(all, measurement.booted) {
		text.WriteString("\n## Start and memory\n\n")
		writeTable(&text,
			[]string{"database", "ready in ms", "with records", "idle MiB", "with records", "highest under load"}, resourceRows(all))
		text.WriteString("\n## Targets\n\n")
		writeTable(&text, []string{"what", "measured", "at least", "aim", "verdict"}, targetRows(targets(all)))
	}
	if o.quick {
		text.WriteString("\nThese are quick rounds: they show that all of it works, not how fast it is.\n")
	}
	_, err := io.WriteString(out, text.String())

	return err
}

// booted reports whether the start was timed, on which targets are set: it is not where a million records
// are all that was asked for.
func (m measurement) booted() bool { return m.boot.full > 0 }

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}

	return strconv.Itoa(n) + " " + word + "s"
}

func factRows(facts []fact) [][]string {
	rows := make([][]string, 0, len(facts))
	for _, f := range facts {
		rows = append(rows, []string{f.name, f.value})
	}

	return rows
}

func answerRows(answers []answer) [][]string {
	var rows [][]string
	for _, a := range answers {
		cells := []string{
			string(a.question.operation), strconv.Itoa(a.question.clients),
			number(a.rate()), millis(median(a.p50s())), millis(median(a.p99s())), number(median(a.cpus()) / float64(time.Microsecond)),
		}
		for i, c := range a.ceilings {
			rows = append(rows, append(cells, c.name, number(median(c.rates)), number(a.ratio(i))))
			cells = make([]string, len(cells))
		}
	}

	return rows
}

func resourceRows(all []measurement) [][]string {
	var rows [][]string
	for _, m := range all {
		rows = append(rows, []string{
			m.database, millis(float64(m.boot.empty)), millis(float64(m.boot.full)),
			mebibytes(m.memory.empty), mebibytes(m.memory.full), mebibytes(m.memory.highest),
		})
	}

	return rows
}

func targetRows(list []target) [][]string {
	var rows [][]string
	for _, t := range list {
		sign := "≥ "
		if t.lowerIsBetter {
			sign = "≤ "
		}
		rows = append(rows, []string{t.what, number(t.measured), sign + number(t.atLeast), sign + number(t.aim), t.verdict()})
	}

	return rows
}

// number writes a number with as many digits as mean something.
func number(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case math.Abs(v) >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// millis writes nanoseconds as milliseconds.
func millis(nanoseconds float64) string { return number(nanoseconds / float64(time.Millisecond)) }

func mebibytes(bytes int64) string {
	if bytes == 0 {
		return "–"
	}

	return number(float64(bytes) / (1 << 20))
}

// writeTable writes a Markdown table whose columns stand under each other. Numbers stand to the right.
func writeTable(out *strings.Builder, header []string, rows [][]string) {
	widths := make([]int, len(header))
	numeric := make([]bool, len(header))
	for i, name := range header {
		widths[i] = utf8.RuneCountInString(name)
		numeric[i] = i > 0
		for _, r := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(r[i]))
			numeric[i] = numeric[i] && strings.Trim(r[i], "0123456789.–≥≤ ") == ""
		}
	}
	line := func(cells []string) {
		for i, text := range cells {
			blank := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if numeric[i] {
				text, blank = blank+text, ""
			}
			out.WriteString("| " + text + blank + " ")
		}
		out.WriteString("|\n")
	}
	line(header)
	for i, width := range widths {
		rule := strings.Repeat("-", width+2)
		if numeric[i] {
			rule = strings.Repeat("-", width+1) + ":"
		}
		out.WriteString("|" + rule)
	}
	out.WriteString("|\n")
	for _, r := range rows {
		line(r)
	}
}
