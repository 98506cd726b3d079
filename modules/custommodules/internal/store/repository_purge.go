package store

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
)

// whyPurge is the reason for statements across companies.
const whyPurge = "what was deleted long ago is removed for all companies together; keys have the company"

// DeletedRecords returns records that were deleted before a time, most at most. Those of rows of areas go with them.
func (r *Repository) DeletedRecords(ctx context.Context, before time.Time, most int) ([]RecordKey, error) {
	var keys []RecordKey
	err := r.DB.Raw(ctx, whyPurge).Raw(`SELECT company_id, id FROM custom_modules_records
		WHERE deleted_at < ? AND NOT EXISTS (SELECT 1 FROM custom_modules_modules AS m WHERE m.company_id = custom_modules_records.company_id
			AND m.id = custom_modules_records.module_id AND m.item_type <> '') ORDER BY deleted_at LIMIT ?`, before, most).Scan(&keys).Error

	return keys, database.Translate(err)
}

// DeletedModules returns modules that were deleted before a time.
func (r *Repository) DeletedModules(ctx context.Context, before time.Time) ([]RecordKey, error) {
	var keys []RecordKey
	err := r.DB.Raw(ctx, whyPurge).Raw("SELECT company_id, id FROM custom_modules_modules WHERE deleted_at < ? ORDER BY id", before).
		Scan(&keys).Error

	return keys, database.Translate(err)
}

// RecordsOfModule returns records of a module, deleted or not, most at most.
func (r *Repository) RecordsOfModule(ctx context.Context, module RecordKey, most int) ([]RecordKey, error) {
	var keys []RecordKey
	err := r.DB.Raw(ctx, whyPurge).Raw(`SELECT company_id, id FROM custom_modules_records
		WHERE company_id = ? AND module_id = ? ORDER BY id LIMIT ?`, module.CompanyID, module.ID, most).Scan(&keys).Error

	return keys, database.Translate(err)
}

// DropRecords removes records and everything about them.
func (r *Repository) DropRecords(ctx context.Context, keys []RecordKey) error {
	pairs := make([][]any, len(keys))
	for i, key := range keys {
		pairs[i] = []any{key.CompanyID, key.ID}
	}
	for _, statement := range []string{
		"DELETE FROM custom_modules_unique WHERE (company_id, record_id) IN ?",
		"DELETE FROM custom_modules_index WHERE (company_id, record_id) IN ?",
		"DELETE FROM custom_modules_search WHERE (company_id, record_id) IN ?",
		"DELETE FROM custom_modules_history WHERE (company_id, record_id) IN ?",
		"DELETE FROM custom_modules_change_values WHERE (company_id, record_id) IN ?",
		"DELETE FROM custom_modules_rollup_marks WHERE (company_id, record_id) IN ?",
		"DELETE FROM custom_modules_links WHERE (company_id, record_id) IN ?",
		"DELETE FROM custom_modules_links WHERE (company_id, target_id) IN ?",
		"DELETE FROM custom_modules_records WHERE (company_id, id) IN ?",
	} {
		if err := r.DB.Raw(ctx, whyPurge).Exec(statement, pairs).Error; err != nil {
			return database.Translate(err)
		}
	}

	return nil
}

// DropChanges removes changes of fields that were over before a time, with the examples that they hold.
func (r *Repository) DropChanges(ctx context.Context, before time.Time) error {
	return database.Translate(r.DB.Raw(ctx, whyPurge).Exec(`DELETE FROM custom_modules_changes
		WHERE updated_at < ? AND state NOT IN ('planning', 'applying')`, before).Error)
}

// DropModule removes a module that has no records any more, with its fields and its counts. Who may not read what was
// kept about it elsewhere stays known.
func (r *Repository) DropModule(ctx context.Context, module RecordKey) error {
	for _, statement := range []string{
		`INSERT INTO custom_modules_closed (company_id, module_id, permissions) SELECT company_id, id, permissions
			FROM custom_modules_modules WHERE company_id = ? AND id = ? AND permissions ->> 'read' IS NOT NULL`,
		"DELETE FROM custom_modules_usage WHERE company_id = ? AND module_id = ?",
		"DELETE FROM custom_modules_changes WHERE company_id = ? AND module_id = ?",
		"DELETE FROM custom_modules_fields WHERE company_id = ? AND module_id = ?",
		"DELETE FROM custom_modules_modules WHERE company_id = ? AND id = ?",
	} {
		if err := r.DB.Raw(ctx, whyPurge).Exec(statement, module.CompanyID, module.ID).Error; err != nil {
			return database.Translate(err)
		}
	}

	return nil
}
