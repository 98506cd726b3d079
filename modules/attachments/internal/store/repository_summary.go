package store

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/summary"
)

// Summary is how many files an item has.
type Summary struct {
	Files int64 `json:"files"`
}

// Summarize counts the files of an item that are not deleted.
func (r *Repository) Summarize(ctx context.Context, about summary.Subject) (Summary, error) {
	n, err := database.Count(r.DB.Conn(ctx).Model(&Attachment{}).
		Where("owner_type = ? AND owner_id = ? AND deleted_at IS NULL", about.Item.Type, about.Item.UUID))

	return Summary{Files: n}, err
}
