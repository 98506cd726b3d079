package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// InsertChange stores the plan of a change.
func (r *Repository) InsertChange(ctx context.Context, c definition.ChangeRow) error {
	return database.Translate(r.DB.Conn(ctx).Create(&c).Error)
}

// FieldChange returns a change of a field of a module, or ErrChangeNotFound.
func (r *Repository) FieldChange(ctx context.Context, module, id uuid.UUID) (definition.ChangeRow, error) {
	var row definition.ChangeRow
	err := r.DB.Conn(ctx).Where("id = ? AND module_id = ?", id, module).Take(&row).Error

	return row, notFoundAs(err, definition.ErrChangeNotFound)
}

// HoldChange returns a change, and keeps others from it until the transaction ends; or ErrChangeNotFound.
func (r *Repository) HoldChange(ctx context.Context, id uuid.UUID) (definition.ChangeRow, error) {
	var row definition.ChangeRow
	err := r.DB.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("id = ?", id).Take(&row).Error

	return row, notFoundAs(err, definition.ErrChangeNotFound)
}

// SaveChange stores what of a change can change. The error is ErrChangeRunning if it is to be applied while
// another one is.
func (r *Repository) SaveChange(ctx context.Context, c *definition.ChangeRow, at time.Time) error {
	c.Version, c.UpdatedAt = c.Version+1, at

	return duplicateAs(r.DB.Conn(ctx).Model(&definition.ChangeRow{}).Where("id = ?", c.ID).Updates(map[string]any{
		"state": c.State, "decision": c.Decision, "report": c.Report, "fingerprint": c.Fingerprint, "incoming_id": c.IncomingID,
		"position": c.Position, "until_id": c.UntilID, "total": c.Total, "done": c.Done, "changed": c.Changed, "failed": c.Failed,
		"stopped_at": c.StoppedAt, "problem": c.Problem, "version": c.Version, "updated_at": c.UpdatedAt, "updated_by": c.UpdatedBy,
		"planned_at": c.PlannedAt,
	}).Error, definition.ErrChangeRunning)
}

// RunningChange returns the change that is being applied to a module's records, if there is one.
func (r *Repository) RunningChange(ctx context.Context, module uuid.UUID) (found []definition.ChangeRow, err error) {
	err = r.DB.Conn(ctx).Where("module_id = ? AND state = ?", module, string(definition.ChangeApplying)).Find(&found).Error

	return found, database.Translate(err)
}

// FieldChanges returns a page of the changes of a module's fields.
func (r *Repository) FieldChanges(ctx context.Context, module uuid.UUID, q list.Query) (list.Page[definition.ChangeRow], error) {
	page, err := list.Find(r.DB.Dynamic(ctx).Where("module_id = ?", module), q, func(row definition.ChangeRow, _ string) any { return row.ID })

	return page, database.Translate(err)
}

// RecordsAfter returns records of a module, by id.
func (r *Repository) RecordsAfter(ctx context.Context, module, after uuid.UUID, most int) ([]definition.RecordRow, error) {
	var rows []definition.RecordRow
	err := r.DB.Conn(ctx).Select("id", "version", "data").
		Where("module_id = ? AND id > ? AND deleted_at IS NULL", module, after).Order("id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// HeldAfter is RecordsAfter for records up to one, which are kept as they are until the transaction ends.
func (r *Repository) HeldAfter(ctx context.Context, module, after, until uuid.UUID, most int) ([]definition.RecordRow, error) {
	var rows []definition.RecordRow
	err := r.DB.Conn(ctx).Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Select(RecordColumns+", schema_revision").
		Where("module_id = ? AND id > ? AND id <= ? AND deleted_at IS NULL", module, after, until).Order("id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// LastRecord returns the last of a module's records by id, nil if it has none, and how many there are.
func (r *Repository) LastRecord(ctx context.Context, module uuid.UUID) (last *uuid.UUID, count int64, err error) {
	var ids []uuid.UUID
	tx := r.DB.Conn(ctx).Model(&definition.RecordRow{}).Where("module_id = ? AND deleted_at IS NULL", module)
	if err := tx.Order("id DESC").Limit(1).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
		return nil, 0, database.Translate(err)
	}
	err = r.DB.Conn(ctx).Model(&definition.RecordRow{}).Where("module_id = ? AND deleted_at IS NULL", module).Count(&count).Error

	return &ids[0], count, database.Translate(err)
}

// CompareValues adds values that a plan compares with each other.
func (r *Repository) CompareValues(ctx context.Context, rows []definition.ChangeValueRow) error {
	if len(rows) == 0 {
		return nil
	}

	return database.Translate(r.DB.Conn(ctx).Create(&rows).Error)
}

// sharedValue is a value that several records have.
type sharedValue struct {
	Value string
	Count int64
}

// SharedValues returns those of the values of a plan that most records have, and how many values are shared
// by how many records.
func (r *Repository) SharedValues(ctx context.Context, change uuid.UUID, most int) (top []sharedValue, groups, records int64, err error) {
	const shared = `SELECT value, count(*) AS count FROM custom_modules_change_values
		WHERE company_id = ? AND change_id = ? GROUP BY value HAVING count(*) > 1`
	const why = "groups of values; the company is bound"
	err = r.DB.Raw(ctx, why).Raw(shared+" ORDER BY count(*) DESC, value LIMIT ?", principal.CompanyOf(ctx), change, most).Scan(&top).Error
	if err != nil || len(top) == 0 {
		return nil, 0, 0, database.Translate(err)
	}
	var sum struct{ Groups, Records int64 }
	err = r.DB.Raw(ctx, why).Raw("SELECT count(*) AS groups, sum(g.count) AS records FROM ("+shared+") AS g", principal.CompanyOf(ctx), change).Scan(&sum).Error

	return top, sum.Groups, sum.Records, database.Translate(err)
}

// Sharing returns records that have a value of a plan, by id.
func (r *Repository) Sharing(ctx context.Context, change uuid.UUID, value string, most int) (ids []uuid.UUID, err error) {
	err = r.DB.Conn(ctx).Model(&definition.ChangeValueRow{}).Where("change_id = ? AND value = ?", change, value).
		Order("record_id").Limit(most).Pluck("record_id", &ids).Error

	return ids, database.Translate(err)
}

// ForgetValues removes the values of a plan.
func (r *Repository) ForgetValues(ctx context.Context, change uuid.UUID) error {
	return database.Translate(r.DB.Conn(ctx).Where("change_id = ?", change).Delete(&definition.ChangeValueRow{}).Error)
}

// IncomingField returns a field that is yet to take the place of another one, or ErrFieldNotFound.
func (r *Repository) IncomingField(ctx context.Context, id uuid.UUID) (definition.FieldRow, error) {
	var row definition.FieldRow
	err := r.DB.Conn(ctx).Where("id = ? AND deleted_at IS NULL AND incoming", id).Take(&row).Error

	return row, notFoundAs(err, definition.ErrFieldNotFound)
}

// ReleaseValues gives the values of a field free that were kept from other records.
func (r *Repository) ReleaseValues(ctx context.Context, field uuid.UUID) error {
	return database.Translate(r.DB.Conn(ctx).Where("field_id = ?", field).Delete(&definition.UniqueRow{}).Error)
}

// LinksBy counts the references that a field is.
func (r *Repository) LinksBy(ctx context.Context, field uuid.UUID) (count int64, err error) {
	err = r.DB.Conn(ctx).Model(&definition.LinkRow{}).Where("field_id = ?", field).Count(&count).Error

	return count, database.Translate(err)
}

// HoldsUnique reports whether a field is unique, and keeps its module as it is until the transaction ends.
func (r *Repository) HoldsUnique(ctx context.Context, field uuid.UUID) (bool, error) {
	var row definition.FieldRow
	err := r.DB.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).Where("id = ?", field).Take(&row).Error

	return row.IsUnique && row.DeletedAt == nil, database.Translate(err)
}

// SensitiveFields returns which fields of a module, those that are gone among them, are sensitive, or have been
// replaced by one that is by now.
func (r *Repository) SensitiveFields(ctx context.Context, module uuid.UUID) (map[uuid.UUID]bool, error) {
	var rows []definition.FieldRow
	err := r.DB.Conn(ctx).Select("id", "replaces", "sensitive").Where("module_id = ? AND (sensitive OR replaces IS NOT NULL)", module).
		Order("number DESC").Find(&rows).Error
	sensitive := map[uuid.UUID]bool{}
	for _, row := range rows { // a field comes before those that it replaced
		sensitive[row.ID] = sensitive[row.ID] || row.Sensitive
		if sensitive[row.ID] && row.Replaces != nil {
			sensitive[*row.Replaces] = true
		}
	}

	return sensitive, database.Translate(err)
}
