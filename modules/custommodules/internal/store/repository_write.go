package store

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
)

// LockRecord returns a record of the company, deleted or not as asked, with the present revision of its
// module, and keeps others from changing it until the transaction ends; or ErrRecordNotFound. Others may
// come to refer to it.
func (r *Repository) LockRecord(ctx context.Context, id uuid.UUID, deleted bool) (definition.RecordRow, error) {
	condition := "id = ? AND deleted_at IS NULL"
	if deleted {
		condition = "id = ? AND deleted_at IS NOT NULL"
	}

	return r.lock(ctx, LockShared, condition, id)
}

// HeldAlone is held for a record that is to be deleted: nobody comes to refer to it meanwhile.
func (r *Repository) HeldAlone(ctx context.Context, id uuid.UUID) (definition.RecordRow, error) {
	return r.lock(ctx, LockAlone, "id = ? AND deleted_at IS NULL", id)
}

func (r *Repository) lock(ctx context.Context, strength, condition string, id uuid.UUID) (definition.RecordRow, error) {
	var row definition.RecordRow
	err := r.DB.Conn(ctx).Clauses(clause.Locking{Strength: strength}).
		Select(RecordColumns+", schema_revision, "+moduleRevision).Where(condition, id).Take(&row).Error

	return row, notFoundAs(err, definition.ErrRecordNotFound)
}

// Update stores a new version of a record that is held, provided that its module is at the revision
// that the version was made for; otherwise nothing is stored and the error is ErrMovedOn. A deleted
// record is there again.
func (r *Repository) Update(ctx context.Context, row definition.RecordRow, keys [definition.SlotCount]any) error {
	result := r.DB.Raw(ctx, whyUpdate).Exec(r.updateRecordSQL, r.updateArgs(row, keys)...)
	if result.Error == nil && result.RowsAffected == 0 {
		return ErrMovedOn
	}

	return database.Translate(result.Error)
}

// UpdateSeen leaves a new version of a record to be stored, on PostgreSQL, provided that the record is
// still at the version before with the same rollups, and its module at the revision that the version was made for; otherwise
// the error of the transaction is ErrOvertaken.
func (r *Repository) UpdateSeen(ctx context.Context, row definition.RecordRow, keys [definition.SlotCount]any) error {
	query := "WITH changed AS (" + r.updateRecordSQL + " AND version = ? AND rolled = ? AND deleted_at IS NULL RETURNING 1) SELECT 1 / count(*) FROM changed"

	return r.DB.Pipeline(ctx, whyUpdate, query, append(r.updateArgs(row, keys), row.Version-1, row.Rolled), missingReferenceAs(ErrOvertaken))
}

// whyUpdate is the reason for SQL by hand.
const whyUpdate = "update and check of the revision in one statement; the company is bound"

// updateArgs are the values of updateRecordSQL.
func (r *Repository) updateArgs(row definition.RecordRow, keys [definition.SlotCount]any) []any {
	args := make([]any, 0, 5+definition.SlotCount+6)
	args = append(args, row.Version, row.SchemaRevision, row.Data, row.UpdatedAt, row.UpdatedBy)
	for i, s := range r.slots {
		args = append(args, definition.BindKey(r.DB.Dialect(), s.Kind(), keys[i]))
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
	for _, s := range definition.AllSlots() {
		columns.WriteString(", " + string(s) + " = ?")
	}

	return columns.String()
}

// Remove marks a record that is held as deleted, and gives its unique values free.
func (r *Repository) Remove(ctx context.Context, row definition.RecordRow) error {
	err := r.DB.Conn(ctx).Model(&definition.RecordRow{}).Where("id = ?", row.ID).Updates(map[string]any{
		"version": row.Version, "deleted_at": row.UpdatedAt, "updated_at": row.UpdatedAt, "updated_by": row.UpdatedBy,
	}).Error
	if err != nil {
		return database.Translate(err)
	}

	return database.Translate(r.DB.Conn(ctx).Where("record_id = ?", row.ID).Delete(&definition.UniqueRow{}).Error)
}

// RemoveSeen leaves a record to be marked as deleted, and its unique values to be given free, provided that it is
// still at the version before; otherwise the error of the transaction is ErrOvertaken.
func (r *Repository) RemoveSeen(ctx context.Context, row definition.RecordRow) error {
	query := `UPDATE custom_modules_records SET version = ?, deleted_at = ?, updated_at = ?, updated_by = ?
		WHERE company_id = ? AND id = ? AND version = ? AND deleted_at IS NULL`
	if r.DB.Dialect() == database.Postgres { // on SQLite nobody else writes meanwhile
		query = "WITH removed AS (" + query + " RETURNING 1) SELECT 1 / count(*) FROM removed"
	}
	args := []any{row.Version, row.UpdatedAt, row.UpdatedAt, row.UpdatedBy, row.CompanyID, row.ID, row.Version - 1}
	if err := r.DB.Pipeline(ctx, whyUpdate, query, args, missingReferenceAs(ErrOvertaken)); err != nil {
		return err
	}

	return r.DB.Pipeline(ctx, whyUpdate, "DELETE FROM custom_modules_unique WHERE company_id = ? AND record_id = ?",
		[]any{row.CompanyID, row.ID}, nil)
}

// ClaimUnique takes unique values for a record. It returns those that another record has, and then has
// taken some of the others: the transaction is to be given up. It waits for a transaction that is
// about to take or give up one of them. The error is ErrMovedOn if one was given up just now.
func (r *Repository) ClaimUnique(ctx context.Context, row definition.RecordRow, values []definition.Unique) (taken []definition.UniqueRow, err error) {
	if len(values) == 0 {
		return nil, nil
	}
	rows := make([]definition.UniqueRow, len(values))
	pairs := make([][]any, len(values))
	for i, u := range values {
		rows[i] = definition.UniqueRow{ModuleID: row.ModuleID, FieldID: u.Field.ID, Value: u.Value, RecordID: row.ID}
		pairs[i] = []any{u.Field.ID, u.Value}
	}
	result := r.DB.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&rows)
	if result.Error != nil || result.RowsAffected == int64(len(rows)) {
		return nil, database.Translate(result.Error)
	}
	var there []definition.UniqueRow
	err = r.DB.Conn(ctx).Where("module_id = ? AND (field_id, value) IN ?", row.ModuleID, pairs).Find(&there).Error
	if err == nil && len(there) < len(rows) {
		return nil, ErrMovedOn
	}
	for _, u := range there {
		if u.RecordID != row.ID {
			taken = append(taken, u)
		}
	}

	return taken, database.Translate(err)
}

// UniqueHolder returns the record that has a unique value, uuid.Nil if none has.
func (r *Repository) UniqueHolder(ctx context.Context, module, field uuid.UUID, value string) (uuid.UUID, error) {
	var rows []definition.UniqueRow
	err := r.DB.Conn(ctx).Where("module_id = ? AND field_id = ? AND value = ?", module, field, value).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return uuid.Nil, database.Translate(err)
	}

	return rows[0].RecordID, nil
}

// ReleaseUnique gives the unique values of some fields of a record free.
func (r *Repository) ReleaseUnique(ctx context.Context, record uuid.UUID, fields []uuid.UUID) error {
	if len(fields) == 0 {
		return nil
	}

	return database.Translate(r.DB.Conn(ctx).
		Where("record_id = ? AND field_id IN ?", record, fields).Delete(&definition.UniqueRow{}).Error)
}

// Unlink removes the references that some fields of a record were.
func (r *Repository) Unlink(ctx context.Context, record uuid.UUID, fields []uuid.UUID) error {
	if len(fields) == 0 {
		return nil
	}

	return database.Translate(r.DB.Conn(ctx).
		Where("record_id = ? AND field_id IN ?", record, fields).Delete(&definition.LinkRow{}).Error)
}
