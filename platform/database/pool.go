package database

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"gorm.io/gorm"
	"modernc.org/sqlite"
)

// reading is where statements outside InTx go. It hides that transactions can begin there.
type reading struct{ gorm.ConnPool }

// readingByValue is reading for statements that are planned for the values at hand.
type readingByValue struct{ reading }

// BeginTx implements gorm.ConnPoolBeginner, to say what to do instead.
func (r reading) BeginTx(context.Context, *sql.TxOptions) (gorm.ConnPool, error) {
	return r, errBegin
}

// joined is where statements of a transaction go, until the function of its InTx returns. On SQLite
// others' functions may then run in the same transaction.
type joined struct{ tx *transaction }

// BeginTx implements gorm.ConnPoolBeginner, to say what to do instead.
func (j joined) BeginTx(context.Context, *sql.TxOptions) (gorm.ConnPool, error) {
	return j, errBegin
}

func (j joined) ready(ctx context.Context) error {
	if j.tx.ended.Load() {
		return errEnded
	}

	return j.tx.ready(ctx)
}

// PrepareContext implements gorm.ConnPool.
func (j joined) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	if err := j.ready(ctx); err != nil {
		return nil, err
	}

	return j.tx.pool.PrepareContext(j.tx.statements(ctx), query)
}

// ExecContext implements gorm.ConnPool.
func (j joined) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := j.ready(ctx); err != nil {
		return nil, err
	}

	return j.tx.pool.ExecContext(j.tx.statements(ctx), query, args...)
}

// QueryContext implements gorm.ConnPool.
func (j joined) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := j.ready(ctx); err != nil {
		return nil, err
	}

	return j.tx.pool.QueryContext(j.tx.statements(ctx), query, args...)
}

// QueryRowContext implements gorm.ConnPool.
func (j joined) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if err := j.ready(ctx); err != nil {
		return failedRow(ctx, err)
	}

	return j.tx.pool.QueryRowContext(j.tx.statements(ctx), query, args...)
}

// failedRow returns a row with an error in it, which only a pool without connections makes.
func failedRow(ctx context.Context, err error) *sql.Row {
	pool := sql.OpenDB(unconnected{err})
	row := pool.QueryRowContext(ctx, "")
	if err := pool.Close(); err != nil {
		return row // it has failed already
	}

	return row
}

// unconnected does not connect, with an error.
type unconnected struct{ err error }

// Connect implements driver.Connector.
func (u unconnected) Connect(context.Context) (driver.Conn, error) { return nil, u.err }

// Driver implements driver.Connector.
func (unconnected) Driver() driver.Driver { return &sqlite.Driver{} }
