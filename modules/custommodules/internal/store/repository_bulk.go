package store

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// LockBulk lets bulk requests of a module run side by side, or one alone, until the transaction ends. It
// is for PostgreSQL.
func (r *Repository) LockBulk(ctx context.Context, module uuid.UUID, alone bool) error {
	lock := "pg_advisory_xact_lock_shared"
	if alone {
		lock = "pg_advisory_xact_lock"
	}

	return database.Translate(r.DB.Raw(ctx, "a lock, not a row").
		Exec("SELECT "+lock+"(hashtextextended(?, 0))", "bulk "+principal.CompanyOf(ctx).String()+module.String()).Error)
}

// How records are locked: others may come to refer to them, or nobody.
const (
	LockShared = "NO KEY UPDATE"
	LockAlone  = clause.LockingStrengthUpdate
)

// LockRecords locks records of a module, by their ids and by unique values (a field and a value each), in
// the order of their ids. Who is not there is passed over.
func (r *Repository) LockRecords(ctx context.Context, strength string, module uuid.UUID, ids []uuid.UUID, values [][]any) error {
	if len(values) > 0 {
		var held []uuid.UUID
		err := r.DB.Dynamic(ctx).Model(&definition.UniqueRow{}).Where("module_id = ? AND (field_id, value) IN ?", module, values).
			Pluck("record_id", &held).Error
		if err != nil {
			return database.Translate(err)
		}
		ids = append(ids, held...)
	}
	if len(ids) == 0 {
		return nil
	}
	var rows []definition.RecordRow

	return database.Translate(r.DB.Dynamic(ctx).Clauses(clause.Locking{Strength: strength}).Select("id").
		Where("module_id = ? AND id IN ? AND deleted_at IS NULL", module, ids).Order("id").Find(&rows).Error)
}
