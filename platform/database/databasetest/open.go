package databasetest

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Open opens the database at url for the time of the test.
func Open(t testing.TB, url string) *database.DB {
	t.Helper()
	settings := database.Defaults()
	settings.URL = config.Secret(url)
	db, err := database.New(settings, t.TempDir(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, db.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })

	return db
}
