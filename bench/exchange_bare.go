package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

func decode(from io.Reader, to any) error { return json.NewDecoder(from).Decode(to) }

// bareRecords is a database of the product, as the database itself writes and reads its records: into a
// table like theirs with the same key, and nothing of what belongs to a record beside (its indexes, audit
// trail, events).
type bareRecords struct {
	url     string
	records int
	// open calls work with what is done there.
	open func(ctx context.Context, work func(bareAccess) error) error
}

// bareAccess is a connection to one of the databases.
type bareAccess interface {
	exec(ctx context.Context, statement string) error
	// read reads the rows of a module and keeps them if asked to.
	read(ctx context.Context, module string, keep bool) ([][]any, error)
	// write writes rows into the table bare, in one go.
	write(ctx context.Context, rows [][]any) error
}

const exchangeFile = "exchange.db"

// bareColumns are what of a record is written and read.
func bareColumns() []string {
	return []string{"company_id", "id", "module_id", "version", "schema_revision", "data", "created_at", "updated_at"}
}

// bareRecords makes an empty database.
func (t *trial) bareRecords(ctx context.Context, records int) (bareRecords, error) {
	switch db := t.db.(type) {
	case *sqlite:
		name := fmt.Sprintf("%d.%s", records, exchangeFile)

		return bareRecords{url: "sqlite:" + db.file(name), records: records, open: func(ctx context.Context, work func(bareAccess) error) error {
			return db.with(ctx, name, func(conn *sql.Conn) error { return work(bareSQLite{conn}) })
		}}, nil
	case *postgres:
		url, err := db.fresh(ctx)

		return bareRecords{url: url, records: records, open: func(ctx context.Context, work func(bareAccess) error) error {
			return db.with(ctx, url, func(conn *pgx.Conn) error { return work(barePostgres{conn}) })
		}}, err
	}

	return bareRecords{}, fmt.Errorf("no bare records of %s", t.db.name())
}

// rates returns how many records a second the database writes and reads by itself.
func (b bareRecords) rates(ctx context.Context, module string) (in, out float64, err error) {
	err = b.open(ctx, func(a bareAccess) error {
		begin := time.Now()
		if _, err := a.read(ctx, module, false); err != nil {
			return err
		}
		out = float64(b.records) / time.Since(begin).Seconds()
		rows, err := a.read(ctx, module, true)
		if err != nil {
			return err
		}
		if len(rows) != b.records {
			return fmt.Errorf("the module has %d records, not %d", len(rows), b.records)
		}
		columns := strings.Join(bareColumns(), ", ")
		for _, statement := range []string{
			"CREATE TABLE bare AS SELECT " + columns + " FROM custom_modules_records WHERE company_id IS NULL",
			"CREATE UNIQUE INDEX bare_key ON bare (company_id, id)",
		} {
			if err := a.exec(ctx, statement); err != nil {
				return err
			}
		}
		begin = time.Now()
		err = a.write(ctx, rows)
		in = float64(b.records) / time.Since(begin).Seconds()

		return err
	})

	return in, out, err
}

// bareSelect reads the records of a module in their order.
func bareSelect(mark string) string {
	return "SELECT " + strings.Join(bareColumns(), ", ") + " FROM custom_modules_records WHERE module_id = " + mark + " ORDER BY id"
}

type barePostgres struct{ conn *pgx.Conn }

func (p barePostgres) exec(ctx context.Context, statement string) error {
	_, err := p.conn.Exec(ctx, statement)

	return err
}

func (p barePostgres) read(ctx context.Context, module string, keep bool) (all [][]any, err error) {
	rows, err := p.conn.Query(ctx, bareSelect("$1"), module)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return nil, err
		}
		if keep {
			all = append(all, values)
		}
	}

	return all, rows.Err()
}

// write copies.
func (p barePostgres) write(ctx context.Context, rows [][]any) error {
	_, err := p.conn.CopyFrom(ctx, pgx.Identifier{"bare"}, bareColumns(), pgx.CopyFromRows(rows))

	return err
}

type bareSQLite struct{ conn *sql.Conn }

func (s bareSQLite) exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)

	return err
}

func (s bareSQLite) read(ctx context.Context, module string, keep bool) (all [][]any, err error) {
	rows, err := s.conn.QueryContext(ctx, bareSelect("?"), module)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		values := make([]any, len(bareColumns()))
		into := make([]any, len(values))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		if keep {
			all = append(all, values)
		}
	}

	return all, rows.Err()
}

// bareBatch is how many rows the loop commits at once: as many as an import does.
const bareBatch = 200

// write inserts by one prepared statement in a loop.
func (s bareSQLite) write(ctx context.Context, rows [][]any) (err error) {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(bareColumns())), ", ")
	insert, err := s.conn.PrepareContext(ctx, "INSERT INTO bare VALUES ("+marks+")") //nolint:gosec // question marks
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for i, row := range rows {
		if i%bareBatch == 0 {
			if err := s.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
				return err
			}
		}
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
		if i%bareBatch == bareBatch-1 || i == len(rows)-1 {
			if err := s.exec(ctx, "COMMIT"); err != nil {
				return err
			}
		}
	}

	return nil
}
