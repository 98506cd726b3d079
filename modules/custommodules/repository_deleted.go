package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// deletedRecordsOf returns a page of the deleted records of a module, each with the present revision of the module.
func (r *repository) deletedRecordsOf(ctx context.Context, module uuid.UUID, q list.Query) (list.Page[recordRow], error) {
	tx := r.db.Dynamic(ctx).Select(recordColumns+", deleted_at, "+moduleRevision).Where("module_id = ? AND deleted_at IS NOT NULL", module)
	page, err := list.Find(tx, q, func(row recordRow, name string) any {
		if name == "deleted_at" {
			return *row.DeletedAt
		}

		return row.ID
	})

	return page, database.Translate(err)
}

// deletedRecord returns a record that is deleted, or errRecordNotFound.
func (r *repository) deletedRecord(ctx context.Context, id uuid.UUID) (recordRow, error) {
	var row recordRow
	err := r.db.Conn(ctx).Select(recordColumns+", deleted_at, "+moduleRevision).Where("id = ? AND deleted_at IS NOT NULL", id).Take(&row).Error

	return row, found(err, errRecordNotFound)
}

// replacedBy is the condition that another field has taken the place of a field.
const replacedBy = `EXISTS (SELECT 1 FROM custom_modules_fields AS n WHERE n.company_id = custom_modules_fields.company_id
	AND n.replaces = custom_modules_fields.id AND NOT n.incoming)`

// deletedFields returns the deleted fields of a module, but those that others have replaced.
func (r *repository) deletedFields(ctx context.Context, module uuid.UUID) ([]fieldRow, error) {
	var rows []fieldRow
	err := r.db.Conn(ctx).Where("module_id = ? AND deleted_at IS NOT NULL AND NOT incoming AND NOT "+replacedBy, module).Order("number").Find(&rows).Error

	return rows, database.Translate(err)
}

// deletedField returns one of deletedFields, held until the transaction ends; or errFieldNotFound.
func (r *repository) deletedField(ctx context.Context, module, id uuid.UUID) (fieldRow, error) {
	var row fieldRow
	err := database.Held(r.db.Conn(ctx)).
		Where("id = ? AND module_id = ? AND deleted_at IS NOT NULL AND NOT incoming AND NOT "+replacedBy, id, module).Take(&row).Error

	return row, found(err, errFieldNotFound)
}

// isDeleted reports whether a field is deleted, or gone for good.
func (r *repository) isDeleted(ctx context.Context, field uuid.UUID) (bool, error) {
	var there []uuid.UUID
	err := r.db.Conn(ctx).Model(&fieldRow{}).Where("id = ? AND deleted_at IS NULL", field).Pluck("id", &there).Error

	return len(there) == 0, database.Translate(err)
}

// linkAgain stores the references of a field that the records of its module have in their documents, to records that
// are there, deleted or not.
func (r *repository) linkAgain(ctx context.Context, row fieldRow, f *moduleField) error {
	target := "CAST(r.data -> '" + f.number + "' ->> 'record_uuid' AS uuid)"
	if r.db.Dialect() == database.SQLite {
		target = "r.data -> '" + f.number + "' ->> 'record_uuid'"
	}

	return database.Translate(r.db.Raw(ctx, "one statement for all records; the company is bound").Exec(`INSERT INTO custom_modules_links
		(company_id, record_id, field_id, target_id) SELECT r.company_id, r.id, ?, t.id FROM custom_modules_records AS r
		JOIN custom_modules_records AS t ON t.company_id = r.company_id AND t.id = `+target+`
		WHERE r.company_id = ? AND r.module_id = ?`, row.ID, principal.CompanyOf(ctx), row.ModuleID).Error)
}
