package database

import (
	"context"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// NotFoundAs is Translate for who reads one row: notFound is the failure if there is none.
func NotFoundAs(err, notFound error) error {
	if err = Translate(err); errors.Is(err, ErrNotFound) {
		return notFound
	}

	return err
}

// DuplicateAs is Translate for who writes what must be the only one of its kind: taken is the failure if it is not.
func DuplicateAs(err, taken error) error {
	if err = Translate(err); errors.Is(err, ErrDuplicate) {
		return taken
	}

	return err
}

// RequireAffected is the error of an update or a delete that has to meet a row; notFound is the failure if there is none.
func RequireAffected(tx *gorm.DB, notFound error) error {
	if tx.Error == nil && tx.RowsAffected == 0 {
		return notFound
	}

	return Translate(tx.Error)
}

// ForUpdate makes a read keep others from its rows until the transaction ends. On SQLite, who writes is alone anyway.
func ForUpdate(tx *gorm.DB) *gorm.DB {
	return tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
}

// HoldName keeps others who hold the same name waiting until the transaction ends, as ForUpdate does for a row, where what is to be held has no row yet.
// Names of companies begin with what they are of and the company. On SQLite, who writes is alone anyway.
func (db *DB) HoldName(ctx context.Context, name string) error {
	if db.Dialect() == SQLite {
		return nil
	}

	return Translate(db.Raw(ctx, "a name is no row of anybody").Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name).Error)
}

// One returns the row of a condition, the first one in the handle's order; notFound is the failure if there is none.
func One[T any](tx *gorm.DB, notFound error, where string, args ...any) (T, error) {
	var row T
	err := tx.Where(where, args...).Take(&row).Error

	return row, NotFoundAs(err, notFound)
}

// IfAny is One for rows that need not be there: it returns nil if there is none.
func IfAny[T any](tx *gorm.DB, where string, args ...any) (*T, error) {
	var rows []T
	if err := tx.Where(where, args...).Limit(1).Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, Translate(err)
	}

	return &rows[0], nil
}

// All returns the rows of a query.
func All[T any](tx *gorm.DB) ([]T, error) {
	var rows []T
	err := tx.Find(&rows).Error

	return rows, Translate(err)
}

// Count returns how many rows a query has.
func Count(tx *gorm.DB) (int64, error) {
	var n int64
	err := tx.Count(&n).Error

	return n, Translate(err)
}
