// Package statistics keeps what SQLite's planner knows of tables up to date.
package statistics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

const (
	// grown names the tables that have grown much since they were analysed last, and analyses none.
	grown = "PRAGMA optimize=0x10003"
	// parts are the indexes of a table.
	parts = "SELECT name FROM pragma_index_list(?)"
)

// noSkipping keeps the planner from using an index without its first column. Where few companies are, it
// takes that for no worse than with the column, though it knows the company; then rows do not come in the
// order of the index, and each page of a list sorts all that follow.
const noSkipping = "UPDATE sqlite_stat1 SET stat = stat || ' noskipscan' WHERE idx IS NOT NULL AND stat NOT LIKE '%noskipscan%'"

// Executor is a pool or a connection.
type Executor interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Keep analyses all that is stale.
func Keep(ctx context.Context, on Executor) error {
	stale, err := Stale(ctx, on)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := Run(ctx, on, name); err != nil {
			return err
		}
	}

	return nil
}

// Stale returns the names of what is to be analysed, for Run: each index of the tables that have grown much since they
// were analysed last. One takes as long as reading its index does, half a second for a million rows, in which nobody else writes.
func Stale(ctx context.Context, on Executor) ([]string, error) {
	tables, err := texts(ctx, on, grown)
	if err != nil {
		return nil, err
	}
	var stale []string
	for _, table := range tables {
		var name string
		if _, err := fmt.Sscanf(table, `ANALYZE "main".%q`, &name); err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		indexes, err := texts(ctx, on, parts, name)
		if err != nil {
			return nil, err
		}
		if len(indexes) == 0 {
			indexes = []string{name}
		}
		stale = append(stale, indexes...)
	}

	return stale, nil
}

// Run analyses an index, or a table without one, in a transaction of its own. What another process has dropped meanwhile is left out.
func Run(ctx context.Context, on Executor, name string) error {
	tx, err := on.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, statement := range []string{fmt.Sprintf(`ANALYZE "main".%q`, name), noSkipping} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			err = errors.Join(err, tx.Rollback())
			if there, wrong := texts(ctx, on, "SELECT name FROM sqlite_schema WHERE name = ?", name); wrong == nil && len(there) == 0 {
				return nil
			}

			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = on.ExecContext(ctx, "ANALYZE sqlite_schema") // reads what was changed

	return err
}

func texts(ctx context.Context, on Executor, query string, args ...any) (all []string, err error) {
	rows, err := on.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}

	return all, rows.Err()
}
