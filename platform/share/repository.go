package share

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// quotas counts messages and entries of companies in windows of time, in the table share_quotas.
type quotas struct {
	db    *database.DB
	clock clock.Clock
}

// quota is a row of share_quotas.
type quota struct {
	database.Tenant

	Key    string    `gorm:"primaryKey"`
	EndsAt time.Time `gorm:"primaryKey"`
	Sent   int64
}

// TableName implements GORM's naming.
func (quota) TableName() string { return "share_quotas" }

// take counts n more by a key in a window, whose row is locked until the transaction ends, and refuses more than most with over.
func (q quotas) take(ctx context.Context, key string, window time.Duration, n, most int64, over *errs.Error) error {
	now := q.clock.Now().UTC()
	row := quota{Key: digest(window.String() + " " + key), EndsAt: now.Truncate(window).Add(window), Sent: n}
	err := q.db.Conn(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}, {Name: "key"}, {Name: "ends_at"}},
		DoUpdates: clause.Assignments(map[string]any{"sent": gorm.Expr("share_quotas.sent + excluded.sent")}),
		Where:     database.SameCompany(quota{}.TableName()),
	}, clause.Returning{Columns: []clause.Column{{Name: "sent"}}}).Create(&row).Error
	switch {
	case err != nil:
		return database.Translate(err)
	case row.Sent > most:
		return over.WithRetryAfter(row.EndsAt.Sub(now))
	case row.Sent == n: // the first of a window removes those that are over
		return database.Translate(q.db.Conn(ctx).Where("ends_at < ?", now).Delete(&quota{}).Error)
	}

	return nil
}

// both counts n more by a key in the hour and in the day, and refuses more than most of each with over.
func (q quotas) both(ctx context.Context, key string, n, perHour, perDay int64, over *errs.Error) error {
	if err := q.take(ctx, key, time.Hour, n, perHour, over); err != nil {
		return err
	}

	return q.take(ctx, key, 24*time.Hour, n, perDay, over) //nolint:mnd // a day
}
