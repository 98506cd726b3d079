package database_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

func TestAfterCommit_RunsOnceForWhatIsCommittedAndNeverForWhatIsUndone(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		settings := database.Defaults()
		settings.URL = config.Secret(url)
		db, err := database.New(settings, t.TempDir(), slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.NoError(t, db.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })

		var ran []string
		note := func(ctx context.Context, what string) {
			db.AfterCommit(ctx, func() { ran = append(ran, what) })
		}
		refused := errors.New("refused")

		require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
			note(ctx, "first")
			require.ErrorIs(t, db.Savepoint(ctx, func(ctx context.Context) error {
				note(ctx, "undone savepoint")

				return refused
			}), refused)
			require.NoError(t, db.Savepoint(ctx, func(ctx context.Context) error {
				note(ctx, "savepoint")

				return nil
			}))
			require.NoError(t, db.InTx(ctx, func(ctx context.Context) error {
				note(ctx, "joined")

				return nil
			}))
			require.Empty(t, ran, "nothing is committed yet")

			return nil
		}))
		require.Equal(t, []string{"first", "savepoint", "joined"}, ran)

		ran = nil
		require.ErrorIs(t, db.InTx(t.Context(), func(ctx context.Context) error {
			note(ctx, "undone")

			return refused
		}), refused)
		ctx, cancel := context.WithCancel(t.Context())
		require.Error(t, db.InTx(ctx, func(ctx context.Context) error {
			note(ctx, "given up")
			cancel()

			return nil
		}))
		require.Empty(t, ran)

		note(t.Context(), "at once")
		require.Equal(t, []string{"at once"}, ran)
	})
}
