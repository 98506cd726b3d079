// Package store has the rows of the esign_* tables, the lives that envelopes lead, and every statement on them.
package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Repository reads and writes the esign_* tables; the database package keeps companies apart.
type Repository struct{ DB *database.DB }

// NewRepository returns a Repository.
func NewRepository(db *database.DB) *Repository { return &Repository{DB: db} }

// Mapping returns a mapping, also a deleted one: envelopes that were made with it need it still.
func (r *Repository) Mapping(ctx context.Context, id uuid.UUID) (Mapping, error) {
	return database.One[Mapping](r.DB.Conn(ctx), ErrMapping, "id = ?", id)
}

// Insert stores a new row of any of the tables.
func (r *Repository) Insert(ctx context.Context, row any) error {
	return database.Translate(r.DB.Conn(ctx).Create(row).Error)
}
