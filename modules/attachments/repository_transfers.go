package attachments

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

func (r *repository) insertTransfer(ctx context.Context, row *transfer) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// findTransfer returns a transfer, or errTransfer.
func (r *repository) findTransfer(ctx context.Context, id uuid.UUID) (transfer, error) {
	return database.One[transfer](r.db.Conn(ctx), errTransfer, "id = ?", id)
}

// heldTransfer is findTransfer, and keeps others from it until the transaction ends.
func (r *repository) heldTransfer(ctx context.Context, id uuid.UUID) (transfer, error) {
	return database.One[transfer](database.Held(r.db.Conn(ctx)), errTransfer, "id = ?", id)
}

// saveTransfer stores a transfer that is held.
func (r *repository) saveTransfer(ctx context.Context, row *transfer) error {
	return database.Translate(r.db.Conn(ctx).Model(&transfer{}).Where("id = ?", row.ID).
		Select("received", "parts", "attachment_id", "claimed_until", "updated_at", "expires_at").Updates(row).Error)
}

// openTransfers counts those that have not ended: of an upload link, or of the company with a token.
func (r *repository) openTransfers(ctx context.Context, link *uuid.UUID, now time.Time) (n int64, err error) {
	tx := r.db.Conn(ctx).Model(&transfer{}).Where("attachment_id IS NULL AND expires_at > ?", now)
	if link == nil {
		tx = tx.Where("upload_link_id IS NULL")
	} else {
		tx = tx.Where("upload_link_id = ?", *link)
	}
	err = tx.Count(&n).Error

	return n, database.Translate(err)
}

func (r *repository) insertPart(ctx context.Context, row *part) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// partsOf returns what has arrived of a transfer, in order.
func (r *repository) partsOf(ctx context.Context, id uuid.UUID) ([]part, error) {
	var rows []part
	err := r.db.Conn(ctx).Where("transfer_id = ?", id).Order("start").Find(&rows).Error

	return rows, database.Translate(err)
}

func (r *repository) removeParts(ctx context.Context, id uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("transfer_id = ?", id).Delete(&part{}).Error)
}

func (r *repository) removeTransfer(ctx context.Context, id uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("id = ?", id).Delete(&transfer{}).Error)
}

// endedTransfers returns transfers of all companies that nobody may go on with at a time.
func (r *repository) endedTransfers(ctx context.Context, now time.Time, most int) ([]database.Place, error) {
	return database.All[database.Place](r.db.Conn(database.AcrossCompanies(ctx, "uploads that nobody goes on with are removed for all companies")).Model(&transfer{}).
		Where("expires_at <= ?", now).Order("expires_at").Limit(most))
}

// knownParts are those of the blobs that have arrived of transfers.
func (r *repository) knownParts(ctx context.Context, blobs []string) (names []string, err error) {
	err = r.db.Conn(ctx).Model(&part{}).Where("blob_name IN ?", blobs).Pluck("blob_name", &names).Error

	return names, database.Translate(err)
}
