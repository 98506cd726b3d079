package esign

import (
	"context"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository reads and writes the esign_* tables; the database package keeps companies apart.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db: db} }

// absent translates an error; notFound is what a missing row is.
func absent(err, notFound error) error {
	if err = database.Translate(err); errors.Is(err, database.ErrNotFound) {
		return notFound
	}

	return err
}

// one returns the row of a condition.
func one[T any](tx *gorm.DB, notFound error, where string, args ...any) (T, error) {
	var row T
	err := tx.Where(where, args...).Take(&row).Error

	return row, absent(err, notFound)
}

// holding is a read that keeps others from the rows until the transaction ends.
func holding(tx *gorm.DB) *gorm.DB {
	return tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
}

func (r *repository) insert(ctx context.Context, row any) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// taken translates an error; what breaks a unique key is errTaken.
func taken(err error) error {
	if err = database.Translate(err); errors.Is(err, database.ErrDuplicate) {
		return errTaken
	}

	return err
}
