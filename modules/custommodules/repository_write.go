package custommodules

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// held returns a record of the company, deleted or not as asked, with the present revision of its
// module, and keeps others from changing it until the transaction ends; or errRecordNotFound. Others may
// come to refer to it.
func (r *repository) held(ctx context.Context, id uuid.UUID, deleted bool) (recordRow, error) {
	condition := "id = ? AND deleted_at IS NULL"
	if deleted {
		condition = "id = ? AND deleted_at IS NOT NULL"
	}

	return r.lock(ctx, lockShared, condition, id)
}

// heldAlone is held for a record that is to be deleted: nobody comes to refer to it meanwhile.
func (r *repository) heldAlone(ctx context.Context, id uuid.UUID) (recordRow, error) {
	return r.lock(ctx, lockAlone, "id = ? AND deleted_at IS NULL", id)
}

func (r *repository) lock(ctx context.Context, strength, condition string, id uuid.UUID) (recordRow, error) {
	var row recordRow
	err := r.db.Conn(ctx).Clauses(clause.Locking{Strength: strength}).
		Select(recordColumns+", schema_revision, "+moduleRevision).Where(condition, id).Take(&row).Error

	return row, found(err, errRecordNotFound)
}

// update stores a new version of a record that is held, provided that its module is at the revision
// that the version was made for; otherwise nothing is stored and the error is errMovedOn. A deleted
// record is there again.
func (r *repository) update(ctx context.Context, row recordRow, keys [slotCount]any) error {
	result := r.db.Raw(ctx, whyUpdate).Exec(r.updateRecordSQL, r.updateArgs(row, keys)...)
	if result.Error == nil && result.RowsAffected == 0 {
		return errMovedOn
	}

	return database.Translate(result.Error)
}

// updateSeen leaves a new version of a record to be stored, on PostgreSQL, provided that the record is
// still at the version before with the same rollups, and its module at the revision that the version was made for; otherwise
// the error of the transaction is errOvertaken.
func (r *repository) updateSeen(ctx context.Context, row recordRow, keys [slotCount]any) error {
	query := "WITH changed AS (" + r.updateRecordSQL + " AND version = ? AND rolled = ? AND deleted_at IS NULL RETURNING 1) SELECT 1 / count(*) FROM changed"

	return r.db.Pipeline(ctx, whyUpdate, query, append(r.updateArgs(row, keys), row.Version-1, row.Rolled), unfounded(errOvertaken))
}

// whyUpdate is the reason for SQL by hand.
const whyUpdate = "update and check of the revision in one statement; the company is bound"

// updateArgs are the values of updateRecordSQL.
func (r *repository) updateArgs(row recordRow, keys [slotCount]any) []any {
	args := make([]any, 0, 5+slotCount+6)
	args = append(args, row.Version, row.SchemaRevision, row.Data, row.UpdatedAt, row.UpdatedBy)
	for i, s := range r.slots {
		args = append(args, bindKey(r.db.Dialect(), s.kind(), keys[i]))
	}

	return append(args, row.CompanyID, row.ID, row.CompanyID, row.ModuleID, row.SchemaRevision)
}

// updateRecordSQL sets all slots, changed or not, so that it has one shape; an index whose column keeps
// its value costs nothing.
func updateRecordSQL() string {
	return `UPDATE custom_modules_records SET deleted_at = NULL, version = ?, schema_revision = ?, data = ?,
		updated_at = ?, updated_by = ?` + settingSlots() + `
		WHERE company_id = ? AND id = ? AND EXISTS (SELECT 1 FROM custom_modules_modules AS m
			WHERE m.company_id = ? AND m.id = ? AND m.revision = ? AND m.deleted_at IS NULL)`
}

// setSlotsSQL sets the slots of a record and nothing else.
func setSlotsSQL() string {
	return "UPDATE custom_modules_records SET schema_revision = ?" + settingSlots() + " WHERE company_id = ? AND id = ? AND version = ? AND rolled = ?"
}

func settingSlots() string {
	var columns strings.Builder
	for _, s := range slots() {
		columns.WriteString(", " + string(s) + " = ?")
	}

	return columns.String()
}

// remove marks a record that is held as deleted, and gives its unique values free.
func (r *repository) remove(ctx context.Context, row recordRow) error {
	err := r.db.Conn(ctx).Model(&recordRow{}).Where("id = ?", row.ID).Updates(map[string]any{
		"version": row.Version, "deleted_at": row.UpdatedAt, "updated_at": row.UpdatedAt, "updated_by": row.UpdatedBy,
	}).Error
	if err != nil {
		return database.Translate(err)
	}

	return database.Translate(r.db.Conn(ctx).Where("record_id = ?", row.ID).Delete(&uniqueRow{}).Error)
}

// removeSeen leaves a record to be marked as deleted, and its unique values to be given free, provided that it is
// still at the version before; otherwise the error of the transaction is errOvertaken.
func (r *repository) removeSeen(ctx context.Context, row recordRow) error {
	query := `UPDATE custom_modules_records SET version = ?, deleted_at = ?, updated_at = ?, updated_by = ?
		WHERE company_id = ? AND id = ? AND version = ? AND deleted_at IS NULL`
	if r.db.Dialect() == database.Postgres { // on SQLite nobody else writes meanwhile
		query = "WITH removed AS (" + query + " RETURNING 1) SELECT 1 / count(*) FROM removed"
	}
	args := []any{row.Version, row.UpdatedAt, row.UpdatedAt, row.UpdatedBy, row.CompanyID, row.ID, row.Version - 1}
	if err := r.db.Pipeline(ctx, whyUpdate, query, args, unfounded(errOvertaken)); err != nil {
		return err
	}

	return r.db.Pipeline(ctx, whyUpdate, "DELETE FROM custom_modules_unique WHERE company_id = ? AND record_id = ?",
		[]any{row.CompanyID, row.ID}, nil)
}

// claim takes unique values for a record. It returns those that another record has, and then has
// taken some of the others: the transaction is to be given up. It waits for a transaction that is
// about to take or give up one of them. The error is errMovedOn if one was given up just now.
func (r *repository) claim(ctx context.Context, row recordRow, values []unique) (taken []uniqueRow, err error) {
	if len(values) == 0 {
		return nil, nil
	}
	rows := make([]uniqueRow, len(values))
	pairs := make([][]any, len(values))
	for i, u := range values {
		rows[i] = uniqueRow{ModuleID: row.ModuleID, FieldID: u.field.id, Value: u.value, RecordID: row.ID}
		pairs[i] = []any{u.field.id, u.value}
	}
	result := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&rows)
	if result.Error != nil || result.RowsAffected == int64(len(rows)) {
		return nil, database.Translate(result.Error)
	}
	var there []uniqueRow
	err = r.db.Conn(ctx).Where("module_id = ? AND (field_id, value) IN ?", row.ModuleID, pairs).Find(&there).Error
	if err == nil && len(there) < len(rows) {
		return nil, errMovedOn
	}
	for _, u := range there {
		if u.RecordID != row.ID {
			taken = append(taken, u)
		}
	}

	return taken, database.Translate(err)
}

// holder returns the record that has a unique value, uuid.Nil if none has.
func (r *repository) holder(ctx context.Context, module, field uuid.UUID, value string) (uuid.UUID, error) {
	var rows []uniqueRow
	err := r.db.Conn(ctx).Where("module_id = ? AND field_id = ? AND value = ?", module, field, value).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return uuid.Nil, database.Translate(err)
	}

	return rows[0].RecordID, nil
}

// disclaim gives the unique values of some fields of a record free.
func (r *repository) disclaim(ctx context.Context, record uuid.UUID, fields []uuid.UUID) error {
	if len(fields) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).
		Where("record_id = ? AND field_id IN ?", record, fields).Delete(&uniqueRow{}).Error)
}

// unlink removes the references that some fields of a record were.
func (r *repository) unlink(ctx context.Context, record uuid.UUID, fields []uuid.UUID) error {
	if len(fields) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).
		Where("record_id = ? AND field_id IN ?", record, fields).Delete(&linkRow{}).Error)
}
