package link

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/lastuse"
	"github.com/dispatchd/dispatchd/platform/list"
)

const (
	// usable is the condition under which a link can be used at a time.
	usable = "revoked_at IS NULL AND expires_at > ? AND (max_uses = 0 OR uses < max_uses)"
	// anybody is why links are found across companies.
	anybody = "whose link it is is not known before it is found"
)

// repository reads and writes the table link_links. Its errors are those of database.Translate.
type repository struct{ db *database.DB }

// create stores a link, unless its portal is off, and returns whose it is. Errors: errClosed.
func (r repository) create(ctx context.Context, l Link, d digest, p Portal) (uuid.UUID, error) {
	made := newRow(l, d)
	tx := r.db.Conn(ctx)
	if p != "" {
		tx = tx.Clauses(ifOpen{&made, p})
	}
	tx = tx.Create(&made)
	if tx.Error == nil && tx.RowsAffected == 0 {
		return uuid.Nil, errClosed
	}

	return made.CompanyID, database.Translate(tx.Error)
}

// find reads a link of any company, and whether its portal is off.
func (r repository) find(ctx context.Context, p Purpose, d digest, portal Portal) (Link, error) {
	var found row
	err := withPortal(r.db.Conn(database.AcrossCompanies(ctx, anybody)), portal).
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

// findByID reads a link of the caller's company, and whether its portal is off.
func (r repository) findByID(ctx context.Context, p Purpose, id uuid.UUID, portal Portal) (Link, error) {
	var found row
	err := withPortal(r.db.Conn(ctx), portal).Where("id = ? AND purpose = ?", id, p).Take(&found).Error

	return found.link(), database.Translate(err)
}

// byID reads a link of the caller's company, whatever it is for.
func (r repository) byID(ctx context.Context, id uuid.UUID) (Link, error) {
	var found row
	err := r.db.Conn(ctx).Where("id = ?", id).Take(&found).Error

	return found.link(), database.Translate(err)
}

// page reads a page of the company's links; with a time, of those that can be used then.
func (r repository) page(ctx context.Context, q list.Query, usableAt *time.Time) (list.Page[row], error) {
	tx := r.db.Dynamic(ctx).Omit("hash", "portal_off")
	if usableAt != nil {
		tx = tx.Where(usable, *usableAt)
	}
	page, err := list.Find(tx, q, func(l row, _ string) any { return l.ID })

	return page, database.Translate(err)
}

func (r repository) list(ctx context.Context, f Filter, now time.Time) ([]Link, error) {
	tx := r.db.Conn(ctx).Omit("hash", "portal_off").Order("id DESC").Limit(listLimit)
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

// revokeSelected ends the usable links of a selection; purposes are those of its portal.
func (r repository) revokeSelected(ctx context.Context, which Selection, purposes []Purpose, now time.Time) (int, error) {
	tx := r.db.Conn(ctx).Model(&row{}).Where(usable, now)
	if which.Purpose != "" {
		tx = tx.Where("purpose = ?", which.Purpose)
	}
	if which.Portal != "" {
		tx = tx.Where("purpose IN ?", purposes)
	}
	if which.Holder != uuid.Nil {
		tx = tx.Where("holder_id = ?", which.Holder)
	}
	tx = tx.Update("revoked_at", now)

	return int(tx.RowsAffected), database.Translate(tx.Error)
}

// recordVisits records when links were entered, unless another process has recorded a later time.
func (r repository) recordVisits(ctx context.Context, batch []lastuse.Use) error {
	ctx = database.AcrossCompanies(ctx, "visits are recorded for all companies together")

	return r.db.InTx(ctx, func(ctx context.Context) error {
		for _, v := range batch {
			err := r.db.Conn(ctx).Model(&row{}).
				Where("company_id = ? AND id = ? AND (last_used_at IS NULL OR last_used_at < ?)", v.Company, v.ID, v.At).
				Update("last_used_at", v.At).Error
			if err != nil {
				return database.Translate(err)
			}
		}

		return nil
	})
}
