package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// LinkedRow is a record that refers to another, with what a list shows of it.
type LinkedRow struct {
	RecordID uuid.UUID
	FieldID  uuid.UUID
	ModuleID uuid.UUID
	Key      string
	Name     string
	Revision int64
	Data     rawjson.Object
}

// linkKey is the value of a back-link that a list of them is sorted by.
func (l LinkedRow) linkKey(name string) any {
	if name == "field_uuid" {
		return l.FieldID
	}

	return l.RecordID
}

const whyLinks = "joins; the company is bound"

// linksOf are the back-links, those of records, fields and modules that are there.
const linksOf = `custom_modules_links AS l
	JOIN custom_modules_records AS r ON r.company_id = l.company_id AND r.id = l.record_id AND r.deleted_at IS NULL
	JOIN custom_modules_fields AS f ON f.company_id = l.company_id AND f.id = l.field_id
	JOIN custom_modules_modules AS m ON m.company_id = l.company_id AND m.id = f.module_id`

// Links returns a page of the records that refer to a record by some fields, which are of modules that are
// there.
func (r *Repository) Links(ctx context.Context, record uuid.UUID, fields []uuid.UUID, q list.Query) (list.Page[LinkedRow], error) {
	tx := database.UncheckedRaw(r.DB.Dynamic(ctx), whyLinks).Table(linksOf).
		Select("l.record_id, l.field_id, r.module_id, f.key, m.name, m.revision, r.data").
		Where("l.company_id = ? AND l.target_id = ?", principal.CompanyOf(ctx), record)
	if len(fields) == 1 { // then the index gives the order
		tx = tx.Where("l.field_id = ?", fields[0])
	} else {
		tx = tx.Where("l.field_id IN ?", fields)
	}
	page, err := list.Find(tx, q, LinkedRow.linkKey)

	return page, database.Translate(err)
}

// CountLinks counts the records that refer to a record by some fields.
func (r *Repository) CountLinks(ctx context.Context, record uuid.UUID, fields []uuid.UUID) ([]LinkCount, error) {
	counts := []LinkCount{}
	if len(fields) == 0 {
		return counts, nil
	}
	err := database.UncheckedRaw(r.DB.Dynamic(ctx), whyLinks).Raw(`SELECT f.id AS field_uuid, f.key AS field, m.id AS module_uuid, m.name AS module, c.count
		FROM (SELECT l.field_id, count(*) AS count FROM custom_modules_links AS l
			WHERE l.company_id = ? AND l.target_id = ? AND l.field_id IN ?
			AND (SELECT r.deleted_at IS NULL FROM custom_modules_records AS r WHERE r.company_id = l.company_id AND r.id = l.record_id)
			GROUP BY l.field_id) AS c
		JOIN custom_modules_fields AS f ON f.company_id = ? AND f.id = c.field_id
		JOIN custom_modules_modules AS m ON m.company_id = ? AND m.id = f.module_id`,
		principal.CompanyOf(ctx), record, fields, principal.CompanyOf(ctx), principal.CompanyOf(ctx)).Scan(&counts).Error

	return counts, database.Translate(err)
}

// linkingField is a field by which something refers to a record.
type linkingField struct {
	ID       uuid.UUID
	ModuleID uuid.UUID
	// Revision is the present one of the module.
	Revision int64
}

// LinkingFields returns the fields by which records refer to a record, those of modules that are there. It
// goes from field to field in the index, however many records there are.
func (r *Repository) LinkingFields(ctx context.Context, record uuid.UUID) ([]linkingField, error) {
	const next = `(SELECT l.field_id FROM custom_modules_links AS l WHERE l.company_id = ? AND l.target_id = ?`
	const order = ` ORDER BY l.field_id LIMIT 1)`
	var rows []linkingField
	err := database.UncheckedRaw(r.DB.Dynamic(ctx), whyLinks).Raw(`WITH RECURSIVE found(id) AS (
			SELECT `+next+order+`
			UNION ALL SELECT `+next+` AND l.field_id > found.id`+order+` FROM found WHERE found.id IS NOT NULL)
		SELECT f.id, f.module_id, m.revision FROM found
		JOIN custom_modules_fields AS f ON f.company_id = ? AND f.id = found.id AND f.deleted_at IS NULL
		JOIN custom_modules_modules AS m ON m.company_id = f.company_id AND m.id = f.module_id AND m.deleted_at IS NULL`,
		principal.CompanyOf(ctx), record, principal.CompanyOf(ctx), record, principal.CompanyOf(ctx)).Scan(&rows).Error

	return rows, database.Translate(err)
}

// LinkCount is how many records refer to another by one field.
type LinkCount struct {
	FieldUUID  uuid.UUID `json:"field_uuid"`
	Field      string    `json:"field" doc:"The key of the field."`
	ModuleUUID uuid.UUID `json:"module_uuid"`
	Module     string    `json:"module" doc:"The name of the module."`
	Count      int64     `json:"count"`
}
