package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	postgresURLVariable = "DISPATCHD_BENCH_POSTGRES_URL"

	benchDatabase = "dispatchd_bench"
	emptyDatabase = "dispatchd_bench_empty"
	eventDatabase = "dispatchd_bench_events"
	copySchema    = "bench"
)

// postgres is a store on PostgreSQL: a server of our own with durable settings,
// or the one that DISPATCHD_BENCH_POSTGRES_URL names. The databases dispatchd_bench,
// dispatchd_bench_empty and dispatchd_bench_events there are made anew, and dropped in the end.
type postgres struct {
	server   *postgresServer // nil if it is not ours
	admin    string          // url of the database that was there before
	database string
	pgbench  pgbench

	rows    []row
	plain   row
	records recordTable
	count   int
	depth   int
}

func newPostgres(ctx context.Context, o options, dir string) (*postgres, error) {
	p := &postgres{admin: os.Getenv(postgresURLVariable), database: benchDatabase, depth: o.depth()}
	if p.admin == "" {
		server, err := startPostgres(ctx, o.dir)
		if err != nil {
			return nil, err
		}
		p.server, p.admin = server, server.url
	}
	binary, err := pgbenchBinary()
	if err != nil {
		return nil, errors.Join(err, p.close(ctx))
	}
	p.pgbench = pgbench{binary: binary, dir: dir, url: p.url()}
	if err := p.exec(ctx, p.admin,
		dropDatabase(emptyDatabase), dropDatabase(benchDatabase), "CREATE DATABASE "+benchDatabase,
	); err != nil {
		return nil, errors.Join(err, p.close(ctx))
	}

	return p, nil
}

func (*postgres) name() string       { return postgresName }
func (p *postgres) url() string      { return databaseURL(p.admin, p.database) }
func (p *postgres) emptyURL() string { return databaseURL(p.admin, emptyDatabase) }

// databaseURL is the URL with another database in it.
func databaseURL(text, database string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	u.Path = "/" + database

	return u.String()
}

// dropDatabase drops a database even if a service of a run that was killed is connected to it.
func dropDatabase(name string) string { return "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)" }

// with calls work with a connection.
func (*postgres) with(ctx context.Context, url string, work func(*pgx.Conn) error) (err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()

	return work(conn)
}

// exec executes statements, each by itself.
func (p *postgres) exec(ctx context.Context, url string, statements ...string) error {
	return p.with(ctx, url, func(conn *pgx.Conn) error {
		for _, statement := range statements {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%w in %.2000s", err, statement)
			}
		}

		return nil
	})
}

func (p *postgres) facts(ctx context.Context) ([]fact, error) {
	var facts []fact
	err := p.with(ctx, p.admin, func(conn *pgx.Conn) error {
		for _, setting := range []string{
			"server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "max_wal_size",
		} {
			var value string
			if err := conn.QueryRow(ctx, "SELECT current_setting($1)", setting).Scan(&value); err != nil {
				return err
			}
			facts = append(facts, fact{"PostgreSQL " + setting, value})
			if value == "off" {
				facts = append(facts, fact{"warning", setting + " is off: these writes are not durable and the numbers mean little"})
			}
		}

		return nil
	})

	return facts, err
}

func (p *postgres) keepEmpty(ctx context.Context) error {
	return p.exec(ctx, p.admin, "CREATE DATABASE "+emptyDatabase+" TEMPLATE "+benchDatabase)
}

// ceilings runs pgbench on the same rows; for the most clients also on a plain row, to estimate a
// peer by.
func (p *postgres) ceilings(q question) []ceiling {
	if q.operation != opCreate {
		return []ceiling{p.ceiling("pgbench", readScript(p.records, q.operation, p.count, p.depth), q.clients)}
	}
	list := []ceiling{p.ceiling("pgbench", createScript(p.rows, countScript(p.records)), q.clients)}
	if q == peerQuestion() {
		list = append(list, p.ceiling("pgbench, a plain row", createScript([]row{p.plain}), q.clients))
	}

	return list
}

func (p *postgres) ceiling(name, script string, clients int) ceiling {
	return ceiling{name: name, measure: func(ctx context.Context, d time.Duration) (float64, error) {
		return p.pgbench.run(ctx, script, clients, d)
	}}
}

func (p *postgres) fresh(ctx context.Context) (string, error) {
	return databaseURL(p.admin, eventDatabase), p.exec(ctx, p.admin,
		dropDatabase(eventDatabase), "CREATE DATABASE "+eventDatabase)
}

func (p *postgres) close(ctx context.Context) error {
	if p.server != nil {
		return p.server.stop()
	}

	return p.exec(ctx, p.admin, dropDatabase(eventDatabase), dropDatabase(emptyDatabase), dropDatabase(benchDatabase))
}
