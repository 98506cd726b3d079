package database_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// Without turns, whoever shares the file with a stream of writes waits for seconds each time.
func TestSQLite_LetsOthersWriteBesideAStreamOfTransactions(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		if f.Dialect() != database.SQLite {
			return // it has no one writer
		}
		streaming, stop := context.WithCancel(f.ctx)
		var writers sync.WaitGroup
		defer writers.Wait()
		defer stop()
		for range 64 {
			writers.Go(func() {
				for streaming.Err() == nil {
					f.add(t, context.WithoutCancel(streaming), database.NewID().String())
				}
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		for range 100 {
			tx, err := f.SQL().BeginTx(ctx, nil)
			require.NoError(t, err)
			_, err = tx.ExecContext(ctx, "INSERT INTO settings (id, name) VALUES (?, ?)", database.NewID().String(), "in a transaction")
			require.NoError(t, err)
			require.NoError(t, tx.Commit())
			var name string
			require.NoError(t, f.SQL().QueryRowContext(ctx,
				"INSERT INTO settings (id, name) VALUES (?, 'alone') RETURNING name", database.NewID().String()).Scan(&name))
			_, err = f.SQL().ExecContext(ctx, "DELETE FROM settings WHERE name = 'alone'")
			require.NoError(t, err)
		}
	})
}

func TestSQLite_GivesUpWaitingForItsTurnWithItsContext(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		f := setUp(t, url)
		if f.Dialect() != database.SQLite {
			return
		}
		tx, err := f.SQL().BeginTx(t.Context(), nil)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err = f.SQL().ExecContext(ctx, "DELETE FROM settings")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, tx.Rollback())
		_, err = f.SQL().ExecContext(t.Context(), "DELETE FROM settings")
		require.NoError(t, err)
	})
}
