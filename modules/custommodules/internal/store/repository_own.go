package store

import (
	"context"
	"math"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/memory"
)

// OwnModules returns the modules of own fields by the types of their items.
func (r *Repository) OwnModules(ctx context.Context) (map[string]uuid.UUID, error) {
	var rows []definition.ModuleRow
	err := r.DB.Conn(ctx).Select("id", "item_type").Where("item_type <> ''").Find(&rows).Error
	all := make(map[string]uuid.UUID, len(rows))
	for _, row := range rows {
		all[row.ItemType] = row.ID
	}

	return all, database.Translate(err)
}

// Documents returns what is kept of those of some records of a module that there are, deleted or not.
func (r *Repository) Documents(ctx context.Context, module uuid.UUID, ids []uuid.UUID) ([]definition.RecordRow, error) {
	return r.bounded(ctx, r.DB.Dynamic(ctx).Select("id", "data"), module, ids)
}

// HeldAll returns those of some records of a module that there are, deleted or not, and keeps others from them until the
// transaction ends.
func (r *Repository) HeldAll(ctx context.Context, module uuid.UUID, ids []uuid.UUID) ([]definition.RecordRow, error) {
	tx := r.DB.Dynamic(ctx).Clauses(clause.Locking{Strength: LockShared}).
		Select(RecordColumns + ", deleted_at, schema_revision, " + moduleRevision).Order("id")

	return r.bounded(ctx, tx, module, ids)
}

// bounded reads those of some records of a module that there are. Room for them is taken from the memory of the request.
func (*Repository) bounded(ctx context.Context, tx *gorm.DB, module uuid.UUID, ids []uuid.UUID) (rows []definition.RecordRow, err error) {
	bound := &database.Bound{Bytes: math.MaxInt64}
	err = bound.Of(tx).Where("module_id = ? AND id IN ?", module, ids).Find(&rows).Error
	if err == nil && bound.Read > memory.Small {
		err = memory.Reserve(ctx, 2*bound.Read)
	}

	return rows, database.Translate(err)
}
