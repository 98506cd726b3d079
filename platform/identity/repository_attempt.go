package identity

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// attempts returns what is known of the attempts under a key, and keeps others from counting until the
// transaction ends.
func (r repository) attempts(ctx context.Context, key digest, now time.Time) (attempts, error) {
	row := attemptRow{Account: key[:], LastAt: now}
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return attempts{}, database.Translate(err)
	}
	err := r.db.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).
		Where("account = ?", key[:]).Take(&row).Error

	return attempts{failures: row.Failures, lockedUntil: deref(row.LockedUntil), last: row.LastAt}, database.Translate(err)
}

func (r repository) keepAttempts(ctx context.Context, key digest, a attempts) error {
	columns := map[string]any{"failures": a.failures, "last_at": a.last, "locked_until": nil}
	if !a.lockedUntil.IsZero() {
		columns["locked_until"] = a.lockedUntil
	}

	return requireChanged(r.db.Conn(ctx).Model(&attemptRow{}).Where("account = ?", key[:]).Updates(columns))
}

// forgetAttempts forgets the failures under each key.
func (r repository) forgetAttempts(ctx context.Context, counted []counter) error {
	keys := make([][]byte, len(counted))
	for i := range counted {
		keys[i] = counted[i].key[:]
	}

	return database.Translate(r.db.Conn(ctx).Where("account IN ?", keys).Delete(&attemptRow{}).Error)
}

// trusted reports whether a key is trusted at a time.
func (r repository) trusted(ctx context.Context, key digest, now time.Time) (bool, error) {
	var n int64
	err := r.db.Conn(ctx).Model(&attemptRow{}).Where("account = ? AND trusted_until > ?", key[:], now).Count(&n).Error

	return n > 0, database.Translate(err)
}

// trust trusts a key until a time.
func (r repository) trust(ctx context.Context, key digest, now, until time.Time) error {
	if _, err := r.attempts(ctx, key, now); err != nil {
		return err
	}

	return requireChanged(r.db.Conn(ctx).Model(&attemptRow{}).Where("account = ?", key[:]).
		Updates(map[string]any{"last_at": now, "trusted_until": until}))
}

// dropAttempts removes what was last counted before a time, and is not trusted now.
func (r repository) dropAttempts(ctx context.Context, before, now time.Time) error {
	return database.Translate(r.db.Conn(ctx).
		Where("last_at < ? AND (trusted_until IS NULL OR trusted_until <= ?)", before, now).Delete(&attemptRow{}).Error)
}
