package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// columns are those of a table.
func (p besidePostgres) columns(ctx context.Context, table string) (names []string, err error) {
	err = p.with(ctx, p.url(), func(conn *pgx.Conn) error {
		names, err = texts(ctx, conn, "SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position", table)

		return err
	})

	return names, err
}

// loadCeiling is pgbench inserting the rows that a create of a load writes, into copies of its tables.
func (p besidePostgres) loadCeiling(ctx context.Context, number int, s sample, rows []row) (*ceiling, error) {
	if s.id == "" {
		return nil, errors.New("no load was created")
	}
	if number == 0 {
		if err := p.exec(ctx, p.url(), "CREATE SCHEMA "+copySchema); err != nil {
			return nil, err
		}
		for _, table := range tablesOf(rows) {
			if err := p.copyTable(ctx, table); err != nil {
				return nil, err
			}
		}
	}
	c := p.ceiling("pgbench", createScript(apart(rows)), loadsClients)

	return &c, nil
}

// apart gives the second of two rows of a table, which would have the same fresh key, the load's id as its key.
func apart(rows []row) []row {
	seen := map[string]bool{}
	for i, r := range rows {
		for k, c := range r.cells {
			if c.key && c.is(markFreshID) && seen[r.table] {
				rows[i].cells[k].pieces = []piece{{mark: markID}}
			}
		}
		seen[r.table] = true
	}

	return rows
}
