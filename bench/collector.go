package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

var errNoTraces = errors.New("the product sent no traces: what was measured with them means nothing")

// collector takes traces by OTLP over HTTP and forgets them.
type collector struct {
	url     string
	server  *http.Server
	batches atomic.Int64
}

func newCollector(ctx context.Context) (*collector, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &collector{url: "http://" + listener.Addr().String()}
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: requestTimeout}
	go func() { _ = c.server.Serve(listener) }() //nolint:errcheck // ends with close; a collector that is away shows in batches

	return c, nil
}

// ServeHTTP implements http.Handler.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	c.batches.Add(1)
	w.Header().Set("Content-Type", "application/x-protobuf")
	w.WriteHeader(http.StatusOK)
}

func (c *collector) close() { _ = c.server.Close() } //nolint:errcheck // nothing of it is kept
