package database

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// postgresTime has the digits that PostgreSQL keeps; it would round others.
const postgresTime = "2006-01-02T15:04:05.999999Z07:00"

// Rows is a statement that inserts any number of rows. See PipelineRows.
type Rows struct {
	// one inserts a row, many on PostgreSQL any number, some on SQLite 2, 4, 8 … at once. Without many, some serves both.
	one, many string
	some      []string
	// table and columns are those of COPY on PostgreSQL, "" for rows that are inserted.
	table   string
	columns []string
}

// sqliteDoublings is how often the rows of a statement on SQLite are doubled, so that 64 go at once: in a
// transaction with savepoints, a statement that fires triggers costs as much as many rows, and a
// virtual table is written to the file at the end of each.
const sqliteDoublings = 6

// Value is what a column of Rows gets: SQL with question marks, "" for one alone, and for each of these the type
// that it has on PostgreSQL.
type Value struct {
	SQL   string
	Types []string
}

// PlainValues are values as they come, of these types.
func PlainValues(types ...string) []Value {
	values := make([]Value, len(types))
	for i, t := range types {
		values[i] = Value{Types: []string{t}}
	}

	return values
}

// NewRows makes a statement of "INSERT INTO table (columns)", the values of the columns, and what comes after
// them, such as ON CONFLICT.
func NewRows(insert string, values []Value, then string) Rows {
	made := listedRows(insert, singly(values), then)
	columns, from := unnested(values)
	made.many = insert + " SELECT " + strings.Join(columns, ", ") + from + " " + then

	return made
}

// NewSums makes a statement that adds numbers to the column total of the rows that have certain keys, and makes rows that are not there.
// It comes to each row once and in their order, however many numbers it adds.
func NewSums(table string, keys []string, values []Value, total string) Rows {
	values = append(slices.Clone(values), Value{Types: []string{"bigint"}})
	insert := "INSERT INTO " + table + " (" + strings.Join(keys, ", ") + ", " + total + ")"
	then := "ON CONFLICT (" + strings.Join(keys, ", ") + ") DO UPDATE SET " + total + " = " + table + "." + total + " + excluded." + total
	made := listedRows(insert, singly(values), then)
	columns, from := unnested(values)
	first := strings.Join(columns[:len(keys)], ", ")
	made.many = insert + " SELECT " + first + ", CAST(sum(" + columns[len(keys)] + ") AS bigint)" + from +
		" GROUP BY " + first + " ORDER BY " + first + " " + then

	return made
}

// singly are values with their question marks.
func singly(values []Value) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = cmp.Or(v.SQL, "?")
	}

	return texts
}

// unnested are values from lists of texts, as PostgreSQL has them.
func unnested(values []Value) (columns []string, from string) {
	var names []string
	for _, v := range values {
		text := cmp.Or(v.SQL, "?")
		for _, t := range v.Types {
			names = append(names, "c"+strconv.Itoa(len(names)))
			text = strings.Replace(text, "?", "CAST(u."+names[len(names)-1]+" AS "+t+")", 1)
		}
		columns = append(columns, text)
	}
	lists := strings.TrimSuffix(strings.Repeat("CAST(? AS text[]), ", len(names)), ", ")

	return columns, " FROM unnest(" + lists + ") AS u (" + strings.Join(names, ", ") + ")"
}

// NewUntypedRows is NewRows for plain values whose types nobody knows but the table.
func NewUntypedRows(insert string, columns int, then string) Rows {
	return listedRows(insert, slices.Repeat([]string{"?"}, columns), then)
}

// NewCopiedRows makes rows of a table that PostgreSQL gets by COPY, which takes a fraction of the time of an INSERT. None of them may be
// in the table already. Their values have the types of the columns.
func NewCopiedRows(table string, columns ...string) Rows {
	made := NewUntypedRows("INSERT INTO "+table+" ("+strings.Join(columns, ", ")+")", len(columns), "")
	made.table, made.columns = table, columns

	return made
}

// listedRows are rows after VALUES.
func listedRows(insert string, values []string, then string) Rows {
	row := "(" + strings.Join(values, ", ") + ")"
	made := Rows{one: insert + " VALUES " + row + " " + then, some: make([]string, sqliteDoublings)}
	for i, list := 0, row; i < sqliteDoublings; i++ {
		list += ", " + list
		made.some[i] = insert + " VALUES " + list + " " + then
	}

	return made
}

// Many returns the statement for many rows on PostgreSQL, to be a part of another one. Its arguments are those
// of Transpose.
func (r Rows) Many() string { return r.many }

// PipelineRows is Pipeline for rows of one kind: they are one statement on PostgreSQL, a few on SQLite and where the types of
// columns are not known, whose texts are the same however many they are. Those of NewCopiedRows are sent at once.
func (db *DB) PipelineRows(ctx context.Context, why string, into Rows, rows [][]any, failed func(error) error) error {
	if db.dialect == Postgres && into.table != "" {
		return into.sendCopy(ctx, db, rows, failed)
	}
	if db.dialect == Postgres && len(rows) > 0 && into.many != "" {
		tx, err := db.inside(ctx)
		if err == nil {
			tx.leave(statement{into: &into, rows: rows, failed: failed})
		}

		return err
	}
	for len(rows) > 0 {
		query, n := into.one, 1
		for i := 0; i < len(into.some) && 2*n <= len(rows); i++ {
			query, n = into.some[i], 2*n
		}
		args := slices.Concat(rows[:n]...)
		if err := db.Pipeline(ctx, why, query, args, failed); err != nil {
			return err
		}
		rows = rows[n:]
	}

	return nil
}

// sendCopy sends rows by COPY, in the transaction in ctx.
func (r Rows) sendCopy(ctx context.Context, db *DB, rows [][]any, failed func(error) error) error {
	tx, err := db.inside(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	tx.ending.wrote = true
	if err := tx.ready(ctx); err != nil {
		return err
	}
	copied := statement{sql: "COPY " + r.table + " FROM STDIN", failed: failed}

	return db.tracedTogether(ctx, []statement{copied}, func(ctx context.Context, all []statement) error {
		err := tx.conn.Raw(func(raw any) error {
			conn, ok := connOf(raw)
			if !ok {
				return fmt.Errorf("database: %T is not a pgx connection", raw)
			}
			_, err := conn.CopyFrom(ctx, pgx.Identifier{r.table}, r.columns, pgx.CopyFromRows(rows))

			return err
		})
		if err == nil {
			return nil
		}

		return all[0].translateError(Translate(err))
	})
}

// Transpose makes of rows a list of texts for each column, which PostgreSQL reads as unnest(CAST(? AS text[]), …).
func Transpose(rows [][]any) ([]any, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	columns := make([]any, len(rows[0]))
	for i := range columns {
		column := make([]*string, len(rows))
		for n, row := range rows {
			text, err := textOf(row[i])
			if err != nil {
				return nil, err
			}
			column[n] = text
		}
		columns[i] = column
	}

	return columns, nil
}

// textOf is a value as PostgreSQL reads it, nil for NULL.
func textOf(value any) (*string, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil //nolint:nilnil // NULL
	case string:
		return &v, nil
	case uuid.UUID:
		return new(v.String()), nil
	case *uuid.UUID:
		if v == nil {
			return nil, nil //nolint:nilnil // NULL
		}

		return new(v.String()), nil
	case time.Time:
		return new(v.UTC().Format(postgresTime)), nil
	case *time.Time:
		if v == nil {
			return nil, nil //nolint:nilnil // NULL
		}

		return new(v.UTC().Format(postgresTime)), nil
	case int64:
		return new(strconv.FormatInt(v, 10)), nil
	case bool:
		return new(strconv.FormatBool(v)), nil
	case []byte:
		return new(`\x` + hex.EncodeToString(v)), nil
	case driver.Valuer:
		inner, err := v.Value()
		if err != nil {
			return nil, err
		}

		return textOf(inner)
	}

	return nil, fmt.Errorf("database: a %T is no value of a row", value)
}
