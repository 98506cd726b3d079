package custommodules

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func (r *repository) insertChange(ctx context.Context, c changeRow) error {
	return database.Translate(r.db.Conn(ctx).Create(&c).Error)
}

// fieldChange returns a change of a field of a module, or errChangeNotFound.
func (r *repository) fieldChange(ctx context.Context, module, id uuid.UUID) (changeRow, error) {
	var row changeRow
	err := r.db.Conn(ctx).Where("id = ? AND module_id = ?", id, module).Take(&row).Error

	return row, found(err, errChangeNotFound)
}

// holdChange returns a change, and keeps others from it until the transaction ends; or errChangeNotFound.
func (r *repository) holdChange(ctx context.Context, id uuid.UUID) (changeRow, error) {
	var row changeRow
	err := r.db.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("id = ?", id).Take(&row).Error

	return row, found(err, errChangeNotFound)
}

// saveChange stores what of a change can change. The error is errChangeRunning if it is to be applied while
// another one is.
func (r *repository) saveChange(ctx context.Context, c *changeRow, at time.Time) error {
	c.Version, c.UpdatedAt = c.Version+1, at

	return taken(r.db.Conn(ctx).Model(&changeRow{}).Where("id = ?", c.ID).Updates(map[string]any{
		"state": c.State, "decision": c.Decision, "report": c.Report, "fingerprint": c.Fingerprint, "incoming_id": c.IncomingID,
		"position": c.Position, "until_id": c.UntilID, "total": c.Total, "done": c.Done, "changed": c.Changed, "failed": c.Failed,
		"stopped_at": c.StoppedAt, "problem": c.Problem, "version": c.Version, "updated_at": c.UpdatedAt, "updated_by": c.UpdatedBy,
		"planned_at": c.PlannedAt,
	}).Error, errChangeRunning)
}

// runningChange returns the change that is being applied to a module's records, if there is one.
func (r *repository) runningChange(ctx context.Context, module uuid.UUID) (found []changeRow, err error) {
	err = r.db.Conn(ctx).Where("module_id = ? AND state = ?", module, string(changeApplying)).Find(&found).Error

	return found, database.Translate(err)
}

// fieldChanges returns a page of the changes of a module's fields.
func (r *repository) fieldChanges(ctx context.Context, module uuid.UUID, q list.Query) (list.Page[changeRow], error) {
	page, err := list.Find(r.db.Dynamic(ctx).Where("module_id = ?", module), q, func(row changeRow, _ string) any { return row.ID })

	return page, database.Translate(err)
}

// recordsAfter returns records of a module, by id.
func (r *repository) recordsAfter(ctx context.Context, module, after uuid.UUID, most int) ([]recordRow, error) {
	var rows []recordRow
	err := r.db.Conn(ctx).Select("id", "version", "data").
		Where("module_id = ? AND id > ? AND deleted_at IS NULL", module, after).Order("id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// heldAfter is recordsAfter for records up to one, which are kept as they are until the transaction ends.
func (r *repository) heldAfter(ctx context.Context, module, after, until uuid.UUID, most int) ([]recordRow, error) {
	var rows []recordRow
	err := r.db.Conn(ctx).Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Select(recordColumns+", schema_revision").
		Where("module_id = ? AND id > ? AND id <= ? AND deleted_at IS NULL", module, after, until).Order("id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// lastRecord returns the last of a module's records by id, nil if it has none, and how many there are.
func (r *repository) lastRecord(ctx context.Context, module uuid.UUID) (last *uuid.UUID, count int64, err error) {
	var ids []uuid.UUID
	tx := r.db.Conn(ctx).Model(&recordRow{}).Where("module_id = ? AND deleted_at IS NULL", module)
	if err := tx.Order("id DESC").Limit(1).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
		return nil, 0, database.Translate(err)
	}
	err = r.db.Conn(ctx).Model(&recordRow{}).Where("module_id = ? AND deleted_at IS NULL", module).Count(&count).Error

	return &ids[0], count, database.Translate(err)
}

// compareValues adds values that a plan compares with each other.
func (r *repository) compareValues(ctx context.Context, rows []changeValueRow) error {
	if len(rows) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).Create(&rows).Error)
}

// sharedValue is a value that several records have.
type sharedValue struct {
	Value string
	Count int64
}

// sharedValues returns those of the values of a plan that most records have, and how many values are shared
// by how many records.
func (r *repository) sharedValues(ctx context.Context, change uuid.UUID, most int) (top []sharedValue, groups, records int64, err error) {
	const shared = `SELECT value, count(*) AS count FROM custom_modules_change_values
		WHERE company_id = ? AND change_id = ? GROUP BY value HAVING count(*) > 1`
	const why = "groups of values; the company is bound"
	err = r.db.Raw(ctx, why).Raw(shared+" ORDER BY count(*) DESC, value LIMIT ?", principal.CompanyOf(ctx), change, most).Scan(&top).Error
	if err != nil || len(top) == 0 {
		return nil, 0, 0, database.Translate(err)
	}
	var sum struct{ Groups, Records int64 }
	err = r.db.Raw(ctx, why).Raw("SELECT count(*) AS groups, sum(g.count) AS records FROM ("+shared+") AS g", principal.CompanyOf(ctx), change).Scan(&sum).Error

	return top, sum.Groups, sum.Records, database.Translate(err)
}

// sharing returns records that have a value of a plan, by id.
func (r *repository) sharing(ctx context.Context, change uuid.UUID, value string, most int) (ids []uuid.UUID, err error) {
	err = r.db.Conn(ctx).Model(&changeValueRow{}).Where("change_id = ? AND value = ?", change, value).
		Order("record_id").Limit(most).Pluck("record_id", &ids).Error

	return ids, database.Translate(err)
}

// forgetValues removes the values of a plan.
func (r *repository) forgetValues(ctx context.Context, change uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("change_id = ?", change).Delete(&changeValueRow{}).Error)
}

// incomingField returns a field that is yet to take the place of another one, or errFieldNotFound.
func (r *repository) incomingField(ctx context.Context, id uuid.UUID) (fieldRow, error) {
	var row fieldRow
	err := r.db.Conn(ctx).Where("id = ? AND deleted_at IS NULL AND incoming", id).Take(&row).Error

	return row, found(err, errFieldNotFound)
}

// releaseValues gives the values of a field free that were kept from other records.
func (r *repository) releaseValues(ctx context.Context, field uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("field_id = ?", field).Delete(&uniqueRow{}).Error)
}

// linksBy counts the references that a field is.
func (r *repository) linksBy(ctx context.Context, field uuid.UUID) (count int64, err error) {
	err = r.db.Conn(ctx).Model(&linkRow{}).Where("field_id = ?", field).Count(&count).Error

	return count, database.Translate(err)
}

// holdsUnique reports whether a field is unique, and keeps its module as it is until the transaction ends.
func (r *repository) holdsUnique(ctx context.Context, field uuid.UUID) (bool, error) {
	var row fieldRow
	err := r.db.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).Where("id = ?", field).Take(&row).Error

	return row.IsUnique && row.DeletedAt == nil, database.Translate(err)
}

// sensitiveFields returns which fields of a module, those that are gone among them, are sensitive, or have been
// replaced by one that is by now.
func (r *repository) sensitiveFields(ctx context.Context, module uuid.UUID) (map[uuid.UUID]bool, error) {
	var rows []fieldRow
	err := r.db.Conn(ctx).Select("id", "replaces", "sensitive").Where("module_id = ? AND (sensitive OR replaces IS NOT NULL)", module).
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
