package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Repository reads documents of all companies.
type Repository struct{ db *database.DB }

// NewRepository returns a Repository.
func NewRepository(db *database.DB) *Repository { return &Repository{db} }

// EachRetained calls do for the documents of all companies whose files were retained until a time, as database.Each does.
func (r *Repository) EachRetained(ctx context.Context, until time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "documents of all companies are released when their time is over")).Model(&Document{}).
		Where("retain_until < ? AND NOT released AND deleted_at IS NULL", until), do)
}
