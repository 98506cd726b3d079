package main

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	_ "modernc.org/sqlite" // the driver that the product uses
)

// sqlite is a store in a folder: the file of the product, a copy of it with hardly a record, and one
// with all records for the ceilings.
type sqlite struct {
	dir   string
	depth int

	rows    []row
	records recordTable
	count   int
}

func (*sqlite) name() string              { return sqliteName }
func (s *sqlite) url() string             { return "sqlite:" + s.file("dispatchd.db") }
func (s *sqlite) emptyURL() string        { return "sqlite:" + s.file("empty.db") }
func (s *sqlite) file(name string) string { return filepath.Join(s.dir, name) }

// open opens a file as the product does: WAL, and every commit on the disk.
func (s *sqlite) open(name string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+s.file(name)+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)"+
		"&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=cache_size(-32000)")
}

// with calls work with one connection to a file.
func (s *sqlite) with(ctx context.Context, name string, work func(*sql.Conn) error) (err error) {
	db, err := s.open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()

	return work(conn)
}

func (s *sqlite) facts(ctx context.Context) ([]fact, error) {
	var version, journal, synchronous string
	err := s.with(ctx, "dispatchd.db", func(conn *sql.Conn) error {
		return errors.Join(
			conn.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version),
			conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&journal),
			conn.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&synchronous),
		)
	})

	return []fact{
		{"SQLite", version},
		{"SQLite journal_mode, synchronous of the ceiling", journal + ", " + synchronous + " (2 is FULL)"},
	}, err
}

// keepEmpty copies the file; what the product left in the write-ahead log goes into it first.
func (s *sqlite) keepEmpty(ctx context.Context) error { return s.copyFile(ctx, "empty.db") }

func (s *sqlite) copyFile(ctx context.Context, name string) (err error) {
	if err := s.with(ctx, "dispatchd.db", func(conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")

		return err
	}); err != nil {
		return err
	}
	from, err := os.Open(s.file("dispatchd.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := os.Create(s.file(name))
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)

	return errors.Join(err, to.Close())
}

func (s *sqlite) fill(ctx context.Context, sample sample, rows []row, count int) (err error) {
	s.rows, s.count = rows, count
	if s.records, err = findRecordTable(rows, sample); err != nil {
		return err
	}
	if err := s.with(ctx, "dispatchd.db", func(conn *sql.Conn) error {
		statements := []string{"BEGIN IMMEDIATE"}
		for _, r := range rows {
			statements = append(statements, sqliteFill(r, count))
		}
		for _, statement := range append(statements, "COMMIT", "ANALYZE") {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%w in %.2000s", err, statement)
			}
		}

		return nil
	}); err != nil {
		return err
	}

	return s.copyFile(ctx, "ceiling.db")
}

// sqliteFill inserts copies of a row, numbered from 1.
func sqliteFill(r row, count int) string {
	values := r.values(func(c cell) string {
		return "CAST(" + concatenate(c.pieces, sqliteLiteral, func(m mark) string {
			switch m {
			case markID:
				return "printf('" + filledIDPrefix + "%012x', n)"
			case markFreshID:
				return "printf('" + freshIDPrefix + "%012x', n)"
			case markVIN:
				return "printf('" + filledVINPrefix + "%08d', n)"
			case markFreshNumber:
				return "-n" // in front of those that the product gives
			case markDigits:
				return "printf('%05d%02d', 10000 + n * 7919 % 90000, n % 100)"
			case markPrice, markWord, markWordEnd, markWordTail, fixed:
			}

			return "printf('%05d.%02d', 10000 + n * 7919 % 90000, n % 100)"
		}) + " AS " + c.kind + ")"
	})

	return fmt.Sprintf("WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d) %s SELECT %s FROM numbers",
		count, r.insert(quoteName(r.table)), values)
}

// sqliteLiteral writes text, or bytes that are none, in SQL.
func sqliteLiteral(text string) string {
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return "X'" + hex.EncodeToString([]byte(text)) + "'"
	}

	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

const eventsFile = "events.db"

func (s *sqlite) fresh(context.Context) (string, error) { return "sqlite:" + s.file(eventsFile), nil }

func (*sqlite) close(context.Context) error { return nil }
