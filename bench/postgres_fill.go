package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

func copyOf(table string) string { return quoteName(copySchema) + "." + quoteName(table) }

func (p *postgres) fill(ctx context.Context, s sample, rows []row, count int) (err error) {
	p.rows, p.count = rows, count
	if p.records, err = findRecordTable(rows, s); err != nil {
		return err
	}
	if err := p.exec(ctx, p.url(), "CREATE SCHEMA "+copySchema); err != nil {
		return err
	}
	for _, table := range append(tablesOf(rows), usageTable) {
		if err := p.copyTable(ctx, table); err != nil {
			return err
		}
	}
	p.plain = plainRow(s)
	if err := p.exec(ctx, p.url(), plainTable, plainIndex, fillStatement(p.plain, copyOf(p.plain.table), count)); err != nil {
		return err
	}
	for _, r := range rows {
		for _, table := range []string{quoteName(r.table), copyOf(r.table)} {
			if err := p.exec(ctx, p.url(), fillStatement(r, table, count)); err != nil {
				return err
			}
		}
	}

	return p.exec(ctx, p.url(), "VACUUM ANALYZE", "CHECKPOINT")
}

// What a peer stores is not what the product stores. A plain row, the payload as it came with an index
// for the list and one for the VIN, is the measure that peers were compared with.
const (
	plainTable = "CREATE TABLE bench.plain (id uuid PRIMARY KEY, module_id uuid NOT NULL, vin text NOT NULL, data jsonb NOT NULL)"
	plainIndex = "CREATE INDEX ON bench.plain (module_id, id); CREATE INDEX ON bench.plain (vin)"
)

func plainRow(s sample) row {
	body := newRecordBody(s.module, s.module)
	copy(body.bytes[body.vin:], s.vin)
	copy(body.bytes[body.price:], s.price)

	return row{table: "plain", cells: []cell{
		{column: "id", kind: "uuid", pieces: s.cut(s.id)},
		{column: "module_id", kind: "uuid", pieces: s.cut(s.module)},
		{column: "vin", kind: "text", pieces: s.cut(s.vin)},
		{column: "data", kind: "jsonb", pieces: s.cut(string(body.bytes))},
	}}
}

// copyTable makes a table for the ceiling: columns, defaults, checks and indexes by LIKE, and the
// foreign keys, which LIKE leaves out.
func (p *postgres) copyTable(ctx context.Context, table string) error {
	return p.with(ctx, p.url(), func(conn *pgx.Conn) error {
		keys, err := texts(ctx, conn,
			"SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' AND conrelid = CAST($1 AS regclass)", quoteName(table))
		if err != nil {
			return err
		}
		statements := []string{fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING ALL)", copyOf(table), quoteName(table))}
		for _, key := range keys {
			statements = append(statements, fmt.Sprintf("ALTER TABLE %s ADD %s", copyOf(table), key))
		}
		for _, statement := range statements {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%w in %s", err, statement)
			}
		}

		return nil
	})
}

// fillStatement inserts copies of a row, numbered from 1.
func fillStatement(r row, table string, count int) string {
	values := r.values(func(c cell) string {
		return "CAST(" + concatenate(c.pieces, postgresLiteral, func(m mark) string {
			switch m {
			case markID:
				return "'" + filledIDPrefix + "' || lpad(to_hex(n), 12, '0')"
			case markFreshID:
				return "'" + freshIDPrefix + "' || lpad(to_hex(n), 12, '0')"
			case markVIN:
				return "'" + filledVINPrefix + "' || lpad(CAST(n AS text), 8, '0')"
			case markFreshNumber:
				return "CAST(-n AS text)" // in front of those that the product gives
			case markPrice, markDigits, markWord, markWordEnd, markWordTail, fixed:
			}

			return pgPrice(m, "n")
		}) + " AS " + c.kind + ")"
	})

	return fmt.Sprintf("%s SELECT %s FROM generate_series(1, %d) AS n", r.insert(table), values, count)
}
