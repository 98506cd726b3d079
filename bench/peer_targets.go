package main

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// peerGoals are the targets as ratios to the peer's rate, for PostgreSQL and SQLite.
func peerGoals(database string) []target {
	create, get := target{what: string(opCreate), atLeast: 2, aim: 4}, target{what: string(opGet), atLeast: 2.5, aim: 4}
	if database == sqliteName {
		create.atLeast, create.aim, get.atLeast, get.aim = 1, 3, 2, 3
	}

	return []target{
		create, get,
		{what: string(opFilter), atLeast: 2, aim: 3},
		{what: string(opPage), atLeast: 1.7, aim: 3.5},
	}
}

// targets compares what was measured beside the peer with what was set. Of 8 and 32 clients the worse
// counts, but creates were set for 32.
func (b *besidePeer) targets(database string) []target {
	var list []target
	for _, goal := range peerGoals(database) {
		what := operation(goal.what)
		goal.measured = b.worst(what)
		goal.what = database + ": " + goal.what + " / the peer, the worse of 8 and 32 clients"
		if what == opCreate {
			goal.measured = b.find(question{opCreate, 32}).ratio(0)
			goal.what = database + ": create, 32 clients / the peer"
		}
		list = append(list, goal)
	}
	list = append(list,
		target{database + ": patch / create, the worse of 8 and 32 clients", b.patches(), 0.7, 0.85, false},
		target{database + ": memory under load / the peer", float64(b.loaded) / float64(b.peerLoaded), 0.7, 0.4, true},
	)
	if database == sqliteName {
		list = append(list,
			target{database + ": boot / the peer in a new folder", ratio(b.ours.boot, b.fresh.boot), 2, 1, true},
			target{database + ": idle memory / the peer in a new folder", float64(b.ours.idle) / float64(b.fresh.idle), 1.5, 1, true},
		)
	}

	return list
}

func (b *besidePeer) find(q question) answer { return measurement{answers: b.answers}.find(q) }

func (b *besidePeer) worst(what operation) float64 {
	return math.Min(b.find(question{what, 8}).ratio(0), b.find(question{what, 32}).ratio(0))
}

// patches is the rate of patches as a share of that of creates.
func (b *besidePeer) patches() float64 {
	share := func(clients int) float64 {
		return median(ratios(b.find(question{opPatch, clients}).rates(), b.find(question{opCreate, clients}).rates()))
	}

	return math.Min(share(8), share(32))
}

// table writes what was measured beside the peer.
func (b *besidePeer) table(text *strings.Builder) {
	text.WriteString("\n### Beside " + peerName + "\n\n")
	writeTable(text, []string{"operation", "clients", "req/s", "peer/s", "ratio", "CPU/req µs", "of the peer", "peer / product"}, b.rows())
	text.WriteString("\n")
	writeTable(text, []string{"", "dispatchd", "peer", "ratio", "peer in a new folder", "ratio"}, [][]string{
		{
			"ready in ms", millis(float64(b.ours.boot)), millis(float64(b.theirs.boot)), number(ratio(b.ours.boot, b.theirs.boot)),
			millis(float64(b.fresh.boot)), number(ratio(b.ours.boot, b.fresh.boot)),
		},
		{
			"idle MiB", mebibytes(b.ours.idle), mebibytes(b.theirs.idle), number(float64(b.ours.idle) / float64(b.theirs.idle)),
			mebibytes(b.fresh.idle), number(float64(b.ours.idle) / float64(b.fresh.idle)),
		},
		{
			"highest under load, MiB", mebibytes(b.loaded), mebibytes(b.peerLoaded), number(float64(b.loaded) / float64(b.peerLoaded)),
			"", "",
		},
	})
}

func (b *besidePeer) rows() [][]string {
	var rows [][]string
	for _, a := range b.answers {
		ours, theirs := median(a.cpus())/float64(time.Microsecond), median(a.ceilings[0].cpus)/float64(time.Microsecond)
		rows = append(rows, []string{
			string(a.question.operation), strconv.Itoa(a.question.clients), number(a.rate()), number(a.ceilingRate(0)), number(a.ratio(0)),
			number(ours), number(theirs), number(theirs / ours),
		})
	}

	return rows
}
