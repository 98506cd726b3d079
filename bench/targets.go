package main

import (
	"math"
	"time"
)

// What a peer, PocketBase 0.39, did on the machine on which the targets were set. Where it is not run
// (see peer.go), what is said of it is an estimate: creates as a share of pgbench with a plain row in
// the same run, the rest as it was there.
const (
	peerOfPgbench = 2_400.0 / 16_800 // creates by 32 clients, at synchronous NORMAL
	peerBoot      = 65 * time.Millisecond
	peerIdle      = 33 << 20
)

// peerQuestion is the question by which a peer is estimated.
func peerQuestion() question { return question{opCreate, 32} }

// target is a number to reach.
type target struct {
	what          string
	measured      float64
	atLeast, aim  float64
	lowerIsBetter bool
}

// verdict says how far it is reached.
func (t target) verdict() string {
	reached := func(goal float64) bool {
		if t.lowerIsBetter {
			return t.measured <= goal
		}

		return t.measured >= goal
	}
	switch {
	case math.IsNaN(t.measured) || math.IsInf(t.measured, 0):
		return "not measured"
	case reached(t.aim):
		return "aim"
	case reached(t.atLeast):
		return "met"
	default:
		return "MISSED"
	}
}

// targets compares measurements with what was set for the product.
func targets(all []measurement) []target {
	var list []target
	peer := math.NaN() // creates in a second
	for _, m := range all {
		if m.database == postgresName {
			peer = m.find(peerQuestion()).ceilingRate(1) * peerOfPgbench
		}
	}
	for _, m := range all {
		list = append(list, m.createTargets(peer)...)
		list = append(list,
			target{m.database + ": p50 of the deep page / of the first", m.deepRatio(), 1.5, 1.1, true},
			target{m.database + ": boot with all records / with hardly any", ratio(m.boot.full, m.boot.empty), 1.2, 1.05, true},
		)
		if m.peer != nil {
			list = append(list, m.peer.targets(m.database)...)
		} else if m.database == sqliteName {
			list = append(list,
				target{m.database + ": boot / the peer's 65 ms (estimate)", ratio(m.boot.empty, peerBoot), 2, 1, true},
				target{m.database + ": idle memory / the peer's 33 MiB (estimate)", float64(m.memory.empty) / peerIdle, 1.5, 1, true},
			)
		}
	}

	return list
}

func (m measurement) createTargets(peer float64) []target {
	create := m.find(peerQuestion())
	if m.database == postgresName {
		list := []target{{"postgres: create, 32 clients / pgbench", create.ratio(0), 0.35, 0.60, false}}
		if m.peer == nil {
			list = append(list, target{"postgres: create, 32 clients / the peer (estimate)", create.rate() / peer, 2, 4, false})
		}

		return list
	}
	if m.peer != nil {
		return nil
	}

	return []target{{"sqlite: create, 32 clients / the peer (estimate)", create.rate() / peer, 1, 3, false}}
}

// deepRatio compares the first page with the deep one, within each round.
func (m measurement) deepRatio() float64 {
	first, deep := m.find(question{opPage, 1}), m.find(question{opDeep, 1})

	return median(ratios(deep.p50s(), first.p50s()))
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// find returns the answer to a question, an empty one if it was not asked.
func (m measurement) find(q question) answer {
	for _, a := range m.answers {
		if a.question == q {
			return a
		}
	}

	return answer{question: q}
}

func (a answer) collect(value func(measured) float64) []float64 {
	list := make([]float64, len(a.ours))
	for i, m := range a.ours {
		list[i] = value(m)
	}

	return list
}

func (a answer) rates() []float64 { return a.collect(func(m measured) float64 { return m.rate }) }
func (a answer) p50s() []float64 {
	return a.collect(func(m measured) float64 { return float64(m.p50) })
}

func (a answer) p99s() []float64 {
	return a.collect(func(m measured) float64 { return float64(m.p99) })
}

func (a answer) cpus() []float64 {
	return a.collect(func(m measured) float64 { return float64(m.cpu) })
}
func (a answer) rate() float64 { return median(a.rates()) }

// ceilingRate is the rate of the i-th ceiling, NaN if there is none.
func (a answer) ceilingRate(i int) float64 {
	if i >= len(a.ceilings) {
		return math.NaN()
	}

	return median(a.ceilings[i].rates)
}

// ratio is the rate as a share of the i-th ceiling's.
func (a answer) ratio(i int) float64 {
	if i >= len(a.ceilings) {
		return math.NaN()
	}

	return median(ratios(a.rates(), a.ceilings[i].rates))
}
