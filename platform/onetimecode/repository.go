package onetimecode

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
)

type row struct {
	database.Tenant

	ID          uuid.UUID `gorm:"primaryKey"`
	Purpose     Purpose
	SubjectType string
	SubjectID   uuid.UUID
	Channel     string
	Recipient   string
	Hash        []byte
	Tries       int64
	CreatedAt   time.Time
	ExpiresAt   time.Time
	EndedAt     *time.Time
}

// TableName implements GORM's naming.
func (row) TableName() string { return "onetimecode_codes" }

func (r row) code() Code {
	return Code{ID: r.ID, Channel: r.Channel, To: r.Recipient, Tries: r.Tries, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt}
}

func (r row) usable(now time.Time) bool {
	return r.EndedAt == nil && now.Before(r.ExpiresAt) && r.Tries < Tries
}

// repository reads and writes the table.
type repository struct{ db *database.DB }

func (r repository) of(ctx context.Context, p Purpose, about item.Ref) *gorm.DB {
	return r.db.Conn(ctx).Model(&row{}).Where("purpose = ? AND subject_type = ? AND subject_id = ?", p, about.Type, about.UUID)
}

func (r repository) create(ctx context.Context, made *row) error {
	return database.Translate(r.db.Conn(ctx).Create(made).Error)
}

// end ends the codes of a subject.
func (r repository) end(ctx context.Context, p Purpose, about item.Ref, now time.Time) error {
	return database.Translate(r.of(ctx, p, about).Where("ended_at IS NULL").Update("ended_at", now).Error)
}

// try counts a try of the code that can be used. Errors: ErrNone.
func (r repository) try(ctx context.Context, p Purpose, about item.Ref, now time.Time) error {
	tx := r.of(ctx, p, about).Where("ended_at IS NULL AND expires_at > ? AND tries < ?", now, Tries).Update("tries", gorm.Expr("tries + 1"))

	return database.RequireAffected(tx, ErrNone)
}

// redeem ends a code, for one of those who typed it at the same time. Errors: ErrNone.
func (r repository) redeem(ctx context.Context, id uuid.UUID, now time.Time) error {
	return database.RequireAffected(r.db.Conn(ctx).Model(&row{}).Where("id = ? AND ended_at IS NULL", id).Update("ended_at", now), ErrNone)
}

// last returns the newest code of a subject. Errors: ErrNone.
func (r repository) last(ctx context.Context, p Purpose, about item.Ref) (found row, err error) {
	err = r.of(ctx, p, about).Order("created_at DESC, id DESC").Take(&found).Error

	return found, database.NotFoundAs(database.Translate(err), ErrNone)
}

// issued returns how many codes a subject, or the company if it is nil, was issued since a time, and when the first of them.
func (r repository) issued(ctx context.Context, p Purpose, of *item.Ref, since time.Time) (int64, time.Time, error) {
	tx := r.db.Dynamic(ctx).Model(&row{}).Where("purpose = ? AND created_at > ?", p, since)
	if of != nil {
		tx = tx.Where("subject_type = ? AND subject_id = ?", of.Type, of.UUID)
	}
	var times []time.Time
	if err := tx.Order("created_at").Limit(perCompany).Pluck("created_at", &times).Error; err != nil || len(times) == 0 {
		return 0, since, database.Translate(err)
	}

	return int64(len(times)), times[0], nil
}

// sweep deletes codes of all companies that have expired before a time, most at most.
func (r repository) sweep(ctx context.Context, before time.Time, most int) (int, error) {
	tx := r.db.Raw(ctx, "old codes of all companies go; keys have the company").Exec(`DELETE FROM onetimecode_codes WHERE (company_id, id) IN
		(SELECT company_id, id FROM onetimecode_codes WHERE expires_at < ? LIMIT ?)`, before, most)

	return int(tx.RowsAffected), database.Translate(tx.Error)
}
