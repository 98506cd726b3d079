package database

import (
	"context"
	"errors"
	"strings"

	"gorm.io/gorm"
)

// ending is what a transaction knows for its end.
type ending struct {
	// wrote says that a row was written, or that somebody was given the transaction to do so.
	wrote bool
	// notes are what Note left.
	notes []any
	// soon are what Pipeline left and nobody sent yet.
	soon []statement
	// after are what AfterCommit left.
	after []func()
}

// BeforeCommit registers fn to run at the end of every transaction that wrote something or has
// notes: inside it, after the function of the outermost InTx has returned nil and with that one's
// context. An error of fn is the error of the InTx, and nothing is committed. What fn locks is held
// for little more than the commit. Functions run in the order of their registration, which is over
// before Start.
func (db *DB) BeforeCommit(fn func(ctx context.Context) error) {
	db.beforeCommit = append(db.beforeCommit, fn)
}

// Note leaves a value in the transaction in ctx, for the functions of BeforeCommit. It goes with the
// savepoint in which it was left when that is undone. Without a transaction it is an error.
func (db *DB) Note(ctx context.Context, value any) error {
	tx := db.tx(ctx)
	if tx == nil {
		return errOutsideTx
	}
	tx.ending.notes = append(tx.ending.notes, value)

	return nil
}

// Notes returns the notes of one type, in the order in which they were left.
func Notes[T any](ctx context.Context) []T {
	tx := txIn(ctx)
	if tx == nil {
		return nil
	}
	var notes []T
	for _, note := range tx.ending.notes {
		if n, ok := note.(T); ok {
			notes = append(notes, n)
		}
	}

	return notes
}

// toEnd adds the functions of BeforeCommit to the function of an outermost InTx.
func (db *DB) toEnd(fn func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := fn(ctx); err != nil {
			return err
		}
		tx := db.tx(ctx)
		if tx.doomed != nil || !tx.ending.wrote && len(tx.ending.notes) == 0 {
			return tx.doomed
		}
		for _, last := range db.beforeCommit {
			if err := last(ctx); err != nil {
				return err
			}
		}

		return tx.flush(ctx)
	}
}

// noticeWrites notes in a transaction that GORM wrote a row.
func noticeWrites(db *gorm.DB) error {
	notice := func(db *gorm.DB) {
		if tx := txIn(db.Statement.Context); tx != nil && db.Error == nil && db.RowsAffected != 0 {
			tx.ending.wrote = true
		}
	}
	noticeReturning := func(db *gorm.DB) {
		if tx := txIn(db.Statement.Context); tx != nil && db.Error == nil && mayWrite(db.Statement.SQL.String()) {
			tx.ending.wrote = true
		}
	}
	callback := db.Callback()

	return errors.Join(
		callback.Raw().After("*").Register("dispatchd:wrote", notice),
		callback.Create().After("*").Register("dispatchd:wrote", notice),
		callback.Update().After("*").Register("dispatchd:wrote", notice),
		callback.Delete().After("*").Register("dispatchd:wrote", notice),
		callback.Query().After("*").Register("dispatchd:wrote", noticeReturning),
		callback.Row().After("*").Register("dispatchd:wrote", noticeReturning),
	)
}

// mayWrite reports whether a statement that returns rows may write some as well: INSERT … RETURNING,
// or WITH whose parts do.
func mayWrite(statement string) bool {
	const longest = len("SELECT")
	statement = strings.TrimLeft(statement, " \t\r\n(")
	first := strings.ToUpper(statement[:min(longest, len(statement))])
	if !strings.HasPrefix(first, "WITH") {
		return first != "SELECT" && first != "VALUES" && first != "PRAGMA" && !strings.HasPrefix(first, "SHOW")
	}
	const insert = "INSERT INTO "
	if strings.Contains(statement, insert) {
		return true
	}
	upper := strings.NewReplacer("FOR UPDATE", "", "FOR NO KEY UPDATE", "").Replace(strings.ToUpper(statement))

	return strings.Contains(upper, insert) || strings.Contains(upper, "UPDATE ") || strings.Contains(upper, "DELETE FROM ")
}
