package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"
)

// requestTimeout ends a run whose server hangs.
const requestTimeout = 30 * time.Second

// load is requests sent by some clients at once, each over one connection that is kept alive and
// with the next request only after the answer to the last.
type load struct {
	address  string
	clients  int
	duration time.Duration
	// client returns what makes one client's requests; each is called by one goroutine.
	client func(i int) func(*fasthttp.Request)
	// check looks at the first answer of each client.
	check func(body []byte) error
}

// measured is what a load found.
type measured struct {
	count    int
	rate     float64 // requests per second
	p50, p99 time.Duration
	cpu      time.Duration // of the processors, used by the product for one request
}

// run sends requests until the time is over. Any answer but 200 is an error: what fails is not
// counted as fast.
func (l load) run(ctx context.Context) (measured, error) {
	times := make([][]time.Duration, l.clients)
	group, ctx := errgroup.WithContext(ctx)
	begin := time.Now()
	for i := range l.clients {
		group.Go(func() (err error) {
			times[i], err = l.work(ctx, i, begin.Add(l.duration))

			return err
		})
	}
	if err := group.Wait(); err != nil {
		return measured{}, err
	}

	return summarise(slices.Concat(times...), time.Since(begin))
}

func summarise(all []time.Duration, elapsed time.Duration) (measured, error) {
	if len(all) == 0 {
		return measured{}, errors.New("not one request was answered in time")
	}
	slices.Sort(all)

	return measured{
		count: len(all),
		rate:  float64(len(all)) / elapsed.Seconds(),
		p50:   percentile(all, 0.50),
		p99:   percentile(all, 0.99),
	}, nil
}

// work is the life of one client; it returns how long each request took.
func (l load) work(ctx context.Context, i int, end time.Time) ([]time.Duration, error) {
	client := newClient(ctx, l.address)
	defer client.CloseIdleConnections()
	next, request, response := l.client(i), fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)

	times := make([]time.Duration, 0, 1<<14)
	for last := time.Now(); last.Before(end) && ctx.Err() == nil; {
		next(request)
		if err := client.Do(request, response); err != nil {
			return nil, fmt.Errorf("%s %s: %w", request.Header.Method(), request.URI(), err)
		}
		now := time.Now()
		times = append(times, now.Sub(last))
		last = now
		if err := l.inspect(request, response, len(times) == 1); err != nil {
			return nil, err
		}
	}

	return times, ctx.Err()
}

func (l load) inspect(request *fasthttp.Request, response *fasthttp.Response, first bool) error {
	if response.StatusCode() != fasthttp.StatusOK {
		return fmt.Errorf("%s %s: %d %.500s", request.Header.Method(), request.URI(), response.StatusCode(), response.Body())
	}
	if !first || l.check == nil {
		return nil
	}
	if err := l.check(response.Body()); err != nil {
		return fmt.Errorf("%s %s: %w", request.Header.Method(), request.URI(), err)
	}

	return nil
}

// newClient returns a client with one connection that asks once: a request that is sent again would
// be counted once and written twice.
func newClient(ctx context.Context, address string) *fasthttp.HostClient {
	dialer := net.Dialer{Timeout: requestTimeout}

	return &fasthttp.HostClient{
		Addr:                          address,
		MaxConns:                      1,
		MaxIdemponentCallAttempts:     1,
		ReadTimeout:                   requestTimeout,
		WriteTimeout:                  requestTimeout,
		DisablePathNormalizing:        true,
		NoDefaultUserAgentHeader:      true,
		DisableHeaderNamesNormalizing: true,
		Dial: func(address string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", address)
		},
	}
}
