package database

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// copyRows sends rows by COPY, in the transaction in ctx.
func (db *DB) copyRows(ctx context.Context, into Rows, rows [][]any, failed func(error) error) error {
	tx := txOf(ctx, db)
	switch {
	case tx == nil:
		return errOutsideTx
	case tx.ended.Load():
		return errEnded
	case len(rows) == 0:
		return nil
	}
	tx.ending.wrote = true
	if err := tx.ready(ctx); err != nil {
		return err
	}
	copied := statement{sql: "COPY " + into.table + " FROM STDIN", failed: failed}

	return db.tracedTogether(ctx, []statement{copied}, func(ctx context.Context, all []statement) error {
		err := tx.conn.Raw(func(driver any) error {
			conn, ok := driver.(*stdlib.Conn)
			if !ok {
				return fmt.Errorf("database: %T is not a pgx connection", driver)
			}
			_, err := conn.Conn().CopyFrom(ctx, pgx.Identifier{into.table}, into.columns, pgx.CopyFromRows(rows))

			return err
		})
		if err == nil {
			return nil
		}

		return all[0].translateError(Translate(err))
	})
}
