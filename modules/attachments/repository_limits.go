package attachments

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// limits returns what the company has set, the zero value for nothing.
func (r *repository) limits(ctx context.Context) (companyLimits, error) {
	var rows []companyLimits
	err := r.db.Conn(ctx).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return companyLimits{}, database.Translate(err)
	}

	return rows[0], nil
}

// heldLimits is limits, and keeps others from them until the transaction ends.
func (r *repository) heldLimits(ctx context.Context, now time.Time) (companyLimits, error) {
	none := companyLimits{Types: []string{}, UpdatedAt: now}
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&none).Error; err != nil {
		return none, database.Translate(err)
	}
	var row companyLimits
	err := database.Held(r.db.Conn(ctx)).Take(&row).Error

	return row, database.Translate(err)
}

func (r *repository) saveLimits(ctx context.Context, row *companyLimits) error {
	return database.Translate(r.db.Conn(ctx).Model(&companyLimits{}).Where("version >= 0").Select(
		"max_size", "max_company_size", "types", "version", "updated_by", "updated_at",
	).Updates(row).Error)
}
