package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

func (p *postgres) counts(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	err := p.with(ctx, p.url(), func(conn *pgx.Conn) error {
		tables, err := texts(ctx, conn, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
		if err != nil {
			return err
		}
		for _, table := range tables {
			var count int
			if err := conn.QueryRow(ctx, "SELECT count(*) FROM "+quoteName(table)).Scan(&count); err != nil {
				return err
			}
			counts[table] = count
		}

		return nil
	})

	return counts, err
}

// texts returns the rows of a query with one column of text.
func texts(ctx context.Context, conn *pgx.Conn, query string, args ...any) ([]string, error) {
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}

	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// columnsQuery lists the columns that an insert may name: type, whether they are part of the primary
// key, and whether the database fills them.
const columnsQuery = `
SELECT a.attname, format_type(a.atttypid, a.atttypmod), coalesce(a.attnum = ANY (i.indkey), false),
       a.atthasdef OR a.attidentity <> '',
       EXISTS (SELECT FROM pg_index u WHERE u.indrelid = a.attrelid AND u.indisunique AND NOT u.indisprimary AND a.attnum = ANY (u.indkey))
FROM pg_attribute a
LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
WHERE a.attrelid = CAST($1 AS regclass) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
ORDER BY a.attnum`

func (p *postgres) mentioning(ctx context.Context, table string, s sample) ([]row, error) {
	var found []row
	err := p.with(ctx, p.url(), func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, columnsQuery, quoteName(table))
		if err != nil {
			return err
		}
		columns, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (c cell, err error) {
			return c, r.Scan(&c.column, &c.kind, &c.key, &c.filled, &c.unique)
		})
		if err != nil {
			return err
		}
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = "CAST(" + quoteName(c.column) + " AS text)"
		}
		rows, err = conn.Query(ctx, fmt.Sprintf("SELECT ARRAY[%s] FROM %s AS r WHERE strpos(CAST(r AS text), $1) > 0 OR strpos(CAST(r AS text), $2) > 0",
			strings.Join(names, ", "), quoteName(table)), s.id, s.request)
		if err != nil {
			return err
		}
		values, err := pgx.CollectRows(rows, pgx.RowTo[[]*string])
		if err != nil {
			return err
		}
		found, err = cutRows(table, columns, values, s)

		return err
	})

	return found, err
}

// cutRows makes rows of the texts of their values, nil being NULL.
func cutRows(table string, columns []cell, values [][]*string, s sample) ([]row, error) {
	rows := make([]row, 0, len(values))
	for _, texts := range values {
		r := row{table: table}
		for i, text := range texts {
			c := columns[i]
			if c.null = text == nil; !c.null {
				c.pieces = s.cut(*text)
			}
			r.cells = append(r.cells, c)
		}
		fresh, err := r.freshen()
		if err != nil {
			return nil, err
		}
		rows = append(rows, fresh)
	}

	return rows, nil
}
