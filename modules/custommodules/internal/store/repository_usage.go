package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// usageShards is how many connections may add to the records of a module without waiting for each other.
const usageShards = 64

// addUsage leaves it to the transaction to add to the number of records of a module.
func (r *Repository) addUsage(ctx context.Context, company, module uuid.UUID, by int64) error {
	return r.DB.PipelineRows(ctx, "a sum in place; the company is bound", r.inserts.usage, [][]any{{company, module, by}}, nil)
}

// Usage returns how many records the company has in the modules that are there.
func (r *Repository) Usage(ctx context.Context) (int64, error) {
	var count int64
	err := r.DB.Raw(ctx, "a join; the company is bound").Raw(`SELECT CAST(coalesce(sum(u.records), 0) AS bigint)
		FROM custom_modules_usage AS u JOIN custom_modules_modules AS m ON m.company_id = u.company_id AND m.id = u.module_id
		WHERE u.company_id = ? AND m.deleted_at IS NULL AND m.item_type = ''`, principal.CompanyOf(ctx)).Scan(&count).Error

	return count, database.Translate(err)
}

// usageRow is how many records and fields a module has.
type usageRow struct {
	ID          uuid.UUID
	Name        string
	Permissions definition.Permissions `gorm:"type:jsonb"`
	Records     int64
	Fields      int64
}

// UsageByModule returns what the modules of the company have, by name.
func (r *Repository) UsageByModule(ctx context.Context) ([]usageRow, error) {
	var rows []usageRow
	err := r.DB.Raw(ctx, "counts of a company; the company is bound").Raw(`SELECT m.id, m.name, m.permissions,
		CAST(coalesce((SELECT sum(u.records) FROM custom_modules_usage AS u
			WHERE u.company_id = m.company_id AND u.module_id = m.id), 0) AS bigint) AS records,
		(SELECT count(*) FROM custom_modules_fields AS f
			WHERE f.company_id = m.company_id AND f.module_id = m.id AND f.deleted_at IS NULL) AS fields
		FROM custom_modules_modules AS m WHERE m.company_id = ? AND m.deleted_at IS NULL AND m.item_type = '' ORDER BY m.name_key`,
		principal.CompanyOf(ctx)).Scan(&rows).Error

	return rows, database.Translate(err)
}
