package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// trial is the measuring of the product on one database.
type trial struct {
	options options
	db      store
	product product
	peer    *peer // nil if it is not run
	log     io.Writer

	asker asker
	made  []row // what one create writes
	pid   int   // of the product that is measured
}

// measurement is all that a trial found.
type measurement struct {
	database string
	facts    []fact
	writes   []string
	answers  []answer
	pieces   []pieceCost
	rows     []pieceCost // what an event adds to a transaction
	events   []delivered
	million  millionFound
	exchange []exchanged
	listen   []listened
	files    []filed
	inbound  []acknowledged
	sms      *texted // nil if it was not run
	boot     bootTimes
	memory   memoryUse
	peer     *besidePeer // nil if it was not run

	resources *besideHand // nil if it was not run
	regulator *regulated  // nil if it was not run
	offline   *offlineFound
	billing   *billed
	loads     *loadsFound

	dispatches *dispatchesFound
	papers     *papersFound
}

// answer is what was measured for a question, a value for each round.
type answer struct {
	question question
	ours     []measured
	ceilings []compared
}

// compared is a ceiling and its rates.
type compared struct {
	name  string
	rates []float64
	cpus  []float64 // of the peer alone, for one request
}

// bootTimes are the medians from start to ready.
type bootTimes struct{ empty, full time.Duration }

// memoryUse is resident memory of the product in bytes: idle on a database with hardly a record, idle
// with all, and at its highest under load.
type memoryUse struct{ empty, full, highest int64 }

func (t *trial) say(format string, args ...any) error {
	_, err := fmt.Fprintf(t.log, t.db.name()+": "+format+"\n", args...)

	return err
}

// run prepares the database, times the start, and asks all questions in rounds.
func (t *trial) run(ctx context.Context) (measurement, error) {
	m := measurement{database: t.db.name()}
	var err error
	if !slices.Contains([]string{millionSection, exchangeSection, listenSection, filesSection, inboundSection, smsSection, resourceSection, regulatorSection, offlineSection, billingSection, loadsSection, dispatchesSection, papersSection}, t.options.only) {
		if err = t.hundredThousand(ctx, &m); err != nil {
			return measurement{}, err
		}
	}
	if m.million, err = t.million(ctx); err != nil {
		return measurement{}, err
	}
	if m.exchange, err = t.exchange(ctx); err != nil {
		return measurement{}, err
	}
	if m.listen, err = t.listen(ctx); err != nil {
		return measurement{}, err
	}
	if m.files, err = t.files(ctx); err != nil {
		return measurement{}, err
	}
	if m.inbound, err = t.inbound(ctx); err != nil {
		return measurement{}, err
	}
	if m.sms, err = t.sms(ctx); err != nil {
		return measurement{}, err
	}
	if m.resources, err = t.resources(ctx); err != nil {
		return measurement{}, err
	}
	if m.regulator, err = t.regulator(ctx); err != nil {
		return measurement{}, err
	}
	if m.offline, err = t.offline(ctx); err != nil {
		return measurement{}, err
	}
	if m.billing, err = t.billing(ctx); err != nil {
		return measurement{}, err
	}
	if m.loads, err = t.loads(ctx); err != nil {
		return measurement{}, err
	}
	if m.dispatches, err = t.dispatches(ctx); err != nil {
		return measurement{}, err
	}
	if m.papers, err = t.papers(ctx); err != nil {
		return measurement{}, err
	}
	if m.writes == nil {
		m.writes = m.million.writes
	}
	m.facts, err = t.db.facts(ctx)

	return m, err
}

// hundredThousand measures what is measured beside that many records of one module.
func (t *trial) hundredThousand(ctx context.Context, m *measurement) (err error) {
	if err := t.prepare(ctx); err != nil {
		return err
	}
	m.writes = tablesOf(t.made)
	if m.boot, err = t.boots(ctx); err != nil {
		return err
	}
	if m.memory.empty, err = t.idle(ctx); err != nil {
		return err
	}
	err = t.serving(ctx, t.db.url(), func(run *process) error {
		if m.memory.full, err = t.settled(ctx, run); err != nil {
			return err
		}
		t.pid = run.cmd.Process.Pid
		if m.answers, err = t.rounds(ctx); err != nil {
			return err
		}
		_, m.memory.highest = memory(t.pid)

		return nil
	})
	if err != nil {
		return err
	}
	if m.peer, err = t.beside(ctx); err != nil {
		return err
	}
	if m.pieces, err = t.pieces(ctx); err != nil {
		return err
	}
	m.rows, m.events, err = t.events(ctx)

	return err
}

// serving runs the product on a database during work.
func (t *trial) serving(ctx context.Context, url string, work func(*process) error, settings ...string) error {
	return t.product.serving(ctx, url, work, settings...)
}

func (p product) serving(ctx context.Context, url string, work func(*process) error, settings ...string) error {
	run, err := p.start(ctx, url, settings...)
	if err != nil {
		return err
	}
	if err := work(run); err != nil {
		return errors.Join(err, run.stop(), errors.New("end of the log:\n"+tail(run.log)))
	}

	return run.stop()
}

// prepare makes a company with a module, finds what a create writes, and fills the tables.
func (t *trial) prepare(ctx context.Context) error {
	company, err := t.product.company(ctx, t.db.url(), "Bench")
	if err != nil {
		return err
	}
	t.asker = asker{base: "http://" + t.product.address, token: company.Token, records: t.options.records}
	var s sample
	if err := t.serving(ctx, t.db.url(), func(*process) error {
		if err := t.define(ctx); err != nil {
			return err
		}
		s, t.made, err = written(ctx, t.db, func() (sample, error) { return t.first(ctx) })

		return err
	}); err != nil {
		return err
	}
	if err := t.db.keepEmpty(ctx); err != nil {
		return err
	}
	if err := t.say("adding %d records", t.options.records); err != nil {
		return err
	}

	return t.db.fill(ctx, s, t.made, t.options.records)
}

func (t *trial) calls() api { return api{base: t.asker.base, token: t.asker.token} }

// define makes the modules and the customer that records refer to.
func (t *trial) define(ctx context.Context) error {
	calls := t.calls()
	customers, err := calls.createModule(ctx, "Bench customers", []field{
		{Key: "name", Label: "Name", Type: "text", Required: true},
	})
	if err != nil {
		return err
	}
	if t.asker.customer, err = calls.createRecord(ctx, customers, map[string]any{"name": "Bench"}); err != nil {
		return err
	}
	t.asker.module, err = calls.createModule(ctx, "Bench vehicles", vehicleFields(customers))

	return err
}

// first creates the record that the ceilings copy.
func (t *trial) first(ctx context.Context) (sample, error) {
	body := newRecordBody(t.asker.module, t.asker.customer)
	n := t.asker.created.Add(1)
	body.put(n)
	var vin [vinLength]byte
	var price [8]byte
	putVIN(vin[:], n)
	putPrice(price[:], n)
	var answer created
	calls := t.calls()
	calls.request = "bench-first-create"
	err := calls.call(ctx, http.MethodPost, recordsPath, body.bytes, &answer)

	return sample{id: answer.UUID, request: calls.request, module: t.asker.module, vin: string(vin[:]), price: string(price[:])}, err
}

// boots starts the product in turns on the empty and the full database.
func (t *trial) boots(ctx context.Context) (bootTimes, error) {
	var empty, full []time.Duration
	for range t.options.boots() {
		if err := t.boot(ctx, t.db.emptyURL(), &empty); err != nil {
			return bootTimes{}, err
		}
		if err := t.boot(ctx, t.db.url(), &full); err != nil {
			return bootTimes{}, err
		}
	}

	return bootTimes{empty: medianDuration(empty), full: medianDuration(full)}, nil
}

// boot starts the product once and adds how long it took.
func (t *trial) boot(ctx context.Context, url string, times *[]time.Duration) error {
	return t.serving(ctx, url, func(run *process) error {
		*times = append(*times, run.boot)

		return nil
	})
}

// idle is the memory of the product on the empty database.
func (t *trial) idle(ctx context.Context) (now int64, err error) {
	err = t.serving(ctx, t.db.emptyURL(), func(run *process) error {
		now, err = t.settled(ctx, run)

		return err
	})

	return now, err
}

// settled returns the memory of a process that has been idle for a moment.
func (t *trial) settled(ctx context.Context, run *process) (now int64, err error) {
	select {
	case <-time.After(min(2*time.Second, t.options.duration())):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	now, _ = memory(run.cmd.Process.Pid)

	return now, nil
}
