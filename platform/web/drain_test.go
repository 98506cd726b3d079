package web_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

func TestStop_DoesNotWaitForConnectionsThatWereNeverUsed(t *testing.T) {
	t.Parallel()
	s := build(t, func(s *web.Settings) { s.ShutdownGrace = time.Hour })
	require.NoError(t, s.Start(t.Context()))
	stored, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
	require.NoError(t, err)
	defer func() { require.NoError(t, stored.Close()) }()
	s.call(t, http.MethodGet, things, "").ok(t) // the server has seen the other by now
	ctx, cancel := context.WithTimeout(t.Context(), waiting)
	defer cancel()
	require.NoError(t, s.Stop(ctx))
	require.NoError(t, ctx.Err())
}

func TestStop_ServesOnForTheDrainDelayWhileItSaysThatItIsNotReady(t *testing.T) {
	t.Parallel()
	s := build(t, func(s *web.Settings) { s.DrainDelay = 300 * time.Millisecond })
	require.NoError(t, s.Start(t.Context()))
	require.False(t, s.call(t, http.MethodGet, things, "").ok(t).Close)

	began := time.Now() //nolint:forbidigo // how long the stop really takes
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(t.Context()) }()
	require.Eventually(t, func() bool {
		return s.call(t, http.MethodGet, "/readyz", "").StatusCode == http.StatusServiceUnavailable
	}, waiting, time.Millisecond)
	require.True(t, s.call(t, http.MethodGet, things, "").ok(t).Close, "the next request goes over another connection")

	require.NoError(t, <-stopped)
	require.GreaterOrEqual(t, time.Since(began), 300*time.Millisecond)
}
