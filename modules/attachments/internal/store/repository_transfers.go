package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// InsertTransfer stores a new transfer.
func (r *Repository) InsertTransfer(ctx context.Context, row *Transfer) error {
	return database.Translate(r.DB.Conn(ctx).Create(row).Error)
}

// FindTransfer returns a transfer, or ErrTransfer.
func (r *Repository) FindTransfer(ctx context.Context, id uuid.UUID) (Transfer, error) {
	return database.One[Transfer](r.DB.Conn(ctx), ErrTransfer, "id = ?", id)
}

// LockTransfer is FindTransfer, and keeps others from it until the transaction ends.
func (r *Repository) LockTransfer(ctx context.Context, id uuid.UUID) (Transfer, error) {
	return database.One[Transfer](database.ForUpdate(r.DB.Conn(ctx)), ErrTransfer, "id = ?", id)
}

// SaveTransfer stores a transfer that is held.
func (r *Repository) SaveTransfer(ctx context.Context, row *Transfer) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Transfer{}).Where("id = ?", row.ID).
		Select("received", "parts", "attachment_id", "claimed_until", "updated_at", "expires_at").Updates(row).Error)
}

// CountOpenTransfers counts those that have not ended: of an upload link, or of the company with a token.
func (r *Repository) CountOpenTransfers(ctx context.Context, link *uuid.UUID, now time.Time) (n int64, err error) {
	tx := r.DB.Conn(ctx).Model(&Transfer{}).Where("attachment_id IS NULL AND expires_at > ?", now)
	if link == nil {
		tx = tx.Where("upload_link_id IS NULL")
	} else {
		tx = tx.Where("upload_link_id = ?", *link)
	}
	err = tx.Count(&n).Error

	return n, database.Translate(err)
}

// InsertPart stores a new part of a transfer.
func (r *Repository) InsertPart(ctx context.Context, row *Part) error {
	return database.Translate(r.DB.Conn(ctx).Create(row).Error)
}

// Parts returns what has arrived of a transfer, in order.
func (r *Repository) Parts(ctx context.Context, id uuid.UUID) ([]Part, error) {
	var rows []Part
	err := r.DB.Conn(ctx).Where("transfer_id = ?", id).Order("start").Find(&rows).Error

	return rows, database.Translate(err)
}

// DeleteParts removes the parts of a transfer.
func (r *Repository) DeleteParts(ctx context.Context, id uuid.UUID) error {
	return database.Translate(r.DB.Conn(ctx).Where("transfer_id = ?", id).Delete(&Part{}).Error)
}

// DeleteTransfer removes a transfer, whose parts are gone.
func (r *Repository) DeleteTransfer(ctx context.Context, id uuid.UUID) error {
	return database.Translate(r.DB.Conn(ctx).Where("id = ?", id).Delete(&Transfer{}).Error)
}

// ExpiredTransfers returns transfers of all companies that nobody may go on with at a time.
func (r *Repository) ExpiredTransfers(ctx context.Context, now time.Time, most int) ([]database.Place, error) {
	return database.All[database.Place](r.DB.Conn(database.AcrossCompanies(ctx, "uploads that nobody goes on with are removed for all companies")).Model(&Transfer{}).
		Where("expires_at <= ?", now).Order("expires_at").Limit(most))
}

// knownParts are those of the blobs that have arrived of transfers.
func (r *Repository) knownParts(ctx context.Context, blobs []string) (names []string, err error) {
	err = r.DB.Conn(ctx).Model(&Part{}).Where("blob_name IN ?", blobs).Pluck("blob_name", &names).Error

	return names, database.Translate(err)
}
