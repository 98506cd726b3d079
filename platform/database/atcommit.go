package database

import (
	"context"

	"gorm.io/gorm"
)

// AtCommit leaves what statement writes to the end of the transaction in ctx: after the functions of
// BeforeCommit, right before the commit, and on PostgreSQL all of them in one round trip. Rows that
// nothing in the transaction reads again (a history, an event, an entry of a log) cost least there.
// write gets a handle like that of Conn, and writes by one Create, Updates, Delete or, through
// Raw, Exec; it is told of no rows. What goes wrong is the error of the InTx. The write goes with the
// savepoint in which it was left when that is undone. Without a transaction it is an error.
func (db *DB) AtCommit(ctx context.Context, write func(tx *gorm.DB) *gorm.DB) error {
	tx := txOf(ctx, db)
	switch {
	case tx == nil:
		return errOutsideTx
	case tx.ended.Load():
		return errEnded
	}
	written := write(db.Conn(ctx).Session(&gorm.Session{DryRun: true}))
	if written.Error != nil {
		return Translate(written.Error)
	}
	tx.ending.wrote = true
	tx.ending.last = append(tx.ending.last, statement{sql: written.Statement.SQL.String(), args: written.Statement.Vars})

	return nil
}

// Unchecked turns a handle that AtCommit gives into one of Raw.
func Unchecked(tx *gorm.DB, why string) *gorm.DB {
	return tx.Set(settingRaw, why).Session(&gorm.Session{})
}

// runLast runs what Pipeline and AtCommit left.
func (tx *transaction) runLast(ctx context.Context) error {
	all := append(tx.ending.soon, tx.ending.last...)
	tx.ending.soon, tx.ending.last = nil, nil

	return tx.db.tracedTogether(ctx, all, tx.send)
}
