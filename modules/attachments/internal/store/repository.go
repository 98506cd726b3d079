// Package store keeps the attachments_* tables, with the life of attachments and the failures of the area.
package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Repository reads and writes the attachments_* tables; the database package keeps companies apart. To callers who
// may not know of the item that something belongs to, it is not there.
type Repository struct {
	DB    *database.DB
	items *item.Registry
}

// NewRepository returns the repository of a database.
func NewRepository(db *database.DB, items *item.Registry) *Repository {
	return &Repository{DB: db, items: items}
}

// checkVisible returns notFound for what belongs to an item of a part that is hidden from the caller.
func (r *Repository) checkVisible(ctx context.Context, part string, notFound error) error {
	hides, err := r.items.Hides(ctx, part)
	if err == nil && hides {
		err = notFound
	}

	return err
}

// visible narrows a statement down to what belongs to items that the caller may know of.
func (r *Repository) visible(ctx context.Context, tx *gorm.DB) (*gorm.DB, error) {
	hidden, err := r.items.Hidden(ctx)
	if err != nil || len(hidden) == 0 {
		return tx, err
	}

	return tx.Where("owner_part NOT IN ?", hidden), nil
}

// Insert stores a new attachment.
func (r *Repository) Insert(ctx context.Context, row *Attachment) error {
	return database.Translate(r.DB.Conn(ctx).Create(row).Error)
}

// Find returns an attachment, also a deleted one, or ErrNotFound.
func (r *Repository) Find(ctx context.Context, id uuid.UUID) (Attachment, error) {
	row, err := database.One[Attachment](r.DB.Conn(ctx), ErrNotFound, "id = ?", id)
	if err != nil {
		return row, err
	}

	return row, r.checkVisible(ctx, row.OwnerPart, ErrNotFound)
}

// Lock is Find, and keeps others from the attachment until the transaction ends.
func (r *Repository) Lock(ctx context.Context, id uuid.UUID) (Attachment, error) {
	row, err := database.One[Attachment](database.ForUpdate(r.DB.Conn(ctx)), ErrNotFound, "id = ?", id)
	if err != nil {
		return row, err
	}

	return row, r.checkVisible(ctx, row.OwnerPart, ErrNotFound)
}

// Save stores an attachment that is held.
func (r *Repository) Save(ctx context.Context, row *Attachment) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Attachment{}).Where("id = ?", row.ID).Select(
		"owner_type", "owner_id", "owner_part", "category", "visibility", "title", "file_name", "media_type", "size", "sha256", "content",
		"state", "quarantine", "scan", "scan_asked_at", "scan_again", "facts", "expires_at", "version", "updated_at", "deleted_at",
	).Updates(row).Error)
}

// FindByIDs returns those of the attachments that there are and that are not deleted, in no order.
func (r *Repository) FindByIDs(ctx context.Context, ids []uuid.UUID) ([]Attachment, error) {
	tx, err := r.visible(ctx, r.DB.Conn(ctx))
	if err != nil {
		return nil, err
	}
	var rows []Attachment
	err = tx.Where("id IN ? AND deleted_at IS NULL", ids).Find(&rows).Error

	return rows, database.Translate(err)
}

// FindByOwner returns attachments of an item that are not deleted, the oldest first.
func (r *Repository) FindByOwner(ctx context.Context, typ string, id uuid.UUID, most int) ([]Attachment, error) {
	tx, err := r.visible(ctx, r.DB.Conn(ctx))
	if err != nil {
		return nil, err
	}
	var rows []Attachment
	err = tx.Where("owner_type = ? AND owner_id = ? AND deleted_at IS NULL", typ, id).
		Order("created_at, id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// List returns a page of attachments: those that are deleted, or those that are not.
func (r *Repository) List(ctx context.Context, q list.Query, gone bool) (list.Page[Attachment], error) {
	condition := "deleted_at IS NULL"
	if gone {
		condition = "deleted_at IS NOT NULL"
	}
	tx, err := r.visible(ctx, r.DB.Dynamic(ctx))
	if err != nil {
		return list.Page[Attachment]{}, err
	}
	page, err := list.Find(tx.Where(condition), q, Attachment.sortKey)

	return page, database.Translate(err)
}

// Count returns how many attachments of the company are not deleted.
func (r *Repository) Count(ctx context.Context) (n int64, err error) {
	err = r.DB.Conn(ctx).Model(&Attachment{}).Where("deleted_at IS NULL").Count(&n).Error

	return n, database.Translate(err)
}

// InsertVersion stores a new version.
func (r *Repository) InsertVersion(ctx context.Context, row *Version) error {
	return database.Translate(r.DB.Conn(ctx).Create(row).Error)
}

// FindVersion returns a version of an attachment, or ErrVersion.
func (r *Repository) FindVersion(ctx context.Context, id uuid.UUID, number int64) (Version, error) {
	return database.One[Version](r.DB.Conn(ctx), ErrVersion, "attachment_id = ? AND number = ?", id, number)
}

// NewestVersions returns the newest version of each of some attachments.
func (r *Repository) NewestVersions(ctx context.Context, of []Attachment) (map[uuid.UUID]Version, error) {
	var rows []Version
	keys := make([][]any, len(of))
	for i, row := range of {
		keys[i] = []any{row.ID, row.Content}
	}
	err := r.DB.Conn(ctx).Where("(attachment_id, number) IN ?", keys).Find(&rows).Error
	found := make(map[uuid.UUID]Version, len(rows))
	for _, row := range rows {
		found[row.AttachmentID] = row
	}

	return found, database.Translate(err)
}

// Versions returns the versions of an attachment, the newest first.
func (r *Repository) Versions(ctx context.Context, id uuid.UUID) ([]Version, error) {
	var rows []Version
	err := r.DB.Conn(ctx).Where("attachment_id = ?", id).Order("number DESC").Find(&rows).Error

	return rows, database.Translate(err)
}

// HasHold reports whether an attachment has a hold.
func (r *Repository) HasHold(ctx context.Context, id uuid.UUID) (bool, error) {
	var n int64
	err := r.DB.Conn(ctx).Model(&Hold{}).Where("attachment_id = ?", id).Count(&n).Error

	return n > 0, database.Translate(err)
}

// AddHold adds a hold, if it is not there.
func (r *Repository) AddHold(ctx context.Context, row *Hold) error {
	return database.Translate(r.DB.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(row).Error)
}

// DeleteHold removes a hold, if it is there.
func (r *Repository) DeleteHold(ctx context.Context, row Hold) error {
	return database.Translate(r.DB.Conn(ctx).Where("attachment_id = ? AND holder_type = ? AND holder_id = ?",
		row.AttachmentID, row.HolderType, row.HolderID).Delete(&Hold{}).Error)
}

// Usage returns what the company's files take.
func (r *Repository) Usage(ctx context.Context) (Usage, error) {
	var rows []Usage
	err := r.DB.Conn(ctx).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return Usage{}, database.Translate(err)
	}

	return rows[0], nil
}

// AddUsage counts bytes and files of the company, and reports whether they are within the limit, 0 for none.
func (r *Repository) AddUsage(ctx context.Context, bytes, files, limit int64, now time.Time) (bool, error) {
	err := r.DB.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&Usage{UpdatedAt: now}).Error
	if err != nil {
		return false, database.Translate(err)
	}
	tx := r.DB.Conn(ctx).Model(&Usage{}).Where("bytes >= 0")
	if limit > 0 && bytes > 0 {
		tx = tx.Where("bytes + ? <= ?", bytes, limit)
	}
	tx = tx.Updates(map[string]any{
		"bytes": gorm.Expr("bytes + ?", bytes), "files": gorm.Expr("files + ?", files), "updated_at": now,
	})

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}
