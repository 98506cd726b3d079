package database

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
)

// lastStatement is a statement that runs at the end of its transaction.
type lastStatement struct {
	sql  string
	args []any
}

// AtCommit leaves what statement writes to the end of the transaction in ctx: after the functions of
// BeforeCommit, right before the commit, and on PostgreSQL all of them in one round trip. Rows that
// nothing in the transaction reads again (a history, an event, an entry of a log) cost least there.
// statement gets a handle like that of Conn, and writes by one Create, Updates, Delete or, through
// Raw, Exec; it is told of no rows. What goes wrong is the error of the InTx. The write goes with the
// savepoint in which it was left when that is undone. Without a transaction it is an error.
func (db *DB) AtCommit(ctx context.Context, statement func(tx *gorm.DB) *gorm.DB) error {
	tx := txOf(ctx, db)
	switch {
	case tx == nil:
		return errOutsideTx
	case tx.ended.Load():
		return errEnded
	}
	written := statement(db.Conn(ctx).Session(&gorm.Session{DryRun: true}))
	if written.Error != nil {
		return Translate(written.Error)
	}
	tx.ending.wrote = true
	tx.ending.last = append(tx.ending.last, lastStatement{sql: written.Statement.SQL.String(), args: written.Statement.Vars})

	return nil
}

// Unchecked turns a handle that AtCommit gives into one of Raw.
func Unchecked(tx *gorm.DB, why string) *gorm.DB {
	return tx.Set(settingRaw, why).Session(&gorm.Session{})
}

// runLast runs what AtCommit left.
func (tx *transaction) runLast(ctx context.Context) error {
	last := tx.ending.last
	tx.ending.last = nil

	return tx.db.tracedLast(ctx, last, tx.sendLast)
}

func (tx *transaction) sendLast(ctx context.Context, last []lastStatement) error {
	if len(last) > 1 && tx.conn != nil {
		return Translate(tx.conn.Raw(func(driver any) error { return sendTogether(ctx, driver, last) }))
	}
	for _, s := range last {
		if _, err := tx.pool.ExecContext(tx.statements(ctx), s.sql, s.args...); err != nil {
			return Translate(err)
		}
	}

	return nil
}

// sendTogether runs statements in one round trip. PostgreSQL runs none that comes after one that fails.
func sendTogether(ctx context.Context, driver any, all []lastStatement) error {
	conn, ok := driver.(*stdlib.Conn)
	if !ok {
		return fmt.Errorf("database: %T is no connection of pgx", driver)
	}
	batch := &pgx.Batch{}
	for _, s := range all {
		batch.Queue(s.sql, s.args...)
	}

	return conn.Conn().SendBatch(ctx, batch).Close()
}
