package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// besideSQLite is a database in a folder of its own.
type besideSQLite struct{ *sqlite }

func (s *sqlite) beside(context.Context) (millionStore, error) {
	dir := filepath.Join(s.dir, millionSection)

	return besideSQLite{&sqlite{dir: dir}}, os.MkdirAll(dir, 0o700)
}

// close removes the files, which are large.
func (s besideSQLite) close(context.Context) error { return os.RemoveAll(s.dir) }

func (s besideSQLite) populate(ctx context.Context, sc *scene) (err error) {
	s.rows = sc.rows
	if s.records, err = findRecordTable(sc.rows, sc.sample); err != nil {
		return err
	}
	if err := s.with(ctx, "dispatchd.db", func(conn *sql.Conn) error { return s.fillMillion(ctx, conn, sc) }); err != nil {
		return err
	}

	return s.copyFile(ctx, "ceiling.db")
}

func (s besideSQLite) fillMillion(ctx context.Context, conn *sql.Conn, sc *scene) error {
	statements := append([]string{"PRAGMA cache_size = -1000000", "PRAGMA synchronous = OFF", "BEGIN IMMEDIATE"}, sc.plotStatements("text")...)
	statements = append(statements, fmt.Sprintf(`CREATE TEMP TABLE %s AS WITH RECURSIVE every (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM every WHERE n < %d)
		SELECT p.number AS plot, e.n AS n FROM every AS e CROSS JOIN %s AS p WHERE e.n <= p.records ORDER BY (e.n - 0.5) / p.records, p.number`,
		numberTable, max(sc.sizes.large, sc.sizes.small), plotTable))
	for _, f := range fillings(sc.rows) {
		indexes, err := strs(ctx, conn, "SELECT sql || '|' || name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = '"+f.table+"'")
		if err != nil {
			return err
		}
		filled := f.statements(sc.sample, sqliteSpelling())
		statements = append(statements, filled[:2]...)
		for _, index := range indexes {
			statements = append(statements, "DROP INDEX "+index[strings.LastIndexByte(index, '|')+1:])
		}
		statements = append(statements, filled[2:]...)
		for _, index := range indexes {
			statements = append(statements, index[:strings.LastIndexByte(index, '|')])
		}
	}
	// As the product keeps its statistics.
	statements = append(statements, countStatement, "COMMIT", "ANALYZE",
		"UPDATE sqlite_stat1 SET stat = stat || ' noskipscan' WHERE idx IS NOT NULL AND stat NOT LIKE '%noskipscan%'", "ANALYZE sqlite_schema")
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%w in %.2000s", err, statement)
		}
	}

	return nil
}

// sqliteSpelling is of the n-th record of a plot.
func sqliteSpelling() spelling {
	end := func(count int) string {
		return fmt.Sprintf("substr(printf('%%08d', n.n * %d %% %d), %d)", vinStep, vinModulus, 9-count)
	}

	return spelling{text: "TEXT", literal: sqliteLiteral, value: func(m mark) string {
		switch m {
		case markID:
			return fmt.Sprintf("printf('%s%%012x', n.n * %d + n.plot)", filledIDPrefix, numberedModules)
		case markVIN:
			return "'" + filledVINPrefix + "' || " + end(8)
		case markWord:
			return "'" + strings.ToLower(filledVINPrefix) + "' || " + end(8)
		case markWordEnd:
			return end(8)
		case markWordTail:
			return end(6)
		case markDigits:
			return "printf('%05d%02d', 10000 + n.n * 7919 % 90000, n.n % 100)"
		case markPrice, markFreshID, markFreshNumber, fixed:
		}

		return "printf('%05d.%02d', 10000 + n.n * 7919 % 90000, n.n % 100)"
	}}
}
