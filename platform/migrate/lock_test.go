package migrate

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

func TestLocked_OneAtATimeAndWaitsNotForEver(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		first, second := databasetest.Open(t, url), databasetest.Open(t, url)
		reached := false
		err := runLocked(t.Context(), first, time.Minute, log, func() error {
			err := runLocked(t.Context(), second, 3*lockPoll, log, func() error { panic("two at a time") })
			require.ErrorContains(t, err, "another process has been migrating the database for 300ms")
			require.ErrorIs(t, err, context.DeadlineExceeded)

			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			require.Error(t, runLocked(ctx, second, time.Minute, log, func() error { panic("two at a time") }))
			reached = true

			return nil
		})
		require.NoError(t, err)
		require.True(t, reached)
		require.NoError(t, runLocked(t.Context(), second, time.Minute, log, func() error { return nil }), "it is given back")
	})
}

func TestLocked_IsGivenBackAfterAFailure(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		require.ErrorIs(t, runLocked(t.Context(), db, time.Minute, log, func() error { return context.Canceled }), context.Canceled)
		require.NoError(t, runLocked(t.Context(), databasetest.Open(t, url), time.Minute, log, func() error { return nil }))
	})
}

func TestLocked_SaysThatOneConnectionIsTooFew(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		settings := database.Defaults()
		settings.URL, settings.MaxConnections = config.Secret(url), 1
		db, err := database.New(settings, t.TempDir(), slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.NoError(t, db.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })

		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		err = runLocked(ctx, db, time.Minute, slog.New(slog.DiscardHandler), func() error { return nil })
		if db.Dialect() == database.SQLite {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "database.max_connections")
		}
	})
}
