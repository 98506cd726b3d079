package database_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

func TestPrepare_OpensWhatStartServes(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		settings := database.Defaults()
		settings.URL = config.Secret(url)
		db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.NoError(t, db.Prepare(t.Context()))
		require.ErrorIs(t, db.Ping(t.Context()), database.ErrUnavailable)
		require.ErrorContains(t, db.Prepare(t.Context()), "twice")
		with(t, db, func() {
			require.NoError(t, db.Ping(t.Context()))
			require.ErrorContains(t, db.Prepare(t.Context()), "twice")
		})
		require.NoError(t, db.Prepare(t.Context()))
		require.NoError(t, db.Stop(t.Context()))
		with(t, db, func() { require.NoError(t, db.Ping(t.Context())) })
	})
}
