package secret

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// keyRow is a master key that the database was used with. It holds nothing of the key but its id.
type keyRow struct {
	database.Global

	ID        int64 `gorm:"primaryKey;autoIncrement:false"`
	CreatedAt time.Time
}

// TableName implements the naming that GORM asks for.
func (keyRow) TableName() string { return "secret_keys" }

type repository struct{ db *database.DB }

// known returns the master keys, the oldest first.
func (r repository) known(ctx context.Context) ([]keyRow, error) {
	var rows []keyRow
	err := r.db.Conn(ctx).Order("created_at, id").Find(&rows).Error

	return rows, database.Translate(err)
}

// note adds a master key, unless another process has.
func (r repository) note(ctx context.Context, id int64) error {
	return r.db.InTx(ctx, func(ctx context.Context) error {
		return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&keyRow{ID: id}).Error)
	})
}
