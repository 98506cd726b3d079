package main

import (
	"context"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"
)

// besidePeer is what was measured of the product and of the peer in turns; in the answers the peer
// stands as the ceiling.
type besidePeer struct {
	answers []answer
	// Both on a database with hardly a record, and the peer where it never ran.
	ours, theirs, fresh started
	loaded, peerLoaded  int64
}

// started is how long the starts of a program took, and what was resident a moment after the last.
type started struct {
	boot time.Duration
	idle int64
}

// beside measures the product beside the peer, nil if the peer is not run.
func (t *trial) beside(ctx context.Context) (*besidePeer, error) {
	if t.peer == nil {
		return nil, nil //nolint:nilnil // not measured
	}
	if err := t.say("beside %s", peerName); err != nil {
		return nil, err
	}
	b := &besidePeer{}
	if err := t.bootsBeside(ctx, b); err != nil {
		return nil, err
	}

	return b, t.serving(ctx, t.db.url(), func(ours *process) error {
		return t.peer.serving(ctx, peerFull, func(theirs *process) error {
			t.pid = ours.cmd.Process.Pid
			if err := t.askBeside(ctx, b, theirs.cmd.Process.Pid); err != nil {
				return err
			}
			_, b.loaded = memory(t.pid)
			_, b.peerLoaded = memory(theirs.cmd.Process.Pid)

			return nil
		})
	})
}

// bootsBeside starts both in turns, the peer also in a new folder, where it makes its tables first.
func (t *trial) bootsBeside(ctx context.Context, b *besidePeer) error {
	count := t.options.boots()
	times := map[*started][]time.Duration{}
	look := func(s *started) func(*process) error {
		return func(run *process) (err error) {
			times[s] = append(times[s], run.boot)
			if len(times[s]) == count {
				s.idle, err = t.settled(ctx, run)
			}

			return err
		}
	}
	for range count {
		if err := t.serving(ctx, t.db.emptyURL(), look(&b.ours)); err != nil {
			return err
		}
		if err := t.peer.serving(ctx, peerEmpty, look(&b.theirs)); err != nil {
			return err
		}
		if err := t.peer.serving(ctx, peerFresh, look(&b.fresh)); err != nil {
			return err
		}
	}
	for s, all := range times {
		s.boot = medianDuration(all)
	}

	return nil
}

// askBeside asks all questions in each round, in odd rounds the peer first.
func (t *trial) askBeside(ctx context.Context, b *besidePeer, peerPID int) error {
	for _, q := range peerQuestions() {
		for _, l := range []load{t.load(q, warmUp), t.peer.load(q, warmUp)} {
			if _, err := l.run(ctx); err != nil {
				return err
			}
		}
		b.answers = append(b.answers, answer{question: q, ceilings: []compared{{name: peerName}}})
	}
	for round := range t.options.rounds {
		for i := range b.answers {
			if err := t.turn(ctx, &b.answers[i], peerPID, round%2 == 1); err != nil {
				return err
			}
		}
	}

	return nil
}

// turn asks both once.
func (t *trial) turn(ctx context.Context, a *answer, peerPID int, peerFirst bool) error {
	ours, theirs := measured{}, measured{}
	steps := []func() (err error){
		func() (err error) {
			ours, err = withCPU(ctx, t.pid, t.load(a.question, t.options.duration()))

			return err
		},
		func() (err error) {
			theirs, err = withCPU(ctx, peerPID, t.peer.load(a.question, t.options.duration()))

			return err
		},
	}
	if peerFirst {
		steps[0], steps[1] = steps[1], steps[0]
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("%s beside the peer: %w", a.question.operation, err)
		}
	}
	a.ours = append(a.ours, ours)
	a.ceilings[0].rates = append(a.ceilings[0].rates, theirs.rate)
	a.ceilings[0].cpus = append(a.ceilings[0].cpus, float64(theirs.cpu))

	return t.say("%s, %s: %.0f/s, the peer %.0f/s", a.question.operation, plural(a.question.clients, "client"), ours.rate, theirs.rate)
}

func (p *peer) load(q question, d time.Duration) load {
	return load{
		address:  p.address,
		clients:  q.clients,
		duration: d,
		client:   func(i int) func(*fasthttp.Request) { return p.asker.client(q.operation, i) },
		check:    p.asker.check(q.operation),
	}
}
