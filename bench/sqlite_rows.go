package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

func (s *sqlite) counts(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	err := s.with(ctx, "dispatchd.db", func(conn *sql.Conn) error {
		tables, err := strs(ctx, conn, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
		if err != nil {
			return err
		}
		for _, table := range tables {
			var count int
			if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM "+quoteName(table)).Scan(&count); err != nil {
				return err
			}
			counts[table] = count
		}

		return nil
	})

	return counts, err
}

// strs returns the rows of a query with one column of text.
func strs(ctx context.Context, conn *sql.Conn, query string) (list []string, err error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}

	return list, rows.Err()
}

// columns lists the columns of a table. A lone integer primary key is filled by SQLite.
func (s *sqlite) columns(ctx context.Context, conn *sql.Conn, table string) (columns []cell, err error) {
	rows, err := conn.QueryContext(ctx, `SELECT name, type, pk > 0,
		dflt_value IS NOT NULL OR upper(type) = 'INTEGER' AND pk = 1 AND (SELECT max(pk) FROM pragma_table_info(?1)) = 1,
		name IN (SELECT c.name FROM pragma_index_list(?1) AS i, pragma_index_info(i.name) AS c WHERE i."unique" AND i.origin <> 'pk')
		FROM pragma_table_info(?1) ORDER BY cid`, table)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var c cell
		if err := rows.Scan(&c.column, &c.kind, &c.key, &c.filled, &c.unique); err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}

	return columns, rows.Err()
}

func (s *sqlite) mentioning(ctx context.Context, table string, sample sample) ([]row, error) {
	var found []row
	err := s.with(ctx, "dispatchd.db", func(conn *sql.Conn) error {
		columns, err := s.columns(ctx, conn, table)
		if err != nil {
			return err
		}
		var classes, values, all []string
		for _, c := range columns {
			name := quoteName(c.column)
			classes = append(classes, "typeof("+name+")")
			values = append(values, "CAST("+name+" AS TEXT)")
			all = append(all, "coalesce(CAST("+name+" AS TEXT), '')")
		}
		rows, err := conn.QueryContext(ctx, fmt.Sprintf("SELECT %s FROM %s WHERE instr(%[3]s, ?1) > 0 OR instr(%[3]s, ?2) > 0",
			strings.Join(slices.Concat(classes, values), ", "), quoteName(table), strings.Join(all, " || '|' || ")), sample.id, sample.request)
		if err != nil {
			return err
		}
		found, err = scanRows(rows, table, columns, sample)

		return err
	})

	return found, err
}

// scanRows reads rows of storage classes and, after them, values as text.
func scanRows(rows *sql.Rows, table string, columns []cell, s sample) (found []row, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		texts := make([]*string, 2*len(columns))
		targets := make([]any, len(texts))
		for i := range texts {
			targets[i] = &texts[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		stored := slices.Clone(columns)
		for i := range stored {
			stored[i].kind = *texts[i]
		}
		cut, err := cutRows(table, stored, [][]*string{texts[len(columns):]}, s)
		if err != nil {
			return nil, err
		}
		found = append(found, cut...)
	}

	return found, rows.Err()
}
