package identity

import (
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm/schema"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

func TestModels_HaveTheColumnsOfTheirTables(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		log := slog.New(slog.DiscardHandler)
		db := databasetest.Open(t, url)
		sources, err := migrate.Sources(migrations.FS, nil)
		require.NoError(t, err)
		require.NoError(t, migrate.Up(t.Context(), db, sources, log))

		for _, model := range []any{&companyRow{}, &userRow{}, &tokenRow{}, &operatorTokenRow{}} {
			parsed, err := schema.Parse(model, &sync.Map{}, schema.NamingStrategy{})
			require.NoError(t, err)
			rows, err := db.Raw(t.Context(), "test").Raw("SELECT * FROM " + parsed.Table).Rows()
			require.NoError(t, err)
			columns, err := rows.Columns()
			require.NoError(t, err)
			require.NoError(t, rows.Close())
			require.NoError(t, rows.Err())
			require.ElementsMatchf(t, columns, parsed.DBNames, "table on the left, model of %s on the right", parsed.Table)
		}
	})
}
