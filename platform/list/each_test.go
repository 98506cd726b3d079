package list_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// each runs the test on both databases, with an empty table of things and no platform between.
func each(t *testing.T, test func(t *testing.T, db *gorm.DB)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		table := postgresTable
		if strings.HasPrefix(url, "sqlite:") {
			table = sqliteTable
		}
		db, err := database.OpenPlain(url)
		require.NoError(t, err)
		pool, err := db.DB()
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, pool.Close()) })
		pool.SetMaxOpenConns(1)
		require.NoError(t, db.Exec(table).Error)
		require.NoError(t, db.Exec(pickups).Error)
		test(t, db)
	})
}
