package esign

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// repository reads and writes the esign_* tables; the database package keeps companies apart.
type repository struct {
	db       *database.DB
	mappings *resource.Resource[mapping]
}

func newRepository(db *database.DB, mappings *resource.Resource[mapping]) *repository {
	return &repository{db: db, mappings: mappings}
}

// mapping returns a mapping, also a deleted one: envelopes that were made with it need it still.
func (r *repository) mapping(ctx context.Context, id uuid.UUID) (mapping, error) {
	return database.One[mapping](r.db.Conn(ctx), errMapping, "id = ?", id)
}

func (r *repository) insert(ctx context.Context, row any) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}
