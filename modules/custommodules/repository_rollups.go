package custommodules

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// markRow is a row of custom_modules_rollup_marks.
type markRow struct {
	database.Tenant

	ID          uuid.UUID `gorm:"primaryKey"`
	RecordID    uuid.UUID
	ReferenceID uuid.UUID
}

// TableName implements gorm's Tabler.
func (markRow) TableName() string { return "custom_modules_rollup_marks" }

// derivedOver returns the rollups and lookups that are made of a module's records.
func (r *repository) derivedOver(ctx context.Context, module uuid.UUID) ([]fieldRow, error) {
	var rows []fieldRow
	err := r.db.Dynamic(ctx).Where("type IN ('rollup', 'lookup') AND deleted_at IS NULL AND options ->> 'module_uuid' = ?", module.String()).
		Order("id").Find(&rows).Error

	return rows, database.Translate(err)
}

// marksAtOnce is how many marks one statement writes.
const marksAtOnce = 500

// addMarks leaves marks of the company to be stored.
func (r *repository) addMarks(ctx context.Context, marks []mark) error {
	for len(marks) > 0 {
		some := marks[:min(len(marks), marksAtOnce)]
		marks = marks[len(some):]
		args := make([]any, 0, 4*len(some))
		for _, m := range some {
			args = append(args, principal.CompanyOf(ctx), database.NewID(), m.record, m.reference)
		}
		query := "INSERT INTO custom_modules_rollup_marks (company_id, id, record_id, reference_id) VALUES " +
			strings.TrimSuffix(strings.Repeat("(?, ?, ?, ?), ", len(some)), ", ")
		if err := r.db.Pipeline(ctx, whyRollup, query, args, nil); err != nil {
			return err
		}
	}

	return nil
}

const whyRollup = "rows beside others; the company is bound"

// marks returns marks of the company after one, in the order in which they are seen to.
func (r *repository) marks(ctx context.Context, after uuid.UUID, most int) ([]markRow, error) {
	var rows []markRow
	err := r.db.Conn(ctx).Where("id > ?", after).Order("id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// removeMarks takes marks away.
func (r *repository) removeMarks(ctx context.Context, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}

	return database.Translate(r.db.Dynamic(ctx).Where("id IN ?", ids).Delete(&markRow{}).Error)
}

// rolledRow is what a rollup takes of a record.
type rolledRow struct {
	RecordID uuid.UUID
	Parts    string
}

// rollable returns the values of some fields of the records that refer to one, by id, as a JSON array each.
func (r *repository) rollable(ctx context.Context, target, reference uuid.UUID, fields []*moduleField, after uuid.UUID, most int) ([]rolledRow, error) {
	function := "jsonb_build_array("
	if r.db.Dialect() == database.SQLite {
		function = "json_array("
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = "r.data -> '" + f.number + "'"
	}
	var rows []rolledRow
	err := database.Unchecked(r.db.Dynamic(ctx), whyLinks).Raw(`SELECT l.record_id, CAST(`+function+strings.Join(parts, ", ")+`) AS text) AS parts
		FROM custom_modules_links AS l
		JOIN custom_modules_records AS r ON r.company_id = l.company_id AND r.id = l.record_id AND r.deleted_at IS NULL
		WHERE l.company_id = ? AND l.target_id = ? AND l.field_id = ? AND l.record_id > ? ORDER BY l.record_id LIMIT ?`,
		principal.CompanyOf(ctx), target, reference, after, most).Scan(&rows).Error

	return rows, database.Translate(err)
}

// setRolled leaves the document of a record that is held to be stored, with when its rollups were computed.
func (r *repository) setRolled(ctx context.Context, row recordRow, document []byte, at time.Time) error {
	return r.db.Pipeline(ctx, whyRollup,
		"UPDATE custom_modules_records SET data = ?, rolled = rolled + 1, rolled_at = ? WHERE company_id = ? AND id = ?",
		[]any{rawjson.Object(document), at, principal.CompanyOf(ctx), row.ID}, nil)
}

// recordIDs returns records of a module, by id.
func (r *repository) recordIDs(ctx context.Context, module, after uuid.UUID, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Conn(ctx).Model(&recordRow{}).Where("module_id = ? AND id > ? AND deleted_at IS NULL", module, after).
		Order("id").Limit(most).Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

// freshRow is how often the rollups and lookups of a record were computed, and whether they are marked, at one moment.
type freshRow struct {
	ID     uuid.UUID
	Rolled int64
	Stale  bool
}

// freshness returns that of some records of a module, which has some lookups.
func (r *repository) freshness(ctx context.Context, records []uuid.UUID, lookups ...uuid.UUID) (map[uuid.UUID]freshRow, error) {
	var rows []freshRow
	stale, args := `EXISTS (SELECT 1 FROM custom_modules_rollup_marks AS k
		WHERE k.company_id = custom_modules_records.company_id AND k.record_id = custom_modules_records.id)`, []any{}
	if len(lookups) > 0 {
		stale, args = stale+` OR EXISTS (SELECT 1 FROM custom_modules_links AS l
			JOIN custom_modules_rollup_marks AS k ON k.company_id = l.company_id AND k.record_id = l.target_id AND k.reference_id IN ?
			WHERE l.company_id = custom_modules_records.company_id AND l.record_id = custom_modules_records.id)`, []any{lookups}
	}
	err := r.db.Dynamic(ctx).Model(&recordRow{}).Select("id, rolled, ("+stale+") AS stale", args...).
		Where("id IN ?", records).Find(&rows).Error
	all := make(map[uuid.UUID]freshRow, len(rows))
	for _, row := range rows {
		all[row.ID] = row
	}

	return all, database.Translate(err)
}
