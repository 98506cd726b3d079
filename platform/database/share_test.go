package database_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// However many jobs hold connections and wait for further ones, a request finds one, and jobs that hold one already go on.
func TestInBackground_LeavesConnectionsForRequests(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		const conns = 4
		settings := database.Defaults()
		settings.URL, settings.MaxConnections = config.Secret(url), conns
		db, err := database.New(settings, t.TempDir(), slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		if db.Dialect() != database.Postgres { // SQLite has one writer, and who writes takes turns
			return
		}
		require.NoError(t, db.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })
		f := fixture{DB: db, ctx: companyScope(t.Context())}
		background := database.InBackground(f.ctx)
		ask := func(ctx context.Context) error {
			var one int

			return f.Raw(ctx, "a number").Raw("SELECT 1").Scan(&one).Error
		}
		held, end, ended := make(chan struct{}), make(chan struct{}), make(chan error)
		for range conns / 2 {
			go func() {
				ended <- f.InTx(background, func(ctx context.Context) error {
					if err := ask(ctx); err != nil {
						return err
					}
					held <- struct{}{}
					<-end

					return errors.Join(ask(ctx), ask(database.WithoutTx(ctx)))
				})
			}()
			<-held
		}
		late, cancel := context.WithTimeout(background, 50*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, ask(late), context.DeadlineExceeded, "the share is used up")
		require.NoError(t, ask(f.ctx))
		require.NoError(t, f.InTx(f.ctx, ask))
		close(end)
		for range conns / 2 {
			require.NoError(t, <-ended)
		}
		require.NoError(t, ask(background), "the places are given back")
	})
}

// Who holds a name keeps those waiting who want the same, and nobody else.
func TestHoldName_KeepsThoseWaitingWhoWantTheSame(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		t.Helper()
		if f.Dialect() != database.Postgres { // who writes is alone anyway
			return
		}
		hold := func(ctx context.Context, name string) error {
			return f.InTx(ctx, func(ctx context.Context) error { return f.HoldName(ctx, name) })
		}
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
			require.NoError(t, f.HoldName(ctx, "a"))
			require.NoError(t, hold(f.ctx, "b"))
			late, cancel := context.WithTimeout(f.ctx, 50*time.Millisecond)
			defer cancel()
			require.Error(t, hold(late, "a"))

			return nil
		}))
		require.NoError(t, hold(f.ctx, "a"))
	})
}
