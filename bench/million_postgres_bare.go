package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// What creates and patches write to the tables of the area goes into the product's own, which are full; the
// rest goes into copies, where it is in nobody's way.
func (besidePostgres) target(table string) string {
	if strings.HasPrefix(table, areaPrefix) && table != historyTable {
		return quoteName(table)
	}

	return copyOf(table)
}

func (p besidePostgres) bare(s *scene, e errand) ceiling {
	if e.task == taskBulk {
		return ceiling{name: "pgx, 500 rows a statement", measure: func(ctx context.Context, d time.Duration) (float64, error) {
			return p.bulkLoop(ctx, d)
		}}
	}
	switch e.task {
	case taskCreate:
		return p.ceiling("pgbench", pgRandom+pipeline(pgInserts(p.rows, p.target)), e.clients)
	case taskPatch:
		return p.ceiling("pgbench", p.patchScript(s), e.clients)
	default:
	}
	statement := p.errandStatement(s, e)
	bare := p.ceiling("pgbench", pgRecordScript(s.place(e).records)+statement+";\n", e.clients)

	return ceiling{name: bare.name, measure: func(ctx context.Context, d time.Duration) (float64, error) {
		if err := p.checkFinds(ctx, statement, e.rows()); err != nil {
			return 0, err
		}

		return bare.measure(ctx, d)
	}}
}

// checkFinds makes sure that a statement of pgbench finds what it is to find, of which pgbench says nothing.
func (p besidePostgres) checkFinds(ctx context.Context, statement string, rows int) error {
	return p.with(ctx, p.url(), func(conn *pgx.Conn) error {
		found, err := conn.Exec(ctx, strings.ReplaceAll(statement, pgRecord, "CAST(1 AS bigint)"))
		if err == nil && int(found.RowsAffected()) < rows {
			err = fmt.Errorf("%d rows instead of %d are found by %s", found.RowsAffected(), rows, statement)
		}

		return err
	})
}

// pgRecord is the number of one of the filled records, by which it is asked for.
const pgRecord = "CAST(:i AS bigint)"

func pgRecordScript(records int) string { return fmt.Sprintf("\\set i random(1, %d)\n", records) }

func (p besidePostgres) errandStatement(s *scene, e errand) string {
	at := s.place(e)
	number := strconv.Itoa(at.number)
	w := wanted{
		id:    "CAST(" + postgresMillion(markID, pgRecord, number) + " AS uuid)",
		vin:   postgresMillion(markVIN, pgRecord, number),
		after: rangeFrom,
	}
	search := ""
	switch e.task {
	case taskDeep:
		w.after = "CAST('" + millionID(at.number, s.sizes.depth()) + "' AS uuid)"
	case taskSearch:
		search = "WITH found AS MATERIALIZED (SELECT company_id, module_id, record_id FROM " + searchTable + " WHERE words @@ CAST(" +
			postgresLiteral("'"+at.words) + " || " + postgresMillion(markWordEnd, pgRecord, number) + " || " + postgresLiteral("':*") + " AS tsquery))" +
			" SELECT record_id FROM found WHERE company_id = '" + at.company + "' AND module_id = '" + at.module + "'"
	case taskCommon:
		search = "(SELECT s.words @@ CAST(" + postgresLiteral("'"+at.words+commonWord+"':*") + " AS tsquery) FROM " + searchTable +
			" AS s WHERE s.company_id = r.company_id AND s.record_id = r.id)"
	case taskGet, taskFilter, taskRange, taskSort, taskPage, taskPatch, taskCreate, taskBulk:
	}

	return p.records.recordsIn(at).errand(e.task, w, search)
}

// patchScript gives a record of the large module a new price.
func (p besidePostgres) patchScript(s *scene) string {
	at := s.plots[largeNumber].place
	value := func(m mark) string {
		if m == markID || m == markVIN {
			return postgresMillion(m, pgRecord, strconv.Itoa(at.number))
		}

		return pgbenchValue(m)
	}
	id := "CAST(" + value(markID) + " AS uuid)"
	statements := []string{
		p.records.held(id, " FOR NO KEY UPDATE"),
		p.records.patch(rowOf(p.rows, p.records.table), "'"+at.company+"'", id, func(c cell) string { return pgCast(c, value) }),
	}
	for _, r := range s.patched {
		statements = append(statements, r.insert(p.target(r.table))+" VALUES ("+r.values(func(c cell) string { return pgCast(c, value) })+")")
	}

	return pgRecordScript(at.records) + pgRandom + pipeline(statements)
}

// bulkLoop inserts records by prepared statements of as many rows as a bulk request has records, one for
// each row that a create writes, in one transaction.
func (p besidePostgres) bulkLoop(ctx context.Context, d time.Duration) (rate float64, err error) {
	err = p.with(ctx, p.url(), func(conn *pgx.Conn) error {
		for i, r := range p.rows {
			if _, err := conn.Prepare(ctx, bulkName(i), bulkInsert(r, p.target(r.table))); err != nil {
				return fmt.Errorf("%w: %s", err, r.table)
			}
		}
		count, begin := 0, time.Now()
		for time.Since(begin) < d {
			if err := bulkOnce(ctx, conn, p.rows); err != nil {
				return err
			}
			count += bulkSize
		}
		rate = float64(count) / time.Since(begin).Seconds()

		return nil
	})

	return rate, err
}

func bulkName(i int) string { return "bulk_" + strconv.Itoa(i) }

// bulkInsert binds what differs from record to record, and has the rest in it.
func bulkInsert(r row, table string) string {
	rows, bound := make([]string, bulkSize), 0
	for i := range rows {
		rows[i] = "(" + r.values(func(c cell) string {
			if !c.varies() {
				return pgCast(c, nil)
			}
			bound++

			return fmt.Sprintf("CAST(CAST($%d AS text) AS %s)", bound, c.kind)
		}) + ")"
	}

	return r.insert(table) + " VALUES " + strings.Join(rows, ", ")
}

func bulkOnce(ctx context.Context, conn *pgx.Conn, rows []row) error {
	values := make([]func(mark) string, bulkSize)
	for i := range values {
		values[i] = newValues()
	}
	batch := &pgx.Batch{}
	for i, r := range rows {
		var arguments []any
		for _, value := range values {
			for _, c := range r.cells {
				if !c.null && c.varies() {
					arguments = append(arguments, join(c.pieces, value))
				}
			}
		}
		batch.Queue(bulkName(i), arguments...)
	}
	results := conn.SendBatch(ctx, batch)
	for range rows {
		if _, err := results.Exec(); err != nil {
			return errors.Join(err, results.Close())
		}
	}

	return results.Close()
}
