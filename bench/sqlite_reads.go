package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// readLoop returns how many reads a second as many connections do as there are clients.
func (s *sqlite) readLoop(ctx context.Context, q question, d time.Duration) (rate float64, err error) {
	db, err := s.open("ceiling.db")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	counts := make([]int, q.clients)
	group, ctx := errgroup.WithContext(ctx)
	begin := time.Now()
	for i := range counts {
		group.Go(func() (err error) {
			counts[i], err = s.reads(ctx, db, q.operation, i, begin.Add(d))

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

// reads repeats a read on one connection until the end.
func (s *sqlite) reads(ctx context.Context, db *sql.DB, what operation, client int, end time.Time) (count int, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	stmt, err := conn.PrepareContext(ctx, s.records.read(what, "?", "?"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()

	for ; time.Now().Before(end); count++ {
		if err := readAll(ctx, stmt, what, s.argument(what, client, count)); err != nil {
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
	case opCreate, opPage, opSort:
	}

	return nil
}

// readAll runs a statement and takes every value of every row. A read that finds nothing is an
// error.
func readAll(ctx context.Context, stmt *sql.Stmt, what operation, arguments []any) (err error) {
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
