package main

import (
	"strconv"
	"strings"
)

// papersTables writes how fast papers are printed.
func papersTables(text *strings.Builder, f *papersFound) {
	if f == nil {
		return
	}
	text.WriteString("\n### Papers\n\nInvoices, one after the other on one core, without a database. Bare is the library that writes the PDF with a cell for each value: " +
		"same fonts, nothing wrapped or measured. The ratios are medians of the rounds. Memory is the highest of the heap while a bill of lading is printed, " +
		"above what it was before, for photos of twelve million pixels.\n\n")
	var rows [][]string
	for _, p := range f.invoices {
		rows = append(rows, []string{
			strconv.Itoa(p.lines), number(median(p.pdf) * 1e3), number(1 / median(p.pdf)), strconv.Itoa(p.size / 1000),
			number(median(ratios(p.pdf, p.bare))), number(median(ratios(p.html, p.pdf))), number(median(p.pdf) / median(f.invoices[0].pdf)),
		})
	}
	writeTable(text, []string{"lines", "ms", "PDF/s", "kB", "÷ bare", "HTML ÷ PDF", "÷ first"}, rows)
	text.WriteByte('\n')
	writeTable(text, []string{"photos", "highest MiB", "photos", "highest MiB", "ratio", "ms a photo", "kB"}, [][]string{{
		strconv.Itoa(fewPhotos), mebibytes(f.few), strconv.Itoa(manyPhotos), mebibytes(f.many), number(float64(f.many) / float64(max(f.few, 1))),
		number(f.took.Seconds() * 1e3), strconv.Itoa(f.size / 1000),
	}})
}
