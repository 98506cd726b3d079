package store

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Named returns the documents of some records, deleted ones too: a record that is restored may come before those that it names.
// Held ones stay unchanged until the transaction ends. On SQLite, who writes is alone anyway.
func (r *Repository) Named(ctx context.Context, ids []uuid.UUID, held bool) (map[uuid.UUID]rawjson.Object, error) {
	found := make(map[uuid.UUID]rawjson.Object, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	tx := r.DB.Dynamic(ctx).Select("id", "data").Where("id IN ?", ids).Order("id")
	if held {
		tx = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthShare})
	}
	var rows []definition.RecordRow
	err := tx.Find(&rows).Error
	for _, row := range rows {
		found[row.ID] = row.Data
	}

	return found, database.Translate(err)
}

// LinkedTo returns records that refer to one by a field, by id.
func (r *Repository) LinkedTo(ctx context.Context, target, reference, after uuid.UUID, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.DB.Conn(ctx).Model(&definition.LinkRow{}).Where("target_id = ? AND field_id = ? AND record_id > ?", target, reference, after).
		Order("record_id").Limit(most).Pluck("record_id", &ids).Error

	return ids, database.Translate(err)
}
