package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// bareRead is a statement of a read, and what the i-th read of a client asks for, if anything.
type bareRead struct {
	what, statement string
	arguments       func(client, i int) []any
}

func (s *sqlite) bareRead(what operation) bareRead {
	return bareRead{what: string(what), statement: s.records.read(what, "?", "?"), arguments: func(client, i int) []any {
		return s.argument(what, client, i)
	}}
}

// readLoop returns how many reads a second as many connections do as there are clients.
func (s *sqlite) readLoop(ctx context.Context, clients int, r bareRead, d time.Duration) (rate float64, err error) {
	db, err := s.open("ceiling.db")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	counts := make([]int, clients)
	group, ctx := errgroup.WithContext(ctx)
	begin := time.Now()
	for i := range counts {
		group.Go(func() (err error) {
			counts[i], err = r.repeat(ctx, db, i, begin.Add(d))

			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	total := 0
	for _, count := range counts {
		total += count
	}

	return float64(total) / time.Since(begin).Seconds(), nil
}

// repeat repeats a read on one connection until the end.
func (r bareRead) repeat(ctx context.Context, db *sql.DB, client int, end time.Time) (count int, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	stmt, err := conn.PrepareContext(ctx, r.statement)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()

	for ; time.Now().Before(end); count++ {
		if err := readAll(ctx, stmt, r.what, r.arguments(client, count)); err != nil {
			return 0, err
		}
	}

	return count, nil
}

// argument is what a read asks for, if anything.
func (s *sqlite) argument(what operation, client, i int) []any {
	switch what {
	case opGet:
		return []any{filledID(spread(client, i, s.count))}
	case opFilter:
		return []any{filledVIN(spread(client, i, s.count))}
	case opDeep:
		return []any{filledID(s.depth)}
	case opCreate, opPage, opSort, opPatch:
	}

	return nil
}

// readAll runs a statement and takes every value of every row. A read that finds nothing is an
// error.
func readAll(ctx context.Context, stmt *sql.Stmt, what string, arguments []any) (err error) {
	rows, err := stmt.QueryContext(ctx, arguments...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, targets := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	found := 0
	for ; rows.Next(); found++ {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
	}
	if found == 0 {
		return fmt.Errorf("the bare %s found nothing", what)
	}

	return rows.Err()
}
