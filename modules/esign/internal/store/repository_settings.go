package store

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Preferences returns the company's settings, empty ones where nothing was set.
func (r *Repository) Preferences(ctx context.Context) (Preferences, error) {
	rows, err := database.All[Preferences](r.DB.Conn(ctx).Limit(1))
	if err != nil || len(rows) == 0 {
		return Preferences{}, err
	}

	return rows[0], nil
}

// HeldPreferences makes the company's row, if there is none, and keeps it until the transaction ends.
func (r *Repository) HeldPreferences(ctx context.Context, now time.Time) (Preferences, error) {
	row := Preferences{ReturnHosts: []string{}, UpdatedAt: now}
	if err := r.DB.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return row, database.Translate(err)
	}

	return database.One[Preferences](database.ForUpdate(r.DB.Conn(ctx)), ErrInvalid, "version >= 0")
}

// SavePreferences stores the company's settings.
func (r *Repository) SavePreferences(ctx context.Context, row *Preferences) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Preferences{}).Where("version >= 0").
		Select("return_hosts", "version", "updated_at").Updates(row).Error)
}
