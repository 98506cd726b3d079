package database

import (
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database/internal/dialect"
)

// OpenPlain opens a database as GORM alone does, on one connection and without anything that this
// package adds to it. It is for tests of packages that only write SQL.
func OpenPlain(url string) (*gorm.DB, error) {
	on, place := Settings{URL: config.Secret(url)}.place("")
	dialector := postgres.Open(place)
	if on == SQLite {
		conn := openPool(place, writerCache)
		conn.SetMaxOpenConns(1)
		dialector = dialect.NewSQLite(conn)
	}

	return gorm.Open(dialector, &gorm.Config{SkipDefaultTransaction: true, Logger: logger.Discard})
}
