package esign

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository reads and writes the esign_* tables; the database package keeps companies apart.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db: db} }

func (r *repository) insert(ctx context.Context, row any) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}
