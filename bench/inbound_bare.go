package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"
)

const bareTable = "CREATE TABLE IF NOT EXISTS bare_bodies (id %, body ^)"

// bareBodies is how many bodies of a size are inserted in a second: on PostgreSQL by as many connections as there
// are clients, a commit each; on SQLite by one, with as many in a commit as there are clients.
func bareBodies(ctx context.Context, database, url string, size int, d time.Duration) (float64, error) {
	body := bytes.Repeat([]byte("x"), size)
	insert := bareBodiesPostgres
	if database == sqliteName {
		insert = bareBodiesSQLite
	}
	begin := time.Now()
	n, err := insert(ctx, url, body, begin.Add(d))
	if err == nil && n == 0 {
		err = errBare
	}

	return float64(n) / time.Since(begin).Seconds(), err
}

func bareBodiesSQLite(ctx context.Context, url string, body []byte, end time.Time) (n int64, err error) {
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(url, "sqlite:")+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return 0, err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, strings.NewReplacer("%", "integer PRIMARY KEY", "^", "blob NOT NULL").Replace(bareTable)); err != nil {
		return 0, err
	}
	for time.Now().Before(end) {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return n, err
		}
		for range inboundClients {
			if _, err := tx.ExecContext(ctx, "INSERT INTO bare_bodies (body) VALUES (?)", body); err != nil {
				return n, errors.Join(err, tx.Rollback())
			}
			n++
		}
		if err := tx.Commit(); err != nil {
			return n, err
		}
	}

	return n, nil
}

func bareBodiesPostgres(ctx context.Context, url string, body []byte, end time.Time) (int64, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return 0, err
	}
	config.MaxConns = inboundClients
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	table := strings.NewReplacer("%", "bigserial PRIMARY KEY", "^", "bytea NOT NULL").Replace(bareTable)
	for _, statement := range []string{table, "ALTER TABLE bare_bodies ALTER COLUMN body SET STORAGE EXTERNAL"} {
		if _, err := pool.Exec(ctx, statement); err != nil {
			return 0, err
		}
	}
	var n atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range inboundClients {
		group.Go(func() error {
			for time.Now().Before(end) {
				if _, err := pool.Exec(ctx, "INSERT INTO bare_bodies (body) VALUES ($1)", body); err != nil {
					return err
				}
				n.Add(1)
			}

			return nil
		})
	}
	err = group.Wait()

	return n.Load(), err
}
