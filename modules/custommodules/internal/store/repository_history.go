package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// ChangeSourcePrefix begins the source of the versions that a change of a field makes.
const ChangeSourcePrefix = "field_change:"

// HistoryAfter returns the versions of a record after one, the latest first.
func (r *Repository) HistoryAfter(ctx context.Context, record uuid.UUID, version int64) ([]definition.HistoryRow, error) {
	var rows []definition.HistoryRow
	err := r.DB.Conn(ctx).Where("record_id = ? AND version > ?", record, version).Order("version DESC").Find(&rows).Error

	return rows, database.Translate(err)
}

// HistoryOf returns a version of a record, or ErrVersionNotFound.
func (r *Repository) HistoryOf(ctx context.Context, record uuid.UUID, version int64) (definition.HistoryRow, error) {
	var row definition.HistoryRow
	err := r.DB.Conn(ctx).Where("record_id = ? AND version = ?", record, version).Take(&row).Error

	return row, notFoundAs(err, definition.ErrVersionNotFound)
}

// VersionAt returns the latest version that a record had at a time; the first has no row.
func (r *Repository) VersionAt(ctx context.Context, record uuid.UUID, at time.Time) (int64, error) {
	var rows []definition.HistoryRow
	err := r.DB.Conn(ctx).Select("version").Where("record_id = ? AND at <= ?", record, at).
		Order("version DESC").Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return 1, database.Translate(err)
	}

	return rows[0].Version, nil
}

// History returns a page of the versions of a record. The first has no row of its own, and no changes here.
func (r *Repository) History(ctx context.Context, record uuid.UUID, q list.Query) (list.Page[definition.HistoryRow], error) {
	nothing := "'{}'"
	if r.DB.Dialect() == database.Postgres {
		nothing = "CAST('{}' AS jsonb)"
	}
	const kind = "CASE WHEN created_by IS NULL THEN '' ELSE 'user' END"
	tx := database.UncheckedRaw(r.DB.Dynamic(ctx), "a union; the company is bound").Table(`(SELECT record_id, version, verb, changes, at, actor_kind, actor_id, request_id, source
		FROM custom_modules_history WHERE company_id = ? AND record_id = ?
		UNION ALL SELECT id, 1, ?, `+nothing+`, created_at, `+kind+`, created_by, '', ''
		FROM custom_modules_records WHERE company_id = ? AND id = ?) AS h`,
		principal.CompanyOf(ctx), record, string(definition.Created), principal.CompanyOf(ctx), record)
	page, err := list.Find(tx, q, func(row definition.HistoryRow, _ string) any { return row.Version })

	return page, database.Translate(err)
}

// DeletedWith returns the records that refer to one and were deleted by versions of a source, most at most.
func (r *Repository) DeletedWith(ctx context.Context, record uuid.UUID, source string, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.DB.Raw(ctx, "a join; the company is bound").Raw(`SELECT DISTINCT l.record_id FROM custom_modules_links AS l
		JOIN custom_modules_records AS r ON r.company_id = l.company_id AND r.id = l.record_id AND r.deleted_at IS NOT NULL
		JOIN custom_modules_history AS h ON h.company_id = r.company_id AND h.record_id = r.id AND h.version = r.version
		WHERE l.company_id = ? AND l.target_id = ? AND h.verb = ? AND h.source = ? ORDER BY l.record_id LIMIT ?`,
		principal.CompanyOf(ctx), record, definition.Deleted, source, most).Scan(&ids).Error

	return ids, database.Translate(err)
}

// Linked is a record that points at another, by a field of its own module.
type Linked struct {
	RecordID uuid.UUID
	FieldID  uuid.UUID
	ModuleID uuid.UUID
	// Revision is the present revision of the module, 0 if it is gone.
	Revision int64
}

// Referrers returns who points at a record, most at most, by field and record.
func (r *Repository) Referrers(ctx context.Context, record uuid.UUID, most int) ([]Linked, error) {
	var rows []Linked
	err := r.DB.Raw(ctx, "a join; the company is bound").Raw(`SELECT l.record_id, l.field_id, r.module_id, coalesce(m.revision, 0) AS revision
		FROM custom_modules_links AS l JOIN custom_modules_records AS r ON r.company_id = l.company_id AND r.id = l.record_id
		LEFT JOIN custom_modules_modules AS m ON m.company_id = r.company_id AND m.id = r.module_id AND m.deleted_at IS NULL
		WHERE l.company_id = ? AND l.target_id = ? AND r.deleted_at IS NULL ORDER BY l.field_id, l.record_id LIMIT ?`,
		principal.CompanyOf(ctx), record, most).Scan(&rows).Error

	return rows, database.Translate(err)
}

// Referring returns the records that refer to some, by those. Whole says that there are no more: it reads so many that
// a deletion of all can be judged, if few refer to each.
func (r *Repository) Referring(ctx context.Context, records []uuid.UUID) (by map[uuid.UUID][]uuid.UUID, whole bool, err error) {
	const mostOfEach = 4
	most := mostOfEach * len(records)
	var rows []definition.LinkRow
	err = r.DB.Dynamic(ctx).Select("record_id", "target_id").
		Where("target_id IN ?", records).
		Where("EXISTS (SELECT 1 FROM custom_modules_records AS r WHERE r.company_id = custom_modules_links.company_id " +
			"AND r.id = custom_modules_links.record_id AND r.deleted_at IS NULL)").Limit(most + 1).Find(&rows).Error
	by = map[uuid.UUID][]uuid.UUID{}
	for _, row := range rows {
		by[row.TargetID] = append(by[row.TargetID], row.RecordID)
	}

	return by, len(rows) <= most, database.Translate(err)
}
