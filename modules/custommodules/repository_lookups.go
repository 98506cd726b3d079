package custommodules

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// named returns the documents of some records, deleted ones too: a record that is restored may come before those that it names.
// Held ones stay as they are until the transaction ends. On SQLite, who writes is alone anyway.
func (r *repository) named(ctx context.Context, ids []uuid.UUID, held bool) (map[uuid.UUID]rawjson.Object, error) {
	found := make(map[uuid.UUID]rawjson.Object, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	tx := r.db.Dynamic(ctx).Select("id", "data").Where("id IN ?", ids).Order("id")
	if held {
		tx = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthShare})
	}
	var rows []recordRow
	err := tx.Find(&rows).Error
	for _, row := range rows {
		found[row.ID] = row.Data
	}

	return found, database.Translate(err)
}

// linkedTo returns records that refer to one by a field, by id.
func (r *repository) linkedTo(ctx context.Context, target, reference, after uuid.UUID, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Conn(ctx).Model(&linkRow{}).Where("target_id = ? AND field_id = ? AND record_id > ?", target, reference, after).
		Order("record_id").Limit(most).Pluck("record_id", &ids).Error

	return ids, database.Translate(err)
}
