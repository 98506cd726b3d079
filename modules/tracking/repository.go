package tracking

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// errNone says that there is no such row.
var errNone = errors.New("none")

// position is a row of tracking_positions: where the truck of a load was. There is one of a time.
type position struct {
	database.Tenant

	Load     uuid.UUID `gorm:"primaryKey;column:load_id"`
	At       time.Time `gorm:"primaryKey;column:at"`
	Hour     time.Time
	Lat      int64 // in millionths of a degree
	Lng      int64
	Accuracy int64 `gorm:"column:accuracy_m"`
	Speed    int64 `gorm:"column:speed_mph"`
	Source   string
}

// TableName implements GORM's naming.
func (position) TableName() string { return "tracking_positions" }

type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db} }

// store stores positions and returns how many were new.
func (r *repository) store(ctx context.Context, rows []position) (int64, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	done := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&rows)

	return done.RowsAffected, database.Translate(done.Error)
}

// latest returns the last position of a load until a time. Error: errNone.
func (r *repository) latest(ctx context.Context, load uuid.UUID, from, until time.Time) (position, error) {
	return database.One[position](r.db.Conn(ctx).Order("at DESC").Limit(1), errNone, "load_id = ? AND at >= ? AND at <= ?", load, from, until)
}

// before returns the positions of a load before a time, the latest first.
func (r *repository) before(ctx context.Context, load uuid.UUID, at time.Time, most int) ([]position, error) {
	return database.All[position](r.db.Conn(ctx).Where("load_id = ? AND at < ?", load, at).Order("at DESC").Limit(most))
}

// thin leaves one position an hour of those before a time.
func (r *repository) thin(ctx context.Context, before time.Time) error {
	later := "EXISTS (SELECT 1 FROM tracking_positions AS first WHERE first.company_id = tracking_positions.company_id AND first.load_id = tracking_positions.load_id " +
		"AND first.hour = tracking_positions.hour AND first.at < tracking_positions.at)"

	return r.db.InTx(ctx, func(ctx context.Context) error {
		return database.Translate(r.db.Conn(ctx).Where("at < ?", before).Where(later).Delete(&position{}).Error)
	})
}
