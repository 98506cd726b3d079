package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// RecordKey is the key of a row of any company.
type RecordKey struct {
	CompanyID, ID uuid.UUID
}

// DeletedRecordsOf returns a page of the deleted records of a module, each with the present revision of the module.
func (r *Repository) DeletedRecordsOf(ctx context.Context, module uuid.UUID, q list.Query) (list.Page[definition.RecordRow], error) {
	tx := r.DB.Dynamic(ctx).Select(RecordColumns+", deleted_at, "+moduleRevision).Where("module_id = ? AND deleted_at IS NOT NULL", module)
	page, err := list.Find(tx, q, func(row definition.RecordRow, name string) any {
		if name == "deleted_at" {
			return *row.DeletedAt
		}

		return row.ID
	})

	return page, database.Translate(err)
}

// DeletedRecord returns a record that is deleted, or ErrRecordNotFound.
func (r *Repository) DeletedRecord(ctx context.Context, id uuid.UUID) (definition.RecordRow, error) {
	var row definition.RecordRow
	err := r.DB.Conn(ctx).Select(RecordColumns+", deleted_at, "+moduleRevision).Where("id = ? AND deleted_at IS NOT NULL", id).Take(&row).Error

	return row, notFoundAs(err, definition.ErrRecordNotFound)
}

// replacedBy is the condition that another field has taken the place of a field.
const replacedBy = `EXISTS (SELECT 1 FROM custom_modules_fields AS n WHERE n.company_id = custom_modules_fields.company_id
	AND n.replaces = custom_modules_fields.id AND NOT n.incoming)`

// DeletedFields returns the deleted fields of a module, but those that others have replaced.
func (r *Repository) DeletedFields(ctx context.Context, module uuid.UUID) ([]definition.FieldRow, error) {
	var rows []definition.FieldRow
	err := r.DB.Conn(ctx).Where("module_id = ? AND deleted_at IS NOT NULL AND NOT incoming AND NOT "+replacedBy, module).Order("number").Find(&rows).Error

	return rows, database.Translate(err)
}

// DeletedField returns one of DeletedFields, held until the transaction ends; or ErrFieldNotFound.
func (r *Repository) DeletedField(ctx context.Context, module, id uuid.UUID) (definition.FieldRow, error) {
	var row definition.FieldRow
	err := database.ForUpdate(r.DB.Conn(ctx)).
		Where("id = ? AND module_id = ? AND deleted_at IS NOT NULL AND NOT incoming AND NOT "+replacedBy, id, module).Take(&row).Error

	return row, notFoundAs(err, definition.ErrFieldNotFound)
}

// IsDeleted reports whether a field is deleted, or gone for good.
func (r *Repository) IsDeleted(ctx context.Context, field uuid.UUID) (bool, error) {
	var there []uuid.UUID
	err := r.DB.Conn(ctx).Model(&definition.FieldRow{}).Where("id = ? AND deleted_at IS NULL", field).Pluck("id", &there).Error

	return len(there) == 0, database.Translate(err)
}

// LinkAgain stores the references of a field that the records of its module have in their documents, to records that
// are there, deleted or not.
func (r *Repository) LinkAgain(ctx context.Context, row definition.FieldRow, f *definition.ModuleField) error {
	target := "CAST(r.data -> '" + f.Number + "' ->> 'record_uuid' AS uuid)"
	if r.DB.Dialect() == database.SQLite {
		target = "r.data -> '" + f.Number + "' ->> 'record_uuid'"
	}

	return database.Translate(r.DB.Raw(ctx, "one statement for all records; the company is bound").Exec(`INSERT INTO custom_modules_links
		(company_id, record_id, field_id, target_id) SELECT r.company_id, r.id, ?, t.id FROM custom_modules_records AS r
		JOIN custom_modules_records AS t ON t.company_id = r.company_id AND t.id = `+target+`
		WHERE r.company_id = ? AND r.module_id = ?`, row.ID, principal.CompanyOf(ctx), row.ModuleID).Error)
}
