package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

const millionDatabase = "dispatchd_bench_million"

// besidePostgres is a database of its own on the same server.
type besidePostgres struct{ *postgres }

func (p *postgres) beside(ctx context.Context) (millionStore, error) {
	other := &postgres{admin: p.admin, database: millionDatabase}
	other.pgbench = pgbench{binary: p.pgbench.binary, dir: p.pgbench.dir, url: other.url()}

	return besidePostgres{other}, p.exec(ctx, p.admin, dropDatabase(millionDatabase), "CREATE DATABASE "+millionDatabase)
}

func (p besidePostgres) close(ctx context.Context) error {
	return p.exec(ctx, p.admin, dropDatabase(millionDatabase))
}

// secondaryIndexes are the indexes that can be made anew after the table is filled, which is faster.
const secondaryIndexes = `SELECT pg_get_indexdef(i.indexrelid) || '|' || i.indexrelid::regclass::text FROM pg_index AS i
	WHERE i.indrelid = CAST($1 AS regclass) AND NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conindid = i.indexrelid)`

func (p besidePostgres) populate(ctx context.Context, s *scene) (err error) {
	if p.records, err = findRecordTable(s.rows, s.sample); err != nil {
		return err
	}
	p.rows = s.rows
	if err := p.exec(ctx, p.url(), "CREATE SCHEMA "+copySchema); err != nil {
		return err
	}
	err = p.with(ctx, p.url(), func(conn *pgx.Conn) error { return fillMillion(ctx, conn, s) })
	if err != nil {
		return err
	}
	for _, table := range append(tablesOf(s.rows), historyTable) {
		if p.target(table) != quoteName(table) {
			if err := p.copyTable(ctx, table); err != nil {
				return err
			}
		}
	}

	return p.exec(ctx, p.url(), "VACUUM ANALYZE", "CHECKPOINT")
}

func fillMillion(ctx context.Context, conn *pgx.Conn, s *scene) error {
	statements := append([]string{
		"SET synchronous_commit = off", "SET work_mem = '256MB'", "SET maintenance_work_mem = '512MB'", "SET max_parallel_maintenance_workers = 2",
	}, s.plotStatements("uuid")...)
	statements = append(statements,
		"CREATE TEMP TABLE "+numberTable+" AS SELECT p.number AS plot, g.n FROM "+plotTable+" AS p, generate_series(1, p.records) AS g (n) ORDER BY (g.n - 0.5) / p.records, p.number",
		"ANALYZE "+numberTable)
	for _, f := range fillings(s.rows) {
		indexes, err := texts(ctx, conn, secondaryIndexes, f.table)
		if err != nil {
			return err
		}
		for _, index := range indexes {
			_, name, _ := strings.Cut(index, "|")
			statements = append(statements, "DROP INDEX "+name)
		}
		statements = append(statements, f.statements(s.sample, postgresSpelling())...)
		for _, index := range indexes {
			definition, _, _ := strings.Cut(index, "|")
			statements = append(statements, definition)
		}
	}
	for _, statement := range append(statements, countStatement) {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%w in %.2000s", err, statement)
		}
	}

	return nil
}

// postgresSpelling is of the n-th record of a plot.
func postgresSpelling() spelling {
	return spelling{text: "text", literal: postgresLiteral, value: func(m mark) string {
		return postgresMillion(m, "CAST(n.n AS bigint)", "n.plot")
	}}
}

// postgresMillion is a value of the n-th record of a module.
func postgresMillion(m mark, n, module string) string {
	end := func(count int) string {
		return fmt.Sprintf("right(lpad(CAST(%s * %d %% %d AS text), 8, '0'), %d)", n, vinStep, vinModulus, count)
	}
	switch m {
	case markID:
		return fmt.Sprintf("'%s' || lpad(to_hex(%s * %d + %s), 12, '0')", filledIDPrefix, n, numberedModules, module)
	case markVIN:
		return "'" + filledVINPrefix + "' || " + end(8)
	case markWord:
		return "'" + strings.ToLower(filledVINPrefix) + "' || " + end(8)
	case markWordEnd:
		return end(8)
	case markWordTail:
		return end(6)
	case markPrice, markDigits, markFreshID, markFreshNumber, fixed:
	}

	return pgPrice(m, n)
}
