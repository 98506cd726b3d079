package main

import (
	"strconv"
	"strings"
)

// listenTables writes how soon who listens is told.
func listenTables(text *strings.Builder, list []listened) {
	if len(list) == 0 {
		return
	}
	text.WriteString("\n### Live changes\n\nFrom the answer to a write, which comes with the commit, until who follows the module was told; " +
		"listeners and load generator are on\nthe same machine.\n\n")
	var rows [][]string
	for _, l := range list {
		rows = append(rows, []string{
			strconv.Itoa(l.listeners), millis(float64(l.half)), millis(float64(l.most)), mebibytes(l.before), mebibytes(l.with),
			strconv.FormatInt((l.with-l.before)/int64(l.listeners)>>10, 10),
		})
	}
	writeTable(text, []string{"listeners", "p50 ms", "p99 ms", "MiB without them", "MiB with them", "KiB a listener"}, rows)
}
