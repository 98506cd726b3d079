package attachments

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// findThumbnail returns a thumbnail of a version, or errThumbnail.
func (r *repository) findThumbnail(ctx context.Context, id uuid.UUID, number, edge int64) (thumbnail, error) {
	return database.One[thumbnail](r.db.Conn(ctx), errThumbnail, "attachment_id = ? AND number = ? AND edge = ?", id, number, edge)
}

// thumbnails returns those of all versions of an attachment.
func (r *repository) thumbnails(ctx context.Context, id uuid.UUID) ([]thumbnail, error) {
	var rows []thumbnail
	err := r.db.Conn(ctx).Where("attachment_id = ?", id).Find(&rows).Error

	return rows, database.Translate(err)
}

func (r *repository) insertThumbnails(ctx context.Context, rows []thumbnail) error {
	return database.Translate(r.db.Conn(ctx).Create(&rows).Error)
}
