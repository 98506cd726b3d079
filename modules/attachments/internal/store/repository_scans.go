package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// ScansAskedBefore returns files of all companies whose scanner was last asked before a time, and has not answered.
func (r *Repository) ScansAskedBefore(ctx context.Context, before time.Time, most int) ([]database.Place, error) {
	return database.All[database.Place](r.DB.Conn(database.AcrossCompanies(ctx, "scans that were lost are begun anew for all companies")).Model(&Attachment{}).
		Where("scan_asked_at < ?", before).Order("scan_asked_at").Limit(most))
}

// NoteScanAsked notes when the scanner was last asked for a file.
func (r *Repository) NoteScanAsked(ctx context.Context, id uuid.UUID, at time.Time) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Attachment{}).Where("id = ? AND scan = ?", id, ScanPending).
		Update("scan_asked_at", at).Error)
}

// FailedScans returns quarantined files of the company that the scanner could not look at.
func (r *Repository) FailedScans(ctx context.Context, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.DB.Conn(ctx).Model(&Attachment{}).Where("scan = ? AND state = ?", ScanFailed, Quarantined).
		Order("id").Limit(most).Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

// CountFailedScans counts the quarantined files of the company that the scanner could not look at.
func (r *Repository) CountFailedScans(ctx context.Context) (n int64, err error) {
	err = r.DB.Conn(ctx).Model(&Attachment{}).Where("scan = ? AND state = ?", ScanFailed, Quarantined).Count(&n).Error

	return n, database.Translate(err)
}
