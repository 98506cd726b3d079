package custommodules

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// lockBulk lets bulk requests of a module run side by side, or one alone, until the transaction ends. It
// is for PostgreSQL.
func (r *repository) lockBulk(ctx context.Context, module uuid.UUID, alone bool) error {
	lock := "pg_advisory_xact_lock_shared"
	if alone {
		lock = "pg_advisory_xact_lock"
	}

	return database.Translate(r.db.Raw(ctx, "a lock, not a row").
		Exec("SELECT "+lock+"(hashtextextended(?, 0))", "bulk "+principal.CompanyOf(ctx).String()+module.String()).Error)
}

// How records are locked: others may come to refer to them, or nobody.
const (
	lockShared = "NO KEY UPDATE"
	lockAlone  = clause.LockingStrengthUpdate
)

// lockRecords locks records of a module, by their ids and by unique values (a field and a value each), in
// the order of their ids. Who is not there is passed over.
func (r *repository) lockRecords(ctx context.Context, strength string, module uuid.UUID, ids []uuid.UUID, values [][]any) error {
	if len(values) > 0 {
		var held []uuid.UUID
		err := r.db.Dynamic(ctx).Model(&uniqueRow{}).Where("module_id = ? AND (field_id, value) IN ?", module, values).
			Pluck("record_id", &held).Error
		if err != nil {
			return database.Translate(err)
		}
		ids = append(ids, held...)
	}
	if len(ids) == 0 {
		return nil
	}
	var rows []recordRow

	return database.Translate(r.db.Dynamic(ctx).Clauses(clause.Locking{Strength: strength}).Select("id").
		Where("module_id = ? AND id IN ? AND deleted_at IS NULL", module, ids).Order("id").Find(&rows).Error)
}
