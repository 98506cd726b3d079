package store

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Limits returns what the company has set, the zero value for nothing.
func (r *Repository) Limits(ctx context.Context) (CompanyLimits, error) {
	var rows []CompanyLimits
	err := r.DB.Conn(ctx).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return CompanyLimits{}, database.Translate(err)
	}

	return rows[0], nil
}

// LockLimits is Limits, and keeps others from them until the transaction ends.
func (r *Repository) LockLimits(ctx context.Context, now time.Time) (CompanyLimits, error) {
	none := CompanyLimits{Types: []string{}, UpdatedAt: now}
	if err := r.DB.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&none).Error; err != nil {
		return none, database.Translate(err)
	}
	var row CompanyLimits
	err := database.ForUpdate(r.DB.Conn(ctx)).Take(&row).Error

	return row, database.Translate(err)
}

// SaveLimits stores the limits of the company, which are locked.
func (r *Repository) SaveLimits(ctx context.Context, row *CompanyLimits) error {
	return database.Translate(r.DB.Conn(ctx).Model(&CompanyLimits{}).Where("version >= 0").Select(
		"max_size", "max_company_size", "types", "version", "updated_by", "updated_at",
	).Updates(row).Error)
}
