package attachments

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// askedBefore returns files of all companies whose scanner was last asked before a time, and has not answered.
func (r *repository) askedBefore(ctx context.Context, before time.Time, most int) ([]database.Place, error) {
	return database.All[database.Place](r.db.Conn(database.AcrossCompanies(ctx, "scans that were lost are begun anew for all companies")).Model(&attachment{}).
		Where("scan_asked_at < ?", before).Order("scan_asked_at").Limit(most))
}

// asked notes when the scanner was last asked for a file.
func (r *repository) asked(ctx context.Context, id uuid.UUID, at time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&attachment{}).Where("id = ? AND scan = ?", id, scanPending).
		Update("scan_asked_at", at).Error)
}

// failedScans returns quarantined files of the company that the scanner could not look at.
func (r *repository) failedScans(ctx context.Context, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Conn(ctx).Model(&attachment{}).Where("scan = ? AND state = ?", scanFailed, quarantined).
		Order("id").Limit(most).Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

func (r *repository) countFailedScans(ctx context.Context) (n int64, err error) {
	err = r.db.Conn(ctx).Model(&attachment{}).Where("scan = ? AND state = ?", scanFailed, quarantined).Count(&n).Error

	return n, database.Translate(err)
}
