package identity

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// attempts returns what is known of an account, and keeps others from counting until the
// transaction ends.
func (r repository) attempts(ctx context.Context, account digest, now time.Time) (attempts, error) {
	row := attemptRow{Account: account[:], LastAt: now}
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return attempts{}, database.Translate(err)
	}
	err := r.db.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).
		Where("account = ?", account[:]).Take(&row).Error

	return attempts{failures: row.Failures, lockedUntil: value(row.LockedUntil), last: row.LastAt}, database.Translate(err)
}

func (r repository) keepAttempts(ctx context.Context, account digest, a attempts) error {
	columns := map[string]any{"failures": a.failures, "last_at": a.last, "locked_until": nil}
	if !a.lockedUntil.IsZero() {
		columns["locked_until"] = a.lockedUntil
	}

	return changed(r.db.Conn(ctx).Model(&attemptRow{}).Where("account = ?", account[:]).Updates(columns))
}

func (r repository) forgetAttempts(ctx context.Context, account digest) error {
	return database.Translate(r.db.Conn(ctx).Where("account = ?", account[:]).Delete(&attemptRow{}).Error)
}

// dropAttempts removes what was last counted before a time.
func (r repository) dropAttempts(ctx context.Context, before time.Time) error {
	return database.Translate(r.db.Conn(ctx).Where("last_at < ?", before).Delete(&attemptRow{}).Error)
}
