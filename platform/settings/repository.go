package settings

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// row is a row of settings_documents.
type row struct {
	database.Tenant

	Area      string `gorm:"primaryKey"`
	Body      columns.JSON[json.RawMessage]
	Version   int64
	UpdatedAt time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements GORM's naming.
func (row) TableName() string { return "settings_documents" }

type repository struct{ db *database.DB }

// find returns the settings of an area. Error: database.ErrNotFound.
func (r repository) find(ctx context.Context, area string) (row, error) {
	return database.One[row](r.db.Conn(ctx).Where("version > 0"), database.ErrNotFound, "area = ?", area)
}

// hold makes the row of an area, and keeps others from it until the transaction ends.
func (r repository) hold(ctx context.Context, area string) error {
	empty := row{Area: area, Body: columns.JSON[json.RawMessage]{V: json.RawMessage("{}")}}
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&empty).Error; err != nil {
		return database.Translate(err)
	}

	return database.Translate(r.db.Conn(ctx).Model(&row{}).Where("area = ?", area).UpdateColumn("area", area).Error)
}

func (r repository) save(ctx context.Context, now row) error {
	return database.Translate(r.db.Conn(ctx).Model(&row{}).Where("area = ?", now.Area).
		Updates(map[string]any{"body": now.Body, "version": now.Version, "updated_at": now.UpdatedAt}).Error)
}
