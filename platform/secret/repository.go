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

// addMaster adds a master key, unless another process has.
func (r repository) addMaster(ctx context.Context, id int64) error {
	return r.db.InTx(ctx, func(ctx context.Context) error {
		return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&keyRow{ID: id}).Error)
	})
}

// dataKeyRow is a data key, which is nowhere but in its wraps.
type dataKeyRow struct {
	database.Global

	ID          int64 `gorm:"primaryKey;autoIncrement:false"`
	CreatedAt   time.Time
	PrimaryFrom time.Time
}

// TableName implements the naming that GORM asks for.
func (dataKeyRow) TableName() string { return "secret_data_keys" }

// wrapRow is a data key, encrypted under a master key.
type wrapRow struct {
	database.Global

	DataKeyID   int64 `gorm:"primaryKey;autoIncrement:false"`
	MasterKeyID int64 `gorm:"primaryKey;autoIncrement:false"`
	Wrapped     []byte
}

// TableName implements the naming that GORM asks for.
func (wrapRow) TableName() string { return "secret_wraps" }

// lock makes changes of the keys wait for each other, until the end of the transaction in ctx.
func (r repository) lock(ctx context.Context) error {
	if r.db.Dialect() == database.SQLite {
		return nil // there is one writer
	}
	var rows []keyRow

	return database.Translate(r.db.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).
		Order("id").Find(&rows).Error)
}

// dataKeys returns the data keys, the oldest first, and how they are wrapped.
func (r repository) dataKeys(ctx context.Context) (keys []dataKeyRow, wraps []wrapRow, err error) {
	err = r.db.Conn(ctx).Order("primary_from, id").Find(&keys).Error
	if err == nil {
		err = r.db.Conn(ctx).Order("data_key_id, master_key_id").Find(&wraps).Error
	}

	return keys, wraps, database.Translate(err)
}

func (r repository) addDataKey(ctx context.Context, row dataKeyRow) error {
	return database.Translate(r.db.Conn(ctx).Create(&row).Error)
}

func (r repository) addWrap(ctx context.Context, row wrapRow) error {
	return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error)
}

// removeDataKey deletes a data key and its wraps.
func (r repository) removeDataKey(ctx context.Context, id int64) error {
	if err := r.db.Conn(ctx).Where("data_key_id = ?", id).Delete(&wrapRow{}).Error; err != nil {
		return database.Translate(err)
	}

	return database.Translate(r.db.Conn(ctx).Where("id = ?", id).Delete(&dataKeyRow{}).Error)
}

// removeMaster forgets a master key and what is wrapped under it.
func (r repository) removeMaster(ctx context.Context, id int64) error {
	if err := r.db.Conn(ctx).Where("master_key_id = ?", id).Delete(&wrapRow{}).Error; err != nil {
		return database.Translate(err)
	}

	return database.Translate(r.db.Conn(ctx).Where("id = ?", id).Delete(&keyRow{}).Error)
}
