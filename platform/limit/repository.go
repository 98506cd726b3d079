package limit

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository reads and writes limit_usage of the caller's company.
type repository struct{ db *database.DB }

// usage is a row of limit_usage: how much was added in a month.
type usage struct {
	database.Tenant

	Name  string `gorm:"primaryKey"`
	Month string `gorm:"primaryKey"`
	Used  int64
}

// TableName implements gorm's Tabler.
func (usage) TableName() string { return "limit_usage" }

// add adds to what was used in a month, and returns the sum. The row is locked until the end of the transaction.
func (r repository) add(ctx context.Context, name, month string, n int64) (int64, error) {
	row := usage{Name: name, Month: month, Used: n}
	err := r.db.Conn(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}, {Name: "name"}, {Name: "month"}},
		DoUpdates: clause.Assignments(map[string]any{"used": gorm.Expr("limit_usage.used + excluded.used")}),
		Where:     database.SameCompany(usage{}.TableName()),
	}, clause.Returning{Columns: []clause.Column{{Name: "used"}}}).Create(&row).Error

	return row.Used, database.Translate(err)
}
