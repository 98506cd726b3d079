package main

import (
	"strings"
	"time"
)

// offlineTables writes how fast VINs are decoded and places found, and what the data cost.
func offlineTables(text *strings.Builder, f *offlineFound) {
	if f == nil {
		return
	}
	text.WriteString("\n### Offline data\n\nVINs of many manufacturers and beginnings of places, asked for over HTTP by one client, one request after the other. A VIN a CPU second is " +
		"one of a batch, with all the work of the service; cold is the first one of a process. Memory is resident: of a process that has answered " +
		"a request without the data, one VIN, all VINs, and one beginning of a place in another process. Binary is stripped.\n\n")
	var rows [][]string
	for _, r := range []struct {
		name string
		took [2]time.Duration
	}{{"one VIN, warm", f.warm}, {"one VIN, cold", f.cold}, {"places, warm", f.complete}, {"places, cold", f.coldComplete}} {
		rows = append(rows, []string{r.name, number(r.took[0].Seconds() * 1e3), number(r.took[1].Seconds() * 1e3)})
	}
	writeTable(text, []string{"request", "p50 ms", "p99 ms"}, rows)
	text.WriteByte('\n')
	writeTable(text, []string{"VINs/s", "VINs/CPU s", "idle MiB", "one VIN", "all VINs", "places", "binary MiB", "without data"}, [][]string{{
		number(f.rate), number(f.perCPU), mebibytes(f.idle), mebibytes(f.oneVIN), mebibytes(f.allVINs), mebibytes(f.places),
		mebibytes(f.binary), mebibytes(f.bare),
	}})
}
