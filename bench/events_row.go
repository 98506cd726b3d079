package main

import (
	"context"
	"os"
	"time"

	"github.com/dispatchd/dispatchd/platform/principal"
)

// silent is a transaction that publishes nothing.
const silent = -1

// eventRows measures transactions that insert a row, one after the other: without an event, with
// one that nobody listens to, with one that some listen to. No jobs run.
func (t *trial) eventRows(ctx context.Context, s *eventService) ([]pieceCost, error) {
	if _, err := s.DB.SQL().ExecContext(ctx, "CREATE TABLE bench_things (id bigint PRIMARY KEY, text text NOT NULL)"); err != nil {
		return nil, err
	}
	costs := []pieceCost{
		{name: "a transaction that inserts a row"},
		{name: "and an event, nobody listens"},
		{name: "and an event, one listens"},
		{name: "and an event, five listen"},
	}
	next := 0
	for turn := range pieceTurns * t.options.rounds {
		for i := range costs {
			at := (i + turn) % len(costs)
			m, err := s.inserts(ctx, []int{silent, 0, 1, 5}[at], &next, t.options.duration()/pieceTurns)
			if err != nil {
				return nil, err
			}
			costs[at].turns = append(costs[at].turns, m)
		}
	}

	return costs, nil
}

// inserts does such transactions for a while. The processor time is that of this process.
func (s *eventService) inserts(ctx context.Context, listeners int, next *int, d time.Duration) (measured, error) {
	ctx = principal.With(ctx, s.company)
	var times []time.Duration
	before, begin := cpuTime(os.Getpid()), time.Now()
	for last := begin; last.Sub(begin) < d; {
		*next++
		err := s.DB.InTx(ctx, func(ctx context.Context) error {
			err := s.DB.Raw(ctx, "a table of the benchmark").
				Exec("INSERT INTO bench_things (id, text) VALUES (?, ?)", *next, recordTemplate).Error
			if err != nil || listeners == silent {
				return err
			}

			return s.bus.Publish(ctx, told(listeners))
		})
		if err != nil {
			return measured{}, err
		}
		now := time.Now()
		times = append(times, now.Sub(last))
		last = now
	}
	used := cpuTime(os.Getpid()) - before
	m, err := summarise(times, time.Since(begin))
	m.cpu = used / time.Duration(len(times))

	return m, err
}
