package database_test

import (
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

func TestOnStatement_WhoPanicsWhileRowsAreOpenHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		var armed atomic.Bool
		settings := database.Defaults()
		settings.URL = config.Secret(url)
		db, err := database.New(settings, t.TempDir(), slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		db.OnStatement(func(context.Context, database.Statement) {
			if armed.CompareAndSwap(true, false) {
				panic("who hears dies here")
			}
		})
		require.NoError(t, db.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })
		for _, statement := range tables(db.Dialect()) {
			_, err := db.SQL().ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		f := fixture{DB: db, ctx: companyScope(t.Context())}
		f.add(t, f.ctx, "first")
		f.add(t, f.ctx, "second")

		ctx, cancel := context.WithTimeout(f.ctx, 10*time.Second)
		defer cancel()
		for n := range 20 { // more than there are connections
			armed.Store(true)
			require.Panics(t, func() {
				_ = f.InTx(ctx, func(ctx context.Context) error {
					var names []string

					return f.Raw(ctx, "rows that stay open").Raw("SELECT name FROM things").Scan(&names).Error
				})
			})
			// Somebody writes on another connection, so that what was read there is of the past.
			_, err := db.SQL().ExecContext(ctx, "UPDATE things SET name = name || '.'")
			require.NoError(t, err)
			f.add(t, ctx, strconv.Itoa(n))
		}
	})
}
