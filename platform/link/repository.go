package link

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

const (
	// usable is the condition under which a link can be used at a time.
	usable = "revoked_at IS NULL AND expires_at > ? AND (max_uses = 0 OR uses < max_uses)"
	// anybody is why links are found across companies.
	anybody = "whose link it is is not known before it is found"
)

// repository reads and writes the table link_links. Its errors are those of database.Translate.
type repository struct{ db *database.DB }

// create stores a link and returns whose it is.
func (r repository) create(ctx context.Context, l Link, d digest) (uuid.UUID, error) {
	made := newRow(l, d)
	err := r.db.Conn(ctx).Create(&made).Error

	return made.CompanyID, database.Translate(err)
}

// find reads a link of any company.
func (r repository) find(ctx context.Context, p Purpose, d digest) (Link, error) {
	var found row
	err := r.db.Conn(database.AcrossCompanies(ctx, anybody)).
		Where("hash = ? AND purpose = ?", d[:], p).Take(&found).Error

	return found.link(), database.Translate(err)
}

// use counts a use of a link of any company, if it can be used, and reports whether it could.
func (r repository) use(ctx context.Context, p Purpose, d digest, now time.Time) (bool, error) {
	tx := r.db.Conn(database.AcrossCompanies(ctx, anybody)).Model(&row{}).
		Where("hash = ? AND purpose = ?", d[:], p).Where(usable, now).
		Updates(map[string]any{"uses": gorm.Expr("uses + 1"), "last_used_at": now})

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}

// useByID is use of a link of the caller's company.
func (r repository) useByID(ctx context.Context, p Purpose, id uuid.UUID, now time.Time) (bool, error) {
	tx := r.db.Conn(ctx).Model(&row{}).Where("id = ? AND purpose = ?", id, p).Where(usable, now).
		Updates(map[string]any{"uses": gorm.Expr("uses + 1"), "last_used_at": now})

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}

// findByID reads a link of the caller's company.
func (r repository) findByID(ctx context.Context, p Purpose, id uuid.UUID) (Link, error) {
	var found row
	err := r.db.Conn(ctx).Where("id = ? AND purpose = ?", id, p).Take(&found).Error

	return found.link(), database.Translate(err)
}

func (r repository) list(ctx context.Context, f Filter, now time.Time) ([]Link, error) {
	tx := r.db.Conn(ctx).Omit("hash").Order("id DESC").Limit(listLimit)
	if f.Purpose != "" {
		tx = tx.Where("purpose = ?", f.Purpose)
	}
	if f.Subject.Type != "" {
		tx = tx.Where("subject_type = ?", f.Subject.Type)
	}
	if f.Subject.ID != uuid.Nil {
		tx = tx.Where("subject_id = ?", f.Subject.ID)
	}
	if f.Before != uuid.Nil {
		tx = tx.Where("id < ?", f.Before)
	}
	if f.Usable {
		tx = tx.Where(usable, now)
	}
	var rows []row
	if err := tx.Find(&rows).Error; err != nil {
		return nil, database.Translate(err)
	}
	all := make([]Link, len(rows))
	for i, r := range rows {
		all[i] = r.link()
	}

	return all, nil
}

// revoke ends a link, and keeps the time of the first time.
func (r repository) revoke(ctx context.Context, id uuid.UUID, now time.Time) error {
	tx := r.db.Conn(ctx).Model(&row{}).Where("id = ?", id).
		Update("revoked_at", gorm.Expr("coalesce(revoked_at, ?)", now))
	if tx.Error == nil && tx.RowsAffected == 0 {
		return database.ErrNotFound
	}

	return database.Translate(tx.Error)
}

func (r repository) revokeAll(ctx context.Context, p Purpose, about Subject, now time.Time) (int, error) {
	tx := r.db.Conn(ctx).Model(&row{}).
		Where("purpose = ? AND subject_type = ? AND subject_id = ?", p, about.Type, about.ID).Where(usable, now).
		Update("revoked_at", now)

	return int(tx.RowsAffected), database.Translate(tx.Error)
}
