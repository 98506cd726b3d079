package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// listenSection is live changes, as --only names it.
	listenSection = "listen"
	// toldRecords are how many records are made while somebody listens, one after the other.
	toldRecords = 100
)

// listened is what following the changes of a module took.
type listened struct {
	listeners int
	// half and most of the events were told within these times after the answer to their write, which comes
	// with the commit: the median and the 99th percentile, of all listeners.
	half, most time.Duration
	// before and with are resident memory without listeners and with all of them, in bytes.
	before, with int64
}

// listen measures how long it takes from a commit to who listens.
func (t *trial) listen(ctx context.Context) ([]listened, error) {
	if !t.options.asks(listenSection) {
		return nil, nil
	}
	url, err := t.db.fresh(ctx)
	if err != nil {
		return nil, err
	}
	company, err := t.product.company(ctx, url, "Listening")
	if err != nil {
		return nil, err
	}
	calls := api{base: "http://" + t.product.address, token: company.Token}
	var all []listened
	for _, listeners := range t.options.listeners() {
		err := t.product.serving(ctx, url, func(run *process) error {
			found, err := calls.listening(ctx, listeners, run)
			all = append(all, found)

			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%d listeners: %w", listeners, err)
		}
	}

	return all, nil
}

// listeners are how many listen at once.
func (o *options) listeners() []int {
	if o.quick {
		return []int{1, 20}
	}

	return []int{1, 100, 1_000}
}

// telling is who was told what, and when.
type telling struct {
	lock sync.Mutex
	at   map[string][]time.Time // by record
	all  chan struct{}          // closed when every listener was told of every record
	left int
}

func (t *telling) told(record string, at time.Time) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.at[record] = append(t.at[record], at)
	if t.left--; t.left == 0 {
		close(t.all)
	}
}

// listening follows a new module by several listeners while records are made.
func (a api) listening(ctx context.Context, listeners int, run *process) (found listened, err error) {
	found.listeners = listeners
	module, err := a.createModule(ctx, fmt.Sprintf("Heard by %d", listeners), []field{{Key: "name", Label: "Name", Type: "text"}})
	if err != nil {
		return found, err
	}
	found.before, _ = memory(run.cmd.Process.Pid)
	ctx, hangUp := context.WithTimeout(ctx, patience)
	group, listening := errgroup.WithContext(ctx)
	defer func() { // who hangs up is not told why
		hangUp()
		if heard := group.Wait(); err == nil && !errors.Is(heard, context.Canceled) {
			err = heard
		}
	}()
	ready := make(chan struct{}, listeners)
	t := &telling{at: map[string][]time.Time{}, all: make(chan struct{}), left: listeners * toldRecords}
	for range listeners {
		group.Go(func() error { return a.follow(listening, module, ready, t) })
	}
	for range listeners {
		if err := received(listening, ready); err != nil {
			return found, err
		}
	}
	found.with, _ = memory(run.cmd.Process.Pid)
	answered := map[string]time.Time{}
	for i := range toldRecords {
		record, err := a.createRecord(ctx, module, map[string]any{"name": strconv.Itoa(i)})
		if err != nil {
			return found, err
		}
		answered[record] = time.Now()
	}
	if err := received(listening, t.all); err != nil {
		return found, err
	}
	found.half, found.most = t.delays(answered)

	return found, nil
}

// received waits for a signal.
func received(ctx context.Context, signal <-chan struct{}) error {
	select {
	case <-signal:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// delays returns the median and the 99th percentile of the times until the listeners were told; one who was told
// before the writer had his answer waited for nothing.
func (t *telling) delays(answered map[string]time.Time) (half, most time.Duration) {
	var all []time.Duration
	for record, times := range t.at {
		for _, at := range times {
			all = append(all, max(0, at.Sub(answered[record])))
		}
	}
	slices.Sort(all)

	return percentile(all, 0.5), percentile(all, 0.99)
}

// follow listens to a module until the context ends.
func (a api) follow(ctx context.Context, module string, ready chan<- struct{}, t *telling) error {
	return a.stream(ctx, http.MethodGet, modulesPath+"/"+module+"/changes", nil, func(body io.Reader) error {
		event, scan := "", bufio.NewScanner(body)
		for scan.Scan() {
			name, isEvent := bytes.CutPrefix(scan.Bytes(), []byte("event: "))
			data, isData := bytes.CutPrefix(scan.Bytes(), []byte("data: "))
			switch {
			case isEvent:
				event = string(name)
			case isData && event == "ready":
				ready <- struct{}{}
			case isData && event == "created":
				at := time.Now()
				var change struct {
					Record string `json:"record_uuid"`
				}
				if err := json.Unmarshal(data, &change); err != nil {
					return err
				}
				t.told(change.Record, at)
			}
		}

		return scan.Err()
	})
}
