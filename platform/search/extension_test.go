package search

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

func TestMigration_SaysWhatToDoWithoutTheExtension(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, at string) {
		t.Helper()
		db := databasetest.Open(t, at)
		if db.Dialect() == database.SQLite { // which brings its index along
			require.NoError(t, migrate.Up(t.Context(), db, platform(t), slog.New(slog.DiscardHandler)))

			return
		}
		role := "search_" + strings.ReplaceAll(uuid.NewString(), "-", "")
		exec := func(ctx context.Context, statement string) {
			_, err := db.SQL().ExecContext(ctx, statement)
			require.NoError(t, err)
		}
		exec(t.Context(), "CREATE ROLE "+role)
		t.Cleanup(func() {
			ctx := context.WithoutCancel(t.Context())
			exec(ctx, "DROP OWNED BY "+role)
			exec(ctx, "DROP ROLE "+role)
		})
		exec(t.Context(), "GRANT ALL ON SCHEMA public TO "+role)

		limited, err := url.Parse(at)
		require.NoError(t, err)
		limited.RawQuery += "&options=-c%20role%3D" + role
		err = migrate.Up(t.Context(), databasetest.Open(t, limited.String()), platform(t), slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, "searches need the extension pg_trgm in this database: permission denied")
		require.ErrorContains(t, err, "CREATE EXTENSION pg_trgm")
	})
}
