package main

import (
	"strconv"
	"strings"
)

// filesTables writes how fast files are kept and given out.
func filesTables(text *strings.Builder, list []filed) {
	if len(list) == 0 {
		return
	}
	text.WriteString("\n### Files\n\nMiB a second, one file after the other, in a folder. Bare is a Fiber handler in the load generator's process that\n" +
		"copies the file of the same form to the same disk, fsync included, and sends it. Memory is that of a process that did nothing else.\n\n")
	var rows [][]string
	for _, f := range list {
		rows = append(rows, []string{
			strconv.FormatInt(f.size>>20, 10), rate(f.up), rate(f.upBare), number(median(ratios(f.up, f.upBare))),
			rate(f.down), rate(f.dBare), number(median(ratios(f.down, f.dBare))), mebibytes(f.idle), mebibytes(f.highest),
		})
	}
	writeTable(text, []string{"MiB", "sent", "bare", "ratio", "read", "bare", "ratio", "idle MiB", "highest MiB"}, rows)
}

// rate is the median of rates in bytes, in MiB.
func rate(bytes []float64) string { return number(median(bytes) / (1 << 20)) }
