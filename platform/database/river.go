package database

import "github.com/jackc/pgx/v5/pgxpool"

// Pool returns the pool of connections to PostgreSQL, for libraries that work on pgx itself; nil on
// SQLite and while the database is stopped. What is done there joins no transaction.
func (db *DB) Pool() *pgxpool.Pool {
	if _, err := db.current(); err != nil {
		return nil
	}

	return db.pool.Load()
}
