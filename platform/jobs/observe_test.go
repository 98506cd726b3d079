package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// watched is a queue, not yet open, whose metrics are read.
type watched struct {
	*jobs.Queue

	db      *database.DB
	metrics *prometheus.Registry
	clock   *clock.Fake
}

func newWatched(t *testing.T, url string, work func(context.Context, hello) error) *watched {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	settings := database.Defaults()
	settings.URL = config.Secret(url)
	db, err := database.New(settings, "", log)
	require.NoError(t, err)
	require.NoError(t, db.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })
	w := &watched{db: db, metrics: prometheus.NewPedanticRegistry(), clock: clock.NewFake(clock.System{}.Now())}
	w.Queue = jobs.New(quick(), db, w.clock, log)
	require.NoError(t, jobs.Add(w.Queue, "test", work))

	return w
}

func (w *watched) enqueue(t *testing.T, ctx context.Context, options ...jobs.Option) {
	t.Helper()
	require.NoError(t, w.db.InTx(ctx, func(ctx context.Context) error { return w.Enqueue(ctx, hello{To: "you"}, options...) }))
}

// value returns the value of the metric with that name and these labels, as in "kind=test.hello".
func (w *watched) value(t *testing.T, name string, labels ...string) (value float64, found bool) {
	t.Helper()
	families, err := w.metrics.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			var has []string
			for _, label := range metric.GetLabel() {
				has = append(has, label.GetName()+"="+label.GetValue())
			}
			if family.GetName() == "dispatchd_"+name && strings.Join(has, " ") == strings.Join(labels, " ") {
				return metric.GetGauge().GetValue() + metric.GetCounter().GetValue(), true
			}
		}
	}

	return 0, false
}

func TestObserve_TellsWhatWaitsAndForHowLong(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		w := newWatched(t, url, func(context.Context, hello) error { return nil })
		require.NoError(t, w.Observe(telemetry.Observer{Metrics: w.metrics}))
		_, found := w.value(t, "queue_oldest_seconds", "kind=test.hello")
		require.False(t, found, "the tables are not there")
		failures, _ := w.value(t, "queue_read_failures_total")
		require.Positive(t, failures)
		require.NoError(t, jobs.MigrateUp(t.Context(), w.db, slog.New(slog.DiscardHandler)))
		require.NoError(t, w.Open(t.Context()))
		w.clock.Advance(time.Minute)
		oldest, found := w.value(t, "queue_oldest_seconds", "kind=test.hello")
		require.True(t, found)
		require.Zero(t, oldest)

		now := clock.System{}.Now()
		w.enqueue(t, t.Context(), jobs.At(now.Add(-time.Hour)))
		w.enqueue(t, t.Context(), jobs.At(now.Add(time.Hour)))
		oldest, _ = w.value(t, "queue_oldest_seconds", "kind=test.hello")
		require.Zero(t, oldest, "what was read is told for some seconds")
		w.clock.Advance(time.Minute)
		oldest, _ = w.value(t, "queue_oldest_seconds", "kind=test.hello")
		require.InDelta(t, 3600, oldest, 60)
		waiting := 0.0
		for _, state := range []string{"available", "scheduled"} {
			n, _ := w.value(t, "queue_jobs", "kind=test.hello", "state="+state)
			waiting += n
		}
		require.InDelta(t, 2, waiting, 0)
		lag, found := w.value(t, "event_lag_seconds")
		require.True(t, found)
		require.Zero(t, lag, "these are no events")
	})
}

func TestObserve_CountsAttemptsByTheirOutcome(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		outcomes := make(chan error, 4)
		outcomes <- errors.New("boom")
		outcomes <- jobs.Later(time.Millisecond)
		outcomes <- jobs.Permanent(errors.New("boom"))
		outcomes <- nil
		w := newWatched(t, url, func(context.Context, hello) error { return <-outcomes })
		require.NoError(t, w.Observe(telemetry.Observer{Metrics: w.metrics}))
		require.NoError(t, jobs.MigrateUp(t.Context(), w.db, slog.New(slog.DiscardHandler)))
		require.NoError(t, w.Open(t.Context()))
		w.enqueue(t, t.Context())
		require.NoError(t, w.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, w.Stop(context.WithoutCancel(t.Context()))) })
		counted := func(wants ...string) func() bool {
			return func() bool {
				for _, want := range wants {
					if n, _ := w.value(t, "jobs_worked_total", "kind=test.hello", "outcome="+want); n != 1 {
						return false
					}
				}

				return true
			}
		}
		require.Eventually(t, counted("failed", "later", "given_up"), patience, 10*time.Millisecond)
		w.enqueue(t, t.Context())
		require.Eventually(t, counted("done"), patience, 10*time.Millisecond)
		count, err := testutil.GatherAndCount(w.metrics, "dispatchd_job_seconds")
		require.NoError(t, err)
		require.Equal(t, 1, count, "one kind")
	})
}

func TestObserve_ContinuesTheTraceOfWhoEnqueued(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		seen := make(chan trace.SpanContext, 2)
		w := newWatched(t, url, func(ctx context.Context, _ hello) error {
			seen <- trace.SpanContextFromContext(ctx)

			return nil
		})
		spans := tracetest.NewSpanRecorder()
		tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
		require.NoError(t, w.Observe(telemetry.Observer{Tracer: tracer}))
		require.NoError(t, jobs.MigrateUp(t.Context(), w.db, slog.New(slog.DiscardHandler)))
		require.NoError(t, w.Open(t.Context()))
		ctx, root := tracer.Start(t.Context(), "root")
		w.enqueue(t, ctx)
		w.enqueue(t, ctx, jobs.Unique())
		root.End()
		require.NoError(t, w.Start(t.Context()))
		for range 2 {
			require.Equal(t, root.SpanContext().TraceID(), (<-seen).TraceID())
		}
		require.NoError(t, w.Stop(context.WithoutCancel(t.Context())))
		count := map[string]int{}
		for _, span := range spans.Ended() {
			count[span.Name()]++
		}
		require.Equal(t, map[string]int{"root": 1, "enqueue": 2, "test.hello": 2}, count)
	})
}
