package database_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// watchedDB is a database with a table of notes, whose spans and metrics are kept.
type watchedDB struct {
	*database.DB

	tracer  trace.Tracer
	spans   *tracetest.SpanRecorder
	metrics *prometheus.Registry
}

func newWatched(t testing.TB, url string) watchedDB {
	t.Helper()
	w := watchedDB{spans: tracetest.NewSpanRecorder(), metrics: prometheus.NewPedanticRegistry()}
	w.tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(w.spans)).Tracer("test")
	w.DB = startObserved(t, url, telemetry.Observer{Tracer: w.tracer, Metrics: w.metrics})

	return w
}

func startObserved(t testing.TB, url string, o telemetry.Observer) *database.DB {
	t.Helper()
	settings := database.Defaults()
	settings.URL = config.Secret(url)
	db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, db.Observe(o))
	require.NoError(t, db.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })
	_, err = db.SQL().ExecContext(t.Context(), "CREATE TABLE notes (id integer, name text NOT NULL UNIQUE)")
	require.NoError(t, err)

	return db
}

func (w watchedDB) insert(ctx context.Context, name string) error {
	return w.Raw(ctx, "test").Exec("INSERT INTO notes (id, name) VALUES (1, ?)", name).Error
}

// finishedSpans lists the finished spans: the name, or the text of the statement.
func (w watchedDB) finishedSpans() []string {
	var all []string
	for _, span := range w.spans.Ended() {
		said := span.Name()
		for _, a := range span.Attributes() {
			if a.Key == "db.query.text" {
				said = a.Value.AsString()
			}
		}
		all = append(all, said)
	}

	return all
}

func TestObserve_TellsStatementsWithoutTheirValues(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		w := newWatched(t, url)
		ctx, root := w.tracer.Start(t.Context(), "root")
		require.NoError(t, w.InTx(ctx, func(ctx context.Context) error {
			if err := w.insert(ctx, "a value"); err != nil {
				return err
			}

			return w.Pipeline(ctx, "test", "INSERT INTO notes (id, name) VALUES (2, ?)", []any{"another value"}, nil)
		}))
		var names []string
		require.NoError(t, w.Raw(ctx, "test").Raw("\n\tSELECT\nname FROM notes WHERE name = ?", "a value").Scan(&names).Error)
		root.End()

		mark, piped := "+?", "?"
		if w.Dialect() == database.Postgres {
			mark, piped = "$1", "$1"
		}
		require.Equal(t, []string{
			"INSERT INTO notes (id, name) VALUES (1, " + mark + ")", "INSERT INTO notes (id, name) VALUES (2, " + piped + ")",
			"COMMIT", "transaction", "\n\tSELECT\nname FROM notes WHERE name = " + mark, "root",
		}, w.finishedSpans())
		require.Equal(t, "SELECT", w.spans.Ended()[4].Name())
	})
}

func TestObserve_TellsWhatFailedAndNothingOutsideATrace(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		w := newWatched(t, url)
		require.NoError(t, w.InTx(t.Context(), func(ctx context.Context) error { return w.insert(ctx, "x") }))
		require.Empty(t, w.finishedSpans())

		ctx, root := w.tracer.Start(t.Context(), "root")
		require.ErrorIs(t, database.Translate(w.InTx(ctx, func(ctx context.Context) error { return w.insert(ctx, "x") })), database.ErrDuplicate)
		require.NoError(t, w.Conn(ctx).Session(&gorm.Session{DryRun: true}).Find(&[]setting{}).Error)
		root.End()
		ended := w.spans.Ended()
		require.Len(t, ended, 3, "%v: neither a commit nor a dry run", w.finishedSpans())
		require.Equal(t, codes.Error, ended[0].Status().Code)
		require.Empty(t, ended[0].Status().Description)
		require.Equal(t, "transaction", ended[1].Name())
		require.Equal(t, codes.Error, ended[1].Status().Code)
	})
}

func TestObserve_CountsConnectionsAndCommits(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		w := newWatched(t, url)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				_ = w.InTx(t.Context(), func(ctx context.Context) error { return errors.Join(w.insert(ctx, "x"), errBoom) })
			})
		}
		all.Wait()
		require.NoError(t, w.InTx(t.Context(), func(ctx context.Context) error { return w.insert(ctx, "y") }))
		pools := 2
		if w.Dialect() == database.Postgres {
			pools = 1
		}
		count, err := testutil.GatherAndCount(w.metrics, "dispatchd_db_connections", "dispatchd_db_connections_max")
		require.NoError(t, err)
		require.Equal(t, 3*pools, count)
		sizes, err := testutil.GatherAndCount(w.metrics, "dispatchd_db_commit_size")
		require.NoError(t, err)
		require.Equal(t, 1, sizes)
		require.NoError(t, w.Stop(t.Context()))
		count, err = testutil.GatherAndCount(w.metrics, "dispatchd_db_connections")
		require.NoError(t, err)
		require.Zero(t, count, "closed")
	})
}

// It counts allocations, so it is not parallel.
func TestObserve_CostsNothingWhileOff(t *testing.T) { //nolint:paralleltest // see above
	db := startObserved(t, "sqlite:"+filepath.Join(t.TempDir(), "x.db"), telemetry.Observer{})
	work := func(context.Context) error { return nil }
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_, _, done := db.Traced(t.Context(), work)
		if done(nil) != nil {
			t.Fail()
		}
	}))
	require.Empty(t, db.CallbacksOfTraces(), "statements are left alone")
}

func BenchmarkObserve(b *testing.B) {
	never := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample())).Tracer("test")
	always := sdktrace.NewTracerProvider().Tracer("test")
	for name, o := range map[string]telemetry.Observer{
		"off": {}, "metrics": {Metrics: prometheus.NewRegistry()}, "traces, not sampled": {Tracer: never}, "traces": {Tracer: always},
	} {
		db := startObserved(b, "sqlite:"+filepath.Join(b.TempDir(), "x.db"), o)
		ctx := b.Context()
		if o.Tracer != nil {
			ctx, _ = o.Tracer.Start(ctx, "root")
		}
		b.Run("statement/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var n int
				if err := db.Raw(ctx, "benchmark").Raw("SELECT count(*) FROM notes WHERE id = ?", 1).Scan(&n).Error; err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("transaction/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := db.InTx(ctx, func(context.Context) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
