package views

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// repository keeps the rows of views.
type repository struct{ db *database.DB }

// visibleTo narrows a statement down to the views of a collection that the caller sees: everybody's and his own.
func visibleTo(ctx context.Context, tx *gorm.DB, of collection.Name) *gorm.DB {
	tx = tx.Where("collection = ?", of)
	user := principal.UserOf(ctx)
	if user == nil {
		return tx.Where("owner_id IS NULL")
	}

	return tx.Where("(owner_id IS NULL OR owner_id = ?)", *user)
}

// page returns a page of the views of a collection that the caller sees.
func (r repository) page(ctx context.Context, of collection.Name, q list.Query) (list.Page[viewRow], error) {
	page, err := list.Find(visibleTo(ctx, r.db.Dynamic(ctx), of), q, viewRow.listKey)

	return page, database.Translate(err)
}

// find returns a view of a collection that the caller sees, or ErrNotFound.
func (r repository) find(ctx context.Context, of collection.Name, id uuid.UUID) (viewRow, error) {
	return database.One[viewRow](visibleTo(ctx, r.db.Conn(ctx), of), ErrNotFound, "id = ?", id)
}

// lock keeps others from adding views to a collection until the transaction ends.
func (r repository) lock(ctx context.Context, of collection.Name) error {
	caller, _ := principal.From(ctx)

	return r.db.HoldName(ctx, "views "+caller.Company.String()+string(of))
}

func (r repository) count(ctx context.Context, of collection.Name) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&viewRow{}).Where("collection = ?", of))
}

// countNaming counts the views of a collection whose content has a text.
func (r repository) countNaming(ctx context.Context, of collection.Name, text string) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&viewRow{}).Where("collection = ? AND CAST(content AS text) LIKE ?", of, "%"+text+"%"))
}

func (r repository) insert(ctx context.Context, row viewRow) error {
	return database.Translate(r.db.Conn(ctx).Create(&row).Error)
}

// update stores a view that was at the version before, or returns ErrOvertaken.
func (r repository) update(ctx context.Context, row viewRow) error {
	result := r.db.Conn(ctx).Model(&viewRow{}).Where("id = ? AND version = ?", row.ID, row.Version-1).Updates(map[string]any{
		"owner_id": row.OwnerID, "name": row.Name, "content": row.Content, "version": row.Version,
		"updated_at": row.UpdatedAt, "updated_by": row.UpdatedBy,
	})
	if result.Error == nil && result.RowsAffected == 0 {
		return ErrOvertaken
	}

	return database.Translate(result.Error)
}

// remove deletes a view that is at the version of row, or returns ErrOvertaken.
func (r repository) remove(ctx context.Context, row viewRow) error {
	result := r.db.Conn(ctx).Where("id = ? AND version = ?", row.ID, row.Version).Delete(&viewRow{})
	if result.Error == nil && result.RowsAffected == 0 {
		return ErrOvertaken
	}

	return database.Translate(result.Error)
}

// drop deletes all views of a collection of any company.
func (r repository) drop(ctx context.Context, company uuid.UUID, of collection.Name) error {
	return database.Translate(r.db.Raw(ctx, "a collection of any company is purged").
		Exec("DELETE FROM collection_views WHERE company_id = ? AND collection = ?", company, of).Error)
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
