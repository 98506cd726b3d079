package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// FindThumbnail returns a thumbnail of a version, or ErrThumbnail.
func (r *Repository) FindThumbnail(ctx context.Context, id uuid.UUID, number, edge int64) (Thumbnail, error) {
	return database.One[Thumbnail](r.DB.Conn(ctx), ErrThumbnail, "attachment_id = ? AND number = ? AND edge = ?", id, number, edge)
}

// Thumbnails returns those of all versions of an attachment.
func (r *Repository) Thumbnails(ctx context.Context, id uuid.UUID) ([]Thumbnail, error) {
	var rows []Thumbnail
	err := r.DB.Conn(ctx).Where("attachment_id = ?", id).Find(&rows).Error

	return rows, database.Translate(err)
}

// InsertThumbnails stores new thumbnails.
func (r *Repository) InsertThumbnails(ctx context.Context, rows []Thumbnail) error {
	return database.Translate(r.DB.Conn(ctx).Create(&rows).Error)
}
