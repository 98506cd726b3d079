package list_test

import (
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	"github.com/stretchr/testify/require"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// each runs the test on both databases, with an empty table of things and no platform between.
func each(t *testing.T, test func(t *testing.T, db *gorm.DB)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		dialector, table := postgres.Open(url), postgresTable
		if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
			dialector, table = sqlite.Open(path+"?_pragma=synchronous(0)&_pragma=journal_mode(WAL)"), sqliteTable
		}
		db, err := gorm.Open(dialector, &gorm.Config{
			PrepareStmt: true, SkipDefaultTransaction: true, Logger: logger.Discard,
		})
		require.NoError(t, err)
		pool, err := db.DB()
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, pool.Close()) })
		pool.SetMaxOpenConns(1)
		require.NoError(t, db.Exec(table).Error)
		test(t, db)
	})
}
