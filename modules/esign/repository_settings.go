package esign

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// preferences returns the company's settings, empty ones where nothing was set.
func (r *repository) preferences(ctx context.Context) (preferences, error) {
	rows, err := database.All[preferences](r.db.Conn(ctx).Limit(1))
	if err != nil || len(rows) == 0 {
		return preferences{}, err
	}

	return rows[0], nil
}

// heldPreferences makes the company's row, if there is none, and keeps it until the transaction ends.
func (r *repository) heldPreferences(ctx context.Context, now time.Time) (preferences, error) {
	row := preferences{ReturnHosts: []string{}, UpdatedAt: now}
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return row, database.Translate(err)
	}

	return database.One[preferences](database.Held(r.db.Conn(ctx)), errInvalid, "version >= 0")
}

func (r *repository) savePreferences(ctx context.Context, row *preferences) error {
	return database.Translate(r.db.Conn(ctx).Model(&preferences{}).Where("version >= 0").
		Select("return_hosts", "version", "updated_at").Updates(row).Error)
}
