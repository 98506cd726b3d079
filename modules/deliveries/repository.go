package deliveries

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository reads deliveries by their loads.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db} }

// live returns the deliveries of a load but those that were canceled.
func (r *repository) live(ctx context.Context, load uuid.UUID) ([]delivery, error) {
	return database.All[delivery](r.db.Conn(ctx).Where("load_id = ? AND state <> 'cancelled' AND deleted_at IS NULL", load).Order("id"))
}
