package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// InsertUploadLink stores a new upload link.
func (r *Repository) InsertUploadLink(ctx context.Context, row *UploadLink) error {
	return database.Translate(r.DB.Conn(ctx).Create(row).Error)
}

// FindUploadLink returns an upload link, or ErrUploadLink.
func (r *Repository) FindUploadLink(ctx context.Context, id uuid.UUID) (UploadLink, error) {
	row, err := database.One[UploadLink](r.DB.Conn(ctx), ErrUploadLink, "id = ?", id)
	if err != nil {
		return row, err
	}

	return row, r.checkVisible(ctx, row.OwnerPart, ErrUploadLink)
}

// LockUploadLink is FindUploadLink, and keeps others from it until the transaction ends.
func (r *Repository) LockUploadLink(ctx context.Context, id uuid.UUID) (UploadLink, error) {
	row, err := database.One[UploadLink](database.ForUpdate(r.DB.Conn(ctx)), ErrUploadLink, "id = ?", id)
	if err != nil {
		return row, err
	}

	return row, r.checkVisible(ctx, row.OwnerPart, ErrUploadLink)
}

// SaveUploadLink stores that an upload link was revoked. It is locked.
func (r *Repository) SaveUploadLink(ctx context.Context, row *UploadLink) error {
	return database.Translate(r.DB.Conn(ctx).Model(&UploadLink{}).Where("id = ?", row.ID).
		Select("revoked_at", "version", "updated_at").Updates(row).Error)
}

// CountUpload adds one to the uploads of a link.
func (r *Repository) CountUpload(ctx context.Context, id uuid.UUID, now time.Time) error {
	return database.Translate(r.DB.Conn(ctx).Model(&UploadLink{}).Where("id = ?", id).Updates(map[string]any{
		"uploads": gorm.Expr("uploads + 1"), "version": gorm.Expr("version + 1"), "updated_at": now,
	}).Error)
}

// QuarantinedNames returns the names of files that came by a link and are quarantined, the newest first.
func (r *Repository) QuarantinedNames(ctx context.Context, link uuid.UUID, most int) ([]string, error) {
	names := []string{}
	err := r.DB.Conn(ctx).Model(&Attachment{}).Where("upload_link_id = ? AND state = ?", link, Quarantined).
		Order("created_at DESC, id").Limit(most).Pluck("file_name", &names).Error

	return names, database.Translate(err)
}

// CountQuarantined counts the files that came by some links and are quarantined.
func (r *Repository) CountQuarantined(ctx context.Context, links []uuid.UUID) (map[uuid.UUID]int64, error) {
	var counts []struct {
		UploadLinkID uuid.UUID
		Number       int64
	}
	err := r.DB.Conn(ctx).Model(&Attachment{}).Select("upload_link_id, count(*) AS number").
		Where("upload_link_id IN ? AND state = ?", links, Quarantined).Group("upload_link_id").Find(&counts).Error
	refused := make(map[uuid.UUID]int64, len(counts))
	for _, c := range counts {
		refused[c.UploadLinkID] = c.Number
	}

	return refused, database.Translate(err)
}

// UploadLinks returns a page of upload links.
func (r *Repository) UploadLinks(ctx context.Context, q list.Query) (list.Page[UploadLink], error) {
	tx, err := r.visible(ctx, r.DB.Dynamic(ctx))
	if err != nil {
		return list.Page[UploadLink]{}, err
	}
	page, err := list.Find(tx, q, UploadLink.sortKey)

	return page, database.Translate(err)
}
