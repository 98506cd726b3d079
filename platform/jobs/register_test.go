package jobs_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
)

// service is a type of an area.
type service struct{ done chan string }

func (s *service) greet(_ context.Context, args hello) error {
	s.done <- "greet " + args.To

	return nil
}

type sweep struct {
	Deep bool `json:"deep"`
}

func (sweep) Kind() string { return "test.sweep" }

// sweeper is a worker of its own.
type sweeper struct{ s *service }

func newSweeper(s *service) *sweeper { return &sweeper{s: s} }

func (w *sweeper) Work(_ context.Context, args sweep) error {
	if args.Deep {
		w.s.done <- "swept"
	}

	return nil
}

// fill builds a graph of one area with these manifest lines.
func fill(q *jobs.Queue, s *service, area string, lines ...fx.Option) error {
	m := module.New(area, "", append(lines, fx.Supply(s, fx.Private))...)

	return fx.New(fx.NopLogger, fx.Supply(q), m.Options(), fx.Invoke(module.Fill)).Err()
}

// closed is a queue without a database that is open.
func closed(t *testing.T) *jobs.Queue {
	t.Helper()
	db, err := database.New(database.Settings{}, t.TempDir(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	return jobs.New(quick(), db, clock.System{}, slog.New(slog.DiscardHandler))
}

func TestManifest_RunsMethodsWorkersAndSchedules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		settings := database.Defaults()
		settings.URL = config.Secret(url)
		db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.NoError(t, db.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })
		require.NoError(t, jobs.MigrateUp(t.Context(), db, slog.New(slog.DiscardHandler)))

		q, s := jobs.New(quick(), db, clock.System{}, slog.New(slog.DiscardHandler)), &service{done: make(chan string, 10)}
		require.NoError(t, fill(q, s, "test",
			jobs.On((*service).greet), jobs.Worker(newSweeper, jobs.Timeout(time.Second)),
			jobs.Every(time.Hour, sweep{Deep: true})))
		require.NoError(t, q.Open(t.Context()))

		var sweeps int
		count := func() int {
			require.NoError(t, db.Raw(t.Context(), "test").
				Raw("SELECT count(*) FROM river_job WHERE kind = 'test.sweep'").Scan(&sweeps).Error)

			return sweeps
		}
		for range 2 { // the second start is within the same hour, or makes up for it
			require.NoError(t, q.Start(t.Context()))
			require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
				return q.Enqueue(ctx, hello{To: "you"})
			}))
			require.Eventually(t, func() bool { return len(s.done) >= 1 && count() >= 1 }, patience, 10*time.Millisecond)
			for range 2 {
				select {
				case <-s.done:
				case <-time.After(3 * time.Second):
				}
			}
			require.NoError(t, q.Stop(t.Context()))
		}
		require.Contains(t, []int{1, 2}, count(), "2 only where the hour turned")
	})
}

func TestManifest_RefusesMistakes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		area  string
		lines []fx.Option
	}{
		`want "other." in front`:       {"other", []fx.Option{jobs.On((*service).greet)}},
		`"test.hello" has two workers`: {"test", []fx.Option{jobs.On((*service).greet), jobs.On((*service).greet)}},
		`is not between`:               {"test", []fx.Option{jobs.On((*service).greet, jobs.Timeout(time.Hour))}},
		`want an interval`:             {"test", []fx.Option{jobs.Every(48*time.Hour, sweep{})}},
		`have no arguments`:            {"test", []fx.Option{jobs.On((*service).greet, jobs.Together())}},
	}
	for want, test := range tests {
		err := fill(closed(t), &service{}, test.area, test.lines...)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, `area "`+test.area+`"`)
	}
}

func TestSettings_SayWhatIsWrong(t *testing.T) {
	t.Parallel()
	require.NoError(t, jobs.Defaults().Validate())
	s := jobs.Defaults()
	s.Workers, s.Poll, s.Rescue, s.Attempts = -1, time.Millisecond, s.Timeout, 0
	for _, want := range []string{"workers:", "poll:", "rescue:", "attempts:"} {
		require.ErrorContains(t, s.Validate(), want)
	}
}
