package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// publishers is how many transactions publish, or insert, at once.
	publishers = 8
	// patience bounds the wait for the last delivery.
	patience = 3 * time.Minute
)

// deliverer is what brings something from a transaction to those who wait for it.
type deliverer interface {
	// start begins to deliver, stop ends it.
	start(ctx context.Context) error
	stop(ctx context.Context) error
	// publish tells, in one transaction, a number of listeners.
	publish(ctx context.Context, listeners int) error
	// arrived counts the deliveries since ever.
	arrived() int64
}

// delivered is how many deliveries came in a second, of the product and of its ceiling.
type delivered struct {
	listeners     int
	backlog       bool // all was published before deliveries began
	ours, ceiling []float64
}

// events measures, with a service in this process, what events add to a transaction and how fast
// they are delivered.
func (t *trial) events(ctx context.Context) (rows []pieceCost, rates []delivered, err error) {
	if !t.options.asks(eventSection) {
		return nil, nil, nil
	}
	url, err := t.db.fresh(ctx)
	if err != nil {
		return nil, nil, err
	}
	s, err := newEventService(ctx, url, filepath.Join(t.product.dir, "events"))
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, s.Stop(context.WithoutCancel(ctx))) }()
	ceiling, err := t.db.river(s)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, ceiling.close()) }()
	if rates, err = t.deliveries(ctx, s, ceiling); err != nil {
		return nil, nil, err
	}
	rows, err = t.eventRows(ctx, s)

	return rows, rates, err
}

// deliveries compares both in turns.
func (t *trial) deliveries(ctx context.Context, s *eventService, ceiling deliverer) ([]delivered, error) {
	list := []delivered{{listeners: 1}, {listeners: 5}, {listeners: 1, backlog: true}, {listeners: 5, backlog: true}}
	for turn := range pieceTurns * t.options.rounds {
		for i := range list {
			d := &list[i]
			if err := t.deliver(ctx, s, turn%2 == 1, ceiling, d); err != nil {
				return nil, err
			}
			if err := t.say("events, turn %d, %s: %.0f/s, River %.0f/s", turn+1, d.name(), d.ours[turn], d.ceiling[turn]); err != nil {
				return nil, err
			}
		}
	}

	return list, nil
}

// deliver measures both once, the ceiling first if it is told so.
func (t *trial) deliver(ctx context.Context, s deliverer, turned bool, ceiling deliverer, d *delivered) error {
	steps := []struct {
		what  deliverer
		rates *[]float64
	}{{s, &d.ours}, {ceiling, &d.ceiling}}
	if turned {
		steps[0], steps[1] = steps[1], steps[0]
	}
	for _, step := range steps {
		rate, err := deliveryRate(ctx, step.what, *d, t.options.duration()/pieceTurns)
		if err != nil {
			return fmt.Errorf("%s by %T: %w", d.name(), step.what, err)
		}
		*step.rates = append(*step.rates, rate)
	}

	return nil
}

// deliveryRate publishes for a while and waits for the last delivery. Of a backlog, the time is that
// of the deliveries alone.
func deliveryRate(ctx context.Context, what deliverer, d delivered, duration time.Duration) (rate float64, err error) {
	before := what.arrived()
	start := func() error { return what.start(ctx) }
	if !d.backlog {
		if err := start(); err != nil {
			return 0, err
		}
	}
	begin := time.Now()
	published, err := publishFor(ctx, what, d.listeners, duration)
	if err != nil {
		return 0, err
	}
	if d.backlog {
		begin = time.Now()
		if err := start(); err != nil {
			return 0, err
		}
	}
	want := published * int64(d.listeners)
	for what.arrived()-before < want {
		if time.Since(begin) > patience || ctx.Err() != nil {
			return 0, errors.Join(fmt.Errorf("%d of %d deliveries came", what.arrived()-before, want), ctx.Err(), what.stop(ctx))
		}
		time.Sleep(200 * time.Microsecond)
	}
	elapsed := time.Since(begin)

	return float64(want) / elapsed.Seconds(), what.stop(ctx)
}

// publishFor has all publishers publish until the time is over, and says how many events they did.
func publishFor(ctx context.Context, what deliverer, listeners int, d time.Duration) (int64, error) {
	var published atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	begin := time.Now()
	for range publishers {
		group.Go(func() error {
			for time.Since(begin) < d {
				if err := what.publish(ctx, listeners); err != nil {
					return err
				}
				published.Add(1)
			}

			return nil
		})
	}
	err := group.Wait()

	return published.Load(), err
}

func (s *eventService) start(ctx context.Context) error { return s.queue.Start(ctx) }
func (s *eventService) stop(ctx context.Context) error  { return s.queue.Stop(ctx) }
func (s *eventService) arrived() int64                  { return s.crowd.heard.Load() }

func (s *eventService) publish(ctx context.Context, listeners int) error {
	return s.DB.InTx(principal.With(ctx, s.company), func(ctx context.Context) error {
		return s.bus.Publish(ctx, told(listeners))
	})
}
