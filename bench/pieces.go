package main

import (
	"context"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"
)

// extra is something that a create can have more than the bare one: by settings of the product, or
// by what the client sends.
type extra struct {
	name     string
	settings []string
	keyed    bool
}

// The settings of a bare create, and each piece with nothing else on. The limit is out of reach:
// counting is what costs.
const (
	auditOff, auditOn = "DISPATCHD_AUDIT__EVERY_WRITE=false", "DISPATCHD_AUDIT__EVERY_WRITE=true"
	limitOff, limitOn = "DISPATCHD_WEB__RATE_LIMIT__PER_TOKEN=0", "DISPATCHD_WEB__RATE_LIMIT__PER_TOKEN=100000000"
	logOff, logOn     = "DISPATCHD_WEB__ACCESS_LOG=false", "DISPATCHD_WEB__ACCESS_LOG=true"
	metricsAddress    = "DISPATCHD_METRICS__ADDRESS="
	tracesEndpoint    = "DISPATCHD_TRACES__ENDPOINT="
	tracesSample      = "DISPATCHD_TRACES__SAMPLE="
)

// pieces are the bare create, first, each piece alone, what is on by default, and all together.
func pieces(metrics, collector string) []extra {
	trace := []string{tracesEndpoint + collector, tracesSample + "1"}
	defaults := []string{auditOn, limitOn, logOn}

	return []extra{
		{name: "bare"},
		{name: "audit row", settings: []string{auditOn}},
		{name: "rate limit", settings: []string{limitOn}},
		{name: "access log", settings: []string{logOn}},
		{name: "Idempotency-Key", keyed: true},
		{name: "metrics", settings: []string{metricsAddress + metrics}},
		{name: "traces, 5 % of them", settings: []string{tracesEndpoint + collector, tracesSample + "0.05"}},
		{name: "traces, all", settings: trace},
		{name: "as delivered: audit, limit, log", settings: defaults},
		{name: "all of them", keyed: true, settings: append(append(defaults, metricsAddress+metrics), trace...)},
	}
}

// bareSettings switch off all that pieces switch on.
func bareSettings() []string {
	return []string{auditOff, limitOff, logOff, metricsAddress, tracesEndpoint, tracesSample + "0"}
}

// pieceCost is what was measured with a piece, a value for each turn.
type pieceCost struct {
	name  string
	turns []measured
}

// pieceTurns is how many turns a round has: what others do on the machine hits one of many.
const pieceTurns = 3

// pieces measures creates by one client with each piece on in turns, always with a new process.
func (t *trial) pieces(ctx context.Context) ([]pieceCost, error) {
	if !t.options.asks(pieceSection) {
		return nil, nil
	}
	sink, err := newCollector(ctx)
	if err != nil {
		return nil, err
	}
	defer sink.close()
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	list := pieces(fmt.Sprintf("127.0.0.1:%d", port), sink.url)
	costs := make([]pieceCost, len(list))
	for i, p := range list {
		costs[i].name = p.name
	}
	for turn := range pieceTurns * t.options.rounds {
		if err := t.say("pieces, turn %d", turn+1); err != nil {
			return nil, err
		}
		for i := range list {
			at := (i + turn) % len(list)
			m, err := t.withPiece(ctx, list[at])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", list[at].name, err)
			}
			costs[at].turns = append(costs[at].turns, m)
		}
	}
	if sink.batches.Load() == 0 {
		return nil, errNoTraces
	}

	return costs, nil
}

// withPiece measures creates of a product with one piece on.
func (t *trial) withPiece(ctx context.Context, p extra) (m measured, err error) {
	err = t.serving(ctx, t.db.url(), func(run *process) error {
		creates := t.load(question{opCreate, 1}, warmUp)
		if p.keyed {
			creates.client = func(i int) func(*fasthttp.Request) { return keyed(t.asker.client(opCreate, i)) }
		}
		if _, err := creates.run(ctx); err != nil {
			return err
		}
		creates.duration = t.options.duration() / pieceTurns
		m, err = withCPU(ctx, run.cmd.Process.Pid, creates)

		return err
	}, append(bareSettings(), p.settings...)...)

	return m, err
}

// keyed gives each request an Idempotency-Key of its own.
func keyed(next func(*fasthttp.Request)) func(*fasthttp.Request) {
	prefix, n := time.Now().Format("bench-20060102T150405.000000000"), 0

	return func(r *fasthttp.Request) {
		next(r)
		n++
		r.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", prefix, n))
	}
}

// withCPU runs a load and says what a request cost the process that answered.
func withCPU(ctx context.Context, pid int, l load) (measured, error) {
	before := cpuTime(pid)
	m, err := l.run(ctx)
	if err != nil {
		return measured{}, err
	}
	m.cpu = (cpuTime(pid) - before) / time.Duration(m.count)

	return m, nil
}
