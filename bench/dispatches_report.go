package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// dispatchesTables writes how fast offers are accepted, links polled, and positions and photos taken.
func dispatchesTables(text *strings.Builder, f *dispatchesFound) {
	if f == nil {
		return
	}
	fmt.Fprintf(text, "\n### Dispatches\n\nAn offer is accepted by the only carrier that was asked, and by %d of %d at the same time. Each of %d links is read every %s. "+
		"Positions come %d at a time from %d clients, photos of %d MiB one after the other to a process that does nothing else.\n\n",
		racing, openOffers, polledLinks, pollEvery, positionsAtOnce, loadsClients, photoBytes>>20)
	var rows [][]string
	for _, one := range []struct {
		name string
		all  []time.Duration
	}{{"accepting the only offer", f.alone}, {"winning the race", f.won}, {"losing it", f.lost}, {"reading a carrier's page", f.polls}} {
		slices.Sort(one.all)
		p50, p99 := percentile(one.all, 0.5), percentile(one.all, 0.99)
		rows = append(rows, []string{one.name, number(p50.Seconds() * 1e3), number(p99.Seconds() * 1e3), number(p50.Seconds() / percentile(f.alone, 0.5).Seconds())})
	}
	writeTable(text, []string{"what", "p50 ms", "p99 ms", "÷ the only offer"}, rows)
	text.WriteByte('\n')
	writeTable(text, []string{"what", "measured"}, [][]string{
		{"CPU µs of a page", number(float64(f.polledCPU.Microseconds()))},
		{"positions a second", number(median(f.positions))},
		{fmt.Sprintf("%d photos, seconds", photos), number(f.sent.Seconds())},
		{"resident MiB before", number(float64(f.idle) / (1 << 20))},
		{"highest while they came", number(float64(f.highest) / (1 << 20))},
	})
}
