package main

import (
	"context"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"
)

// warmUp is how long a question is asked, uncounted, before the first round: caches fill and
// statements are prepared.
const warmUp = 300 * time.Millisecond

// rounds asks all questions in each round, of the product and of its ceilings in turns, and checks
// in the end that every acknowledged record is there.
func (t *trial) rounds(ctx context.Context) ([]answer, error) {
	var err error
	if t.asker.cursor, err = t.calls().cursorAt(ctx, t.asker.module, t.options.depth()); err != nil {
		return nil, err
	}
	before, err := t.db.counts(ctx)
	if err != nil {
		return nil, err
	}
	answers, acknowledged, err := t.ask(ctx)
	if err != nil {
		return nil, err
	}
	after, err := t.db.counts(ctx)
	if err != nil {
		return nil, err
	}
	for _, table := range tablesOf(t.made) {
		if grown := after[table] - before[table]; grown < acknowledged {
			return nil, fmt.Errorf("%d creates were acknowledged, but table %s has only %d more rows", acknowledged, table, grown)
		}
	}

	return answers, nil
}

// ask returns the answers, and how many creates were acknowledged.
func (t *trial) ask(ctx context.Context) (answers []answer, acknowledged int, err error) {
	for _, q := range t.options.questions() {
		warm, err := t.load(q, warmUp).run(ctx)
		if err != nil {
			return nil, 0, err
		}
		acknowledged += q.creates(warm)
		one := answer{question: q}
		for _, c := range t.db.ceilings(q) {
			one.ceilings = append(one.ceilings, compared{name: c.name})
		}
		answers = append(answers, one)
	}
	for round := range t.options.rounds {
		for i := range answers {
			if err := t.measure(ctx, round, &answers[i]); err != nil {
				return nil, 0, err
			}
			last := answers[i].ours[round]
			acknowledged += answers[i].question.creates(last)
			if err := t.say("round %d: %s, %s: %.0f/s, p50 %s, p99 %s", round+1, answers[i].question.operation,
				plural(answers[i].question.clients, "client"), last.rate, last.p50, last.p99); err != nil {
				return nil, 0, err
			}
		}
	}

	return answers, acknowledged, nil
}

// creates is how many records a measurement has created.
func (q question) creates(m measured) int {
	if q.operation == opCreate {
		return m.count
	}

	return 0
}

// measure measures the product and the ceilings once, in odd rounds the ceilings first.
func (t *trial) measure(ctx context.Context, round int, a *answer) error {
	ours := func() error {
		m, err := withCPU(ctx, t.pid, t.load(a.question, t.options.duration()))
		if err != nil {
			return err
		}
		a.ours = append(a.ours, m)

		return nil
	}
	ceilings := func() error {
		for i, c := range t.db.ceilings(a.question) {
			rate, err := c.measure(ctx, t.options.duration())
			if err != nil {
				return fmt.Errorf("%s of %s: %w", c.name, a.question.operation, err)
			}
			a.ceilings[i].rates = append(a.ceilings[i].rates, rate)
		}

		return nil
	}

	return inTurns(round, ours, ceilings)
}

// inTurns does both, in odd rounds the second first.
func inTurns(round int, first, second func() error) error {
	if round%2 == 1 {
		first, second = second, first
	}
	if err := first(); err != nil {
		return err
	}

	return second()
}

func (t *trial) load(q question, d time.Duration) load {
	return load{
		address:  t.product.address,
		clients:  q.clients,
		duration: d,
		client:   func(i int) func(*fasthttp.Request) { return t.asker.client(q.operation, i) },
		check:    t.asker.check(q.operation),
	}
}
