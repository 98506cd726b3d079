// Package statistics keeps what SQLite's planner knows of tables up to date.
package statistics

import (
	"context"
	"database/sql"
)

// optimize analyses tables that have grown much since they were analysed last.
const optimize = "PRAGMA optimize=0x10002"

// noSkipping keeps the planner from using an index without its first column. Where few companies are, it
// takes that for no worse than with the column, though it knows the company; then rows do not come in the
// order of the index, and each page of a list sorts all that follow.
const noSkipping = "UPDATE sqlite_stat1 SET stat = stat || ' noskipscan' WHERE idx IS NOT NULL AND stat NOT LIKE '%noskipscan%'"

// Executor is a pool or a connection.
type Executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Keep analyses the tables that have grown since they were analysed last.
func Keep(ctx context.Context, on Executor) error {
	if _, err := on.ExecContext(ctx, optimize); err != nil {
		return err
	}
	var analysed bool
	err := on.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1')").Scan(&analysed)
	if err != nil || !analysed {
		return err
	}
	changed, err := on.ExecContext(ctx, noSkipping)
	if err != nil {
		return err
	}
	if rows, err := changed.RowsAffected(); err != nil || rows == 0 {
		return err
	}
	_, err = on.ExecContext(ctx, "ANALYZE sqlite_schema") // reads what was changed

	return err
}
