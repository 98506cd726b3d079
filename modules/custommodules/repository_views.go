package custommodules

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// seenViews are the views of a module that a user sees: everybody's and his own.
func (r *repository) seenViews(tx *gorm.DB, module uuid.UUID, user *uuid.UUID) *gorm.DB {
	tx = tx.Where("module_id = ?", module)
	if user == nil {
		return tx.Where("owner_id IS NULL")
	}

	return tx.Where("(owner_id IS NULL OR owner_id = ?)", *user)
}

// views returns a page of the views of a module that a user sees.
func (r *repository) views(ctx context.Context, module uuid.UUID, user *uuid.UUID, q list.Query) (list.Page[viewRow], error) {
	page, err := list.Find(r.seenViews(r.db.Dynamic(ctx), module, user), q, viewRow.listKey)

	return page, database.Translate(err)
}

// view returns a view of a module that a user sees, or errViewNotFound.
func (r *repository) view(ctx context.Context, module, id uuid.UUID, user *uuid.UUID) (viewRow, error) {
	var row viewRow
	err := r.seenViews(r.db.Conn(ctx), module, user).Where("id = ?", id).Take(&row).Error

	return row, found(err, errViewNotFound)
}

// lockViews keeps others from adding views to a module until the transaction ends. On SQLite one transaction writes at
// a time.
func (r *repository) lockViews(ctx context.Context, module uuid.UUID) error {
	if r.db.Dialect() == database.SQLite {
		return nil
	}

	return database.Translate(r.db.Raw(ctx, "a lock, not a row").
		Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", "views "+companyOf(ctx).String()+module.String()).Error)
}

func (r *repository) countViews(ctx context.Context, module uuid.UUID) (n int64, err error) {
	err = r.db.Conn(ctx).Model(&viewRow{}).Where("module_id = ?", module).Count(&n).Error

	return n, database.Translate(err)
}

func (r *repository) insertView(ctx context.Context, row viewRow) error {
	return database.Translate(r.db.Conn(ctx).Create(&row).Error)
}

// updateView stores a view that was at the version before, or returns errOvertaken.
func (r *repository) updateView(ctx context.Context, row viewRow) error {
	result := r.db.Conn(ctx).Model(&viewRow{}).Where("id = ? AND version = ?", row.ID, row.Version-1).Updates(map[string]any{
		"owner_id": row.OwnerID, "name": row.Name, "content": row.Content, "version": row.Version,
		"updated_at": row.UpdatedAt, "updated_by": row.UpdatedBy,
	})
	if result.Error == nil && result.RowsAffected == 0 {
		return errOvertaken
	}

	return database.Translate(result.Error)
}

// deleteView removes a view that is at the version of row, or returns errOvertaken.
func (r *repository) deleteView(ctx context.Context, row viewRow) error {
	result := r.db.Conn(ctx).Where("id = ? AND version = ?", row.ID, row.Version).Delete(&viewRow{})
	if result.Error == nil && result.RowsAffected == 0 {
		return errOvertaken
	}

	return database.Translate(result.Error)
}

func (v viewRow) listKey(field string) any {
	switch field {
	case "name":
		return v.Name
	case "created_at":
		return v.CreatedAt
	default:
		return v.ID
	}
}
