package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Number returns a number.
func (r *Repository) Number(ctx context.Context, id uuid.UUID) (Number, error) {
	return database.One[Number](r.DB.Conn(ctx), ErrNumber, "id = ?", id)
}

// LockNumber returns a number, and keeps others from it until the transaction ends.
func (r *Repository) LockNumber(ctx context.Context, id uuid.UUID) (Number, error) {
	return database.One[Number](database.ForUpdate(r.DB.Conn(ctx)), ErrNumber, "id = ?", id)
}

// NumberByE164 returns the number of an account by its E.164.
func (r *Repository) NumberByE164(ctx context.Context, account uuid.UUID, e164 string) (Number, error) {
	return database.One[Number](r.DB.Conn(ctx), ErrNumber, "account_id = ? AND number = ? AND released_at IS NULL", account, e164)
}

// SaveNumber stores what changes of a number.
func (r *Repository) SaveNumber(ctx context.Context, row *Number) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Number{}).Where("id = ?", row.ID).Select(
		"kind", "label", "sms", "mms", "voice", "registration", "provider_id", "user_id", "per_minute", "state", "problem",
		"released_at", "version", "updated_at",
	).Updates(row).Error)
}

// UserDefault returns the number that a user has chosen, nil for none.
func (r *Repository) UserDefault(ctx context.Context, user uuid.UUID) (*uuid.UUID, error) {
	row, err := database.IfAny[UserDefault](r.DB.Conn(ctx), "user_id = ?", user)
	if err != nil || row == nil {
		return nil, err
	}

	return &row.NumberID, nil
}

// SetUserDefault makes a number the default of a user.
func (r *Repository) SetUserDefault(ctx context.Context, row *UserDefault) error {
	if err := r.DeleteUserDefault(ctx, row.UserID); err != nil {
		return err
	}

	return r.Insert(ctx, row)
}

// DeleteUserDefault leaves a user without a default of its own.
func (r *Repository) DeleteUserDefault(ctx context.Context, user uuid.UUID) error {
	return database.Translate(r.DB.Conn(ctx).Where("user_id = ?", user).Delete(&UserDefault{}).Error)
}

// DeleteDefaults makes a number nobody's default, but for one user; nil for nobody.
func (r *Repository) DeleteDefaults(ctx context.Context, number uuid.UUID, but *uuid.UUID) error {
	tx := r.DB.Conn(ctx).Where("number_id = ?", number)
	if but != nil {
		tx = tx.Where("user_id <> ?", *but)
	}

	return database.Translate(tx.Delete(&UserDefault{}).Error)
}

// LockThrottle returns when a number may send next, and keeps others from it until the transaction ends.
func (r *Repository) LockThrottle(ctx context.Context, number uuid.UUID) (throttle, error) {
	row := throttle{NumberID: number, NextAt: time.Unix(0, 0).UTC()}
	if err := r.DB.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return row, database.Translate(err)
	}

	return database.One[throttle](database.ForUpdate(r.DB.Conn(ctx)), ErrNumber, "number_id = ?", number)
}

// SaveThrottle stores when a number may send next.
func (r *Repository) SaveThrottle(ctx context.Context, row throttle) error {
	return database.Translate(r.DB.Conn(ctx).Model(&throttle{}).Where("number_id = ?", row.NumberID).Update("next_at", row.NextAt).Error)
}

// CountNumbers returns how many numbers are active.
func (r *Repository) CountNumbers(ctx context.Context) (int64, error) {
	return database.Count(r.DB.Conn(ctx).Model(&Number{}).Where("state = ?", NumberActive))
}

// Numbers returns a page of numbers.
func (r *Repository) Numbers(ctx context.Context, q list.Query) (list.Page[Number], error) {
	page, err := list.Find(r.DB.Dynamic(ctx), q, Number.sortKey)

	return page, database.Translate(err)
}
