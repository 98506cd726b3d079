package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// millionStore is a store that many companies have records in.
type millionStore interface {
	store
	// populate adds the records of all plots, made after the one that each has, and copies the tables that
	// ceilings write to.
	populate(ctx context.Context, s *scene) error
	// bare is the work of an errand without the product.
	bare(s *scene, e errand) ceiling
}

// millionFound is what was measured with a million records.
type millionFound struct {
	sizes  sizes
	filled time.Duration
	writes []string // the tables of the rows that a create writes
	found  []errandFound
}

// errandFound is what was measured for an errand. The ceiling is the only one.
type errandFound struct {
	errand
	answer
}

// millionTrial is the measuring with a million records.
type millionTrial struct {
	*trial

	db      millionStore
	product product
	scene   *scene
	asker   *millionAsker
	pid     int
	// acknowledged counts what was written, by task.
	acknowledged map[task]int
}

// million measures beside a million records of a thousand modules, in a database of its own.
func (t *trial) million(ctx context.Context) (found millionFound, err error) {
	if !t.options.asks(millionSection) {
		return millionFound{}, nil
	}
	db, err := t.db.beside(ctx)
	if err != nil {
		return millionFound{}, err
	}
	defer func() { err = errors.Join(err, db.close(context.WithoutCancel(ctx))) }()
	m := &millionTrial{trial: t, db: db, product: t.product, scene: &scene{sizes: sizesOf(t.options.million)}, acknowledged: map[task]int{}}
	m.product.dir = filepath.Join(t.product.dir, millionSection)
	if err := os.MkdirAll(m.product.dir, 0o700); err != nil {
		return millionFound{}, err
	}
	found.sizes = m.scene.sizes
	if found.filled, err = m.prepare(ctx); err != nil {
		return millionFound{}, err
	}
	found.writes = tablesOf(m.scene.rows)
	err = m.product.serving(ctx, db.url(), func(run *process) error {
		m.pid = run.cmd.Process.Pid
		if found.found, err = m.measureAll(ctx); err != nil {
			return err
		}

		return m.checkWritten(ctx)
	})

	return found, err
}

// prepare builds and fills the database, and verifies the small tenant.
func (m *millionTrial) prepare(ctx context.Context) (time.Duration, error) {
	begin := time.Now()
	if err := m.build(ctx); err != nil {
		return 0, err
	}
	if err := m.say("million: adding %d records of one module, and %d of each of %d", m.scene.sizes.large, m.scene.sizes.small, m.scene.sizes.modules); err != nil {
		return 0, err
	}
	if err := m.db.populate(ctx, m.scene); err != nil {
		return 0, err
	}
	filled := time.Since(begin)
	verdict, err := output(m.product.command(ctx, m.db.url(), "custom-modules", "verify", "--company", m.asker.small.company))
	if err != nil {
		return 0, err
	}

	return filled, m.say("million: filled in %s; the small tenant: %s", filled.Round(time.Second), strings.TrimSpace(verdict))
}

// measureAll measures all errands in rounds, the product and the ceiling in turns.
func (m *millionTrial) measureAll(ctx context.Context) ([]errandFound, error) {
	if err := m.learnPatch(ctx); err != nil {
		return nil, err
	}
	var err error
	calls := api{base: m.asker.base, token: m.asker.large.token}
	if m.asker.cursor, err = calls.cursorAt(ctx, m.asker.large.module, m.scene.sizes.depth()); err != nil {
		return nil, err
	}
	var all []errandFound
	for _, e := range errands() {
		if _, err := m.ask(ctx, e, warmUp); err != nil {
			return nil, err
		}
		all = append(all, errandFound{errand: e, answer: answer{ceilings: []compared{{name: m.db.bare(m.scene, e).name}}}})
	}
	for round := range m.options.rounds {
		for i := range all {
			if err := m.compare(ctx, round, &all[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", all[i].name(), err)
			}
		}
	}

	return all, nil
}

// compare measures an errand and its ceiling once.
func (m *millionTrial) compare(ctx context.Context, round int, f *errandFound) error {
	bare := m.db.bare(m.scene, f.errand)
	err := inTurns(round, func() error {
		ours, err := m.ask(ctx, f.errand, m.options.duration())
		f.ours = append(f.ours, ours)

		return err
	}, func() error {
		rate, err := bare.measure(ctx, m.options.duration())
		f.ceilings[0].rates = append(f.ceilings[0].rates, rate)

		return err
	})
	if err != nil {
		return err
	}
	ours := f.ours[round]

	return m.say("million, round %d: %s: %.0f/s, p50 %s; %s %.0f/s", round+1, f.name(), ours.rate, ours.p50, bare.name, f.ceilings[0].rates[round])
}

// ask sends an errand's requests for a while. The rate and the processor's time are of records.
func (m *millionTrial) ask(ctx context.Context, e errand, d time.Duration) (measured, error) {
	found, err := withCPU(ctx, m.pid, load{
		address: m.product.address, clients: e.clients, duration: d, check: e.check(),
		client: func(i int) func(*fasthttp.Request) { return m.asker.client(e, i) },
	})
	m.acknowledged[e.task] += found.count * e.each()
	found.rate *= float64(e.each())
	found.cpu /= time.Duration(e.each())

	return found, err
}

// checkWritten makes sure that all that was acknowledged is there.
func (m *millionTrial) checkWritten(ctx context.Context) error {
	var usage struct {
		Records struct {
			Used int `json:"used"`
		} `json:"records"`
	}
	calls := api{base: m.asker.base, token: m.asker.large.token}
	if err := calls.call(ctx, http.MethodGet, usagePath, nil, &usage); err != nil {
		return err
	}
	counts, err := m.db.counts(ctx)
	if err != nil {
		return err
	}
	for what, have := range map[task]int{
		taskCreate: usage.Records.Used - m.scene.sizes.large - m.acknowledged[taskBulk],
		taskPatch:  counts[historyTable],
	} {
		if have < m.acknowledged[what] {
			return fmt.Errorf("%d times %s was acknowledged, and %d are there", m.acknowledged[what], what, have)
		}
	}

	return nil
}
