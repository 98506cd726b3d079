package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// bareWalk is what a lookup asks the index.
	bareWalk = "SELECT folded, usdot FROM carriers_regulator_names WHERE folded >= $1 AND folded < $2 ORDER BY folded, state, usdot LIMIT 60"
	// bareCarriers are the rows of the census that are written again.
	bareCarriers  = "SELECT * FROM carriers_regulator_carriers ORDER BY usdot LIMIT 20000"
	bareCensus    = "CREATE TABLE bare AS SELECT * FROM carriers_regulator_carriers WHERE usdot < 0"
	bareCensusKey = "CREATE UNIQUE INDEX bare_key ON bare (usdot)"
	regulatorDB   = "regulator.db"
)

// censusStore is a database with the regulator's data, as the database itself writes and walks them.
type censusStore struct {
	url string
	// write returns how many rows a second it takes: by COPY on PostgreSQL, by a prepared insert in a loop on SQLite.
	write func(ctx context.Context) (float64, error)
	// walk returns how long each walk took.
	walk func(ctx context.Context, begins []string) ([]time.Duration, error)
}

func (t *trial) censusStore(ctx context.Context) (censusStore, error) {
	switch db := t.db.(type) {
	case *sqlite:
		return censusStore{
			url: "sqlite:" + db.file(regulatorDB),
			write: func(ctx context.Context) (rate float64, err error) {
				err = db.with(ctx, regulatorDB, func(conn *sql.Conn) error { rate, err = loopCarriers(ctx, conn); return err })

				return rate, err
			},
			walk: func(ctx context.Context, begins []string) (took []time.Duration, err error) {
				err = db.with(ctx, regulatorDB, func(conn *sql.Conn) error { took, err = walkSQLite(ctx, conn, begins); return err })

				return took, err
			},
		}, nil
	case *postgres:
		url, err := db.fresh(ctx)

		return censusStore{
			url: url,
			write: func(ctx context.Context) (rate float64, err error) {
				err = db.with(ctx, url, func(conn *pgx.Conn) error { rate, err = copyCarriers(ctx, conn); return err })

				return rate, err
			},
			walk: func(ctx context.Context, begins []string) (took []time.Duration, err error) {
				err = db.with(ctx, url, func(conn *pgx.Conn) error { took, err = walkPostgres(ctx, conn, begins); return err })

				return took, err
			},
		}, err
	}

	return censusStore{}, fmt.Errorf("no regulator's data on %s", t.db.name())
}

func copyCarriers(ctx context.Context, conn *pgx.Conn) (float64, error) {
	rows, err := conn.Query(ctx, bareCarriers)
	if err != nil {
		return 0, err
	}
	var names []string
	for _, f := range rows.FieldDescriptions() {
		names = append(names, f.Name)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
	if err != nil {
		return 0, err
	}
	for _, statement := range []string{bareCensus, bareCensusKey} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return 0, err
		}
	}
	begin := time.Now()
	n, err := conn.CopyFrom(ctx, pgx.Identifier{"bare"}, names, pgx.CopyFromRows(all))

	return float64(n) / time.Since(begin).Seconds(), err
}

func loopCarriers(ctx context.Context, conn *sql.Conn) (float64, error) {
	all, err := scanAll(ctx, conn, bareCarriers)
	if err != nil || len(all) == 0 {
		return 0, errors.Join(err, errors.New("no carriers"))
	}
	for _, statement := range []string{bareCensus, bareCensusKey} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	begin := time.Now()
	const together = 1000 // as many as an import commits
	for rows := all; len(rows) > 0; {
		n := min(len(rows), together)
		if err := insertLoop(ctx, conn, rows[:n]); err != nil {
			return 0, err
		}
		rows = rows[n:]
	}

	return float64(len(all)) / time.Since(begin).Seconds(), nil
}

func insertLoop(ctx context.Context, conn *sql.Conn, rows [][]any) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := insertAll(ctx, tx, rows); err != nil {
		return errors.Join(err, tx.Rollback())
	}

	return tx.Commit()
}

func insertAll(ctx context.Context, tx *sql.Tx, rows [][]any) (err error) {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(rows[0])), ", ")
	insert, err := tx.PrepareContext(ctx, "INSERT INTO bare VALUES ("+marks+")") //nolint:gosec // question marks
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for _, row := range rows {
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}

	return nil
}

func scanAll(ctx context.Context, conn *sql.Conn, query string, args ...any) (all [][]any, err error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		all = append(all, values)
	}

	return all, rows.Err()
}

func walkSQLite(ctx context.Context, conn *sql.Conn, begins []string) ([]time.Duration, error) {
	took := make([]time.Duration, 0, len(begins))
	for _, b := range begins {
		begin := time.Now()
		if _, err := scanAll(ctx, conn, bareWalk, b, b+"\U0010ffff"); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
	}

	return took, nil
}

func walkPostgres(ctx context.Context, conn *pgx.Conn, begins []string) ([]time.Duration, error) {
	took := make([]time.Duration, 0, len(begins))
	for _, b := range begins {
		begin := time.Now()
		rows, err := conn.Query(ctx, bareWalk, b, b+"\U0010ffff")
		if err != nil {
			return nil, err
		}
		if _, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() }); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
	}

	return took, nil
}
