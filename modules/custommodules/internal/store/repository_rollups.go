package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// MarkRow is a row of custom_modules_rollup_marks.
type MarkRow struct {
	database.Tenant

	ID          uuid.UUID `gorm:"primaryKey"`
	RecordID    uuid.UUID
	ReferenceID uuid.UUID
}

// TableName implements gorm's Tabler.
func (MarkRow) TableName() string { return "custom_modules_rollup_marks" }

// DerivedOver returns the rollups and lookups that are made of a module's records.
func (r *Repository) DerivedOver(ctx context.Context, module uuid.UUID) ([]definition.FieldRow, error) {
	var rows []definition.FieldRow
	err := r.DB.Dynamic(ctx).Where("type IN ('rollup', 'lookup') AND deleted_at IS NULL AND options ->> 'module_uuid' = ?", module.String()).
		Order("id").Find(&rows).Error

	return rows, database.Translate(err)
}

// marksAtOnce is how many marks one statement writes.
const marksAtOnce = 500

// AddMarks leaves marks of the company to be stored.
func (r *Repository) AddMarks(ctx context.Context, marks []Mark) error {
	for len(marks) > 0 {
		some := marks[:min(len(marks), marksAtOnce)]
		marks = marks[len(some):]
		args := make([]any, 0, 4*len(some))
		for _, m := range some {
			args = append(args, principal.CompanyOf(ctx), database.NewID(), m.Record, m.Reference)
		}
		query := "INSERT INTO custom_modules_rollup_marks (company_id, id, record_id, reference_id) VALUES " +
			strings.TrimSuffix(strings.Repeat("(?, ?, ?, ?), ", len(some)), ", ")
		if err := r.DB.Pipeline(ctx, whyRollup, query, args, nil); err != nil {
			return err
		}
	}

	return nil
}

const whyRollup = "rows beside others; the company is bound"

// Marks returns marks of the company after one, in the order in which they are seen to.
func (r *Repository) Marks(ctx context.Context, after uuid.UUID, most int) ([]MarkRow, error) {
	var rows []MarkRow
	err := r.DB.Conn(ctx).Where("id > ?", after).Order("id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// RemoveMarks takes marks away.
func (r *Repository) RemoveMarks(ctx context.Context, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}

	return database.Translate(r.DB.Dynamic(ctx).Where("id IN ?", ids).Delete(&MarkRow{}).Error)
}

// rolledRow is what a rollup takes of a record.
type rolledRow struct {
	RecordID uuid.UUID
	Parts    string
}

// Rollable returns the values of some fields of the records that refer to one, by id, as a JSON array each.
func (r *Repository) Rollable(ctx context.Context, target, reference uuid.UUID, fields []*definition.ModuleField, after uuid.UUID, most int) ([]rolledRow, error) {
	function := "jsonb_build_array("
	if r.DB.Dialect() == database.SQLite {
		function = "json_array("
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = "r.data -> '" + f.Number + "'"
	}
	var rows []rolledRow
	err := database.UncheckedRaw(r.DB.Dynamic(ctx), whyLinks).Raw(`SELECT l.record_id, CAST(`+function+strings.Join(parts, ", ")+`) AS text) AS parts
		FROM custom_modules_links AS l
		JOIN custom_modules_records AS r ON r.company_id = l.company_id AND r.id = l.record_id AND r.deleted_at IS NULL
		WHERE l.company_id = ? AND l.target_id = ? AND l.field_id = ? AND l.record_id > ? ORDER BY l.record_id LIMIT ?`,
		principal.CompanyOf(ctx), target, reference, after, most).Scan(&rows).Error

	return rows, database.Translate(err)
}

// SetRolled leaves the document of a record that is held to be stored, with when its rollups were computed.
func (r *Repository) SetRolled(ctx context.Context, row definition.RecordRow, document []byte, at time.Time) error {
	return r.DB.Pipeline(ctx, whyRollup,
		"UPDATE custom_modules_records SET data = ?, rolled = rolled + 1, rolled_at = ? WHERE company_id = ? AND id = ?",
		[]any{rawjson.Object(document), at, principal.CompanyOf(ctx), row.ID}, nil)
}

// RecordIDs returns records of a module, by id.
func (r *Repository) RecordIDs(ctx context.Context, module, after uuid.UUID, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.DB.Conn(ctx).Model(&definition.RecordRow{}).Where("module_id = ? AND id > ? AND deleted_at IS NULL", module, after).
		Order("id").Limit(most).Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

// freshRow is how often the rollups and lookups of a record were computed, and whether they are marked, at one moment.
type freshRow struct {
	ID     uuid.UUID
	Rolled int64
	Stale  bool
}

// Freshness returns that of some records of a module, which has some lookups.
func (r *Repository) Freshness(ctx context.Context, records []uuid.UUID, lookups ...uuid.UUID) (map[uuid.UUID]freshRow, error) {
	var rows []freshRow
	stale, args := `EXISTS (SELECT 1 FROM custom_modules_rollup_marks AS k
		WHERE k.company_id = custom_modules_records.company_id AND k.record_id = custom_modules_records.id)`, []any{}
	if len(lookups) > 0 {
		stale, args = stale+` OR EXISTS (SELECT 1 FROM custom_modules_links AS l
			JOIN custom_modules_rollup_marks AS k ON k.company_id = l.company_id AND k.record_id = l.target_id AND k.reference_id IN ?
			WHERE l.company_id = custom_modules_records.company_id AND l.record_id = custom_modules_records.id)`, []any{lookups}
	}
	err := r.DB.Dynamic(ctx).Model(&definition.RecordRow{}).Select("id, rolled, ("+stale+") AS stale", args...).
		Where("id IN ?", records).Find(&rows).Error
	all := make(map[uuid.UUID]freshRow, len(rows))
	for _, row := range rows {
		all[row.ID] = row
	}

	return all, database.Translate(err)
}
