package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	whyRecount = "sums of a module; the company is bound"
	// countedSQL and thereSQL are the two numbers of a module m.
	countedSQL = `CAST(coalesce((SELECT sum(u.records) FROM custom_modules_usage AS u
		WHERE u.company_id = m.company_id AND u.module_id = m.id), 0) AS bigint)`
	thereSQL = `(SELECT count(*) FROM custom_modules_records AS r
		WHERE r.company_id = m.company_id AND r.module_id = m.id AND r.deleted_at IS NULL)`
)

// countedRow is how many records a module is counted with, and how many there are.
type countedRow struct{ Counted, There int64 }

// UsageOf counts the records of a module. A deleted one has none that count.
func (r *Repository) UsageOf(ctx context.Context, module uuid.UUID) (countedRow, error) {
	var row countedRow
	err := r.DB.Raw(ctx, whyRecount).Raw("SELECT "+countedSQL+" AS counted, "+thereSQL+` AS there
		FROM custom_modules_modules AS m WHERE m.company_id = ? AND m.id = ? AND m.deleted_at IS NULL`,
		principal.CompanyOf(ctx), module).Scan(&row).Error

	return row, database.Translate(err)
}

// Recount adds to the count of a module what it lacks. Writers change the count and the records together,
// so what is lacking is the same before and after them; two recounts are made one after the other.
func (r *Repository) Recount(ctx context.Context, module uuid.UUID) error {
	var held definition.ModuleRow
	err := r.DB.Conn(ctx).Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Select("id").Where("id = ?", module).Take(&held).Error
	if err != nil {
		return notFoundAs(err, definition.ErrModuleNotFound)
	}

	return database.Translate(r.DB.Raw(ctx, whyRecount).Exec(`INSERT INTO custom_modules_usage (company_id, module_id, shard, records)
		SELECT m.company_id, m.id, 0, `+thereSQL+" - "+countedSQL+` FROM custom_modules_modules AS m WHERE m.company_id = ? AND m.id = ?
		ON CONFLICT (company_id, module_id, shard) DO UPDATE SET records = custom_modules_usage.records + excluded.records`,
		principal.CompanyOf(ctx), module).Error)
}

// OrphanUsage returns modules that are counted and not there, deleted or not.
func (r *Repository) OrphanUsage(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.DB.Raw(ctx, whyRecount).Raw(`SELECT DISTINCT u.module_id FROM custom_modules_usage AS u
		WHERE u.company_id = ? AND NOT EXISTS (SELECT 1 FROM custom_modules_modules AS m
			WHERE m.company_id = u.company_id AND m.id = u.module_id) ORDER BY u.module_id`, principal.CompanyOf(ctx)).Scan(&ids).Error

	return ids, database.Translate(err)
}

// DropUsage removes the counts of a module.
func (r *Repository) DropUsage(ctx context.Context, module uuid.UUID) error {
	return database.Translate(r.DB.Raw(ctx, whyRecount).
		Exec("DELETE FROM custom_modules_usage WHERE company_id = ? AND module_id = ?", principal.CompanyOf(ctx), module).Error)
}

// wordsOf returns the words by which records are found, sorted.
func (r *Repository) wordsOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]string, error) {
	words, split := "words", func(text string) ([]string, error) { return strings.Fields(text), nil }
	if r.DB.Dialect() == database.Postgres {
		words = "CAST(array_to_json(tsvector_to_array(words)) AS text) AS words"
		split = func(text string) (list []string, err error) { return list, json.Unmarshal([]byte(text), &list) }
	}
	var rows []struct {
		RecordID uuid.UUID
		Words    string
	}
	err := r.DB.Raw(ctx, whySearch).Raw("SELECT record_id, "+words+" FROM custom_modules_search WHERE company_id = ? AND record_id IN ?",
		principal.CompanyOf(ctx), ids).Scan(&rows).Error
	if err != nil {
		return nil, database.Translate(err)
	}
	all := make(map[uuid.UUID][]string, len(rows))
	for _, row := range rows {
		list, err := split(row.Words)
		if err != nil {
			return nil, fmt.Errorf("words of record %s: %w", row.RecordID, err)
		}
		slices.Sort(list)
		all[row.RecordID] = list
	}

	return all, nil
}
