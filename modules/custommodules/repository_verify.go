package custommodules

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// verifiableRow is a record with everything that is compared, deleted or not.
type verifiableRow struct {
	database.Tenant

	ID             uuid.UUID
	ModuleID       uuid.UUID
	Version        int64
	SchemaRevision int64
	Data           rawjson.Object
	DeletedAt      *time.Time
	// Slots is a JSON array of the texts of all slots, null for an empty one.
	Slots string
}

// TableName implements gorm's Tabler.
func (verifiableRow) TableName() string { return "custom_modules_records" }

// recordParts is what other tables keep of records, by their ids.
type recordParts struct {
	links    map[uuid.UUID][]linkRow
	indexed  map[uuid.UUID][]indexRow
	uniques  map[uuid.UUID][]uniqueRow
	versions map[uuid.UUID]versionsRow
	words    map[uuid.UUID][]string
}

// indexRow is a row of custom_modules_index, with the texts of its values in the order of field.Indexes.
type indexRow struct {
	database.Tenant

	RecordID uuid.UUID
	FieldID  uuid.UUID
	Values   string
}

// TableName implements gorm's Tabler.
func (indexRow) TableName() string { return "custom_modules_index" }

// versionsRow sums the history of a record up.
type versionsRow struct {
	database.Tenant

	RecordID uuid.UUID
	Count    int64
	First    int64
	Last     int64
	LastVerb verb
}

// TableName implements gorm's Tabler.
func (versionsRow) TableName() string { return "custom_modules_history" }

// partTables are the tables that keep parts of records.
func partTables() []string {
	return []string{"custom_modules_index", "custom_modules_links", "custom_modules_unique", "custom_modules_history"}
}

// companies returns every company that has or had a module.
func (r *repository) companies(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Conn(database.AcrossCompanies(ctx, "the records of all companies are verified")).Model(&moduleRow{}).
		Distinct("company_id").Order("company_id").Pluck("company_id", &ids).Error

	return ids, database.Translate(err)
}

// everyModule returns the modules of the company, the deleted ones among them.
func (r *repository) everyModule(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Conn(ctx).Model(&moduleRow{}).Order("id").Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

// anyModule returns a module of the company, deleted or not, or errModuleNotFound.
func (r *repository) anyModule(ctx context.Context, id uuid.UUID) (moduleRow, error) {
	var row moduleRow
	err := r.db.Conn(ctx).Where("id = ?", id).Take(&row).Error

	return row, found(err, errModuleNotFound)
}

// holdAny is hold for a module that may be deleted.
func (r *repository) holdAny(ctx context.Context, id uuid.UUID) error {
	var row moduleRow
	err := r.db.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).Select("id").Where("id = ?", id).Take(&row).Error

	return found(err, errModuleNotFound)
}

// verifiable returns records of a module, by id.
func (r *repository) verifiable(ctx context.Context, module, after uuid.UUID, most int) ([]verifiableRow, error) {
	return r.verifiableRows(r.db.Dynamic(ctx).Where("module_id = ? AND id > ?", module, after).Order("id").Limit(most))
}

// verifiableHeld returns a record, if it is there, and keeps it as it is until the transaction ends.
func (r *repository) verifiableHeld(ctx context.Context, id uuid.UUID) ([]verifiableRow, error) {
	return r.verifiableRows(r.db.Dynamic(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).Where("id = ?", id))
}

func (r *repository) verifiableRows(tx *gorm.DB) ([]verifiableRow, error) {
	var rows []verifiableRow
	columns := "id, module_id, version, schema_revision, data, deleted_at, " + slotTexts(r.db.Dialect()) + " AS slots"
	err := tx.Select(columns).Find(&rows).Error

	return rows, database.Translate(err)
}

// slotTexts is the SQL for verifiableRow.Slots.
func slotTexts(on database.Dialect) string {
	var all []string
	for _, s := range slots() {
		all = append(all, "CAST("+string(s)+" AS text)")
	}

	return texts(on, strings.Join(all, ", "))
}

// texts is the SQL for a JSON array of texts.
func texts(on database.Dialect, all string) string {
	if on == database.SQLite {
		return "json_array(" + all + ")"
	}

	return "CAST(to_json(ARRAY[" + all + "]) AS text)"
}

// partsOf reads what other tables keep of records.
func (r *repository) partsOf(ctx context.Context, ids []uuid.UUID) (recordParts, error) {
	parts := recordParts{
		links: map[uuid.UUID][]linkRow{}, indexed: map[uuid.UUID][]indexRow{}, uniques: map[uuid.UUID][]uniqueRow{}, versions: map[uuid.UUID]versionsRow{},
	}
	var links []linkRow
	if err := r.db.Dynamic(ctx).Where("record_id IN ?", ids).Find(&links).Error; err != nil {
		return parts, database.Translate(err)
	}
	for _, l := range links {
		parts.links[l.RecordID] = append(parts.links[l.RecordID], l)
	}
	var indexed []indexRow
	values := texts(r.db.Dialect(), indexedColumns(func(kind field.Index) string { return "CAST(" + kindColumn(kind) + " AS text)" }))
	if err := r.db.Dynamic(ctx).Select("record_id, field_id, "+values+` AS "values"`).Where("record_id IN ?", ids).Find(&indexed).Error; err != nil {
		return parts, database.Translate(err)
	}
	for _, i := range indexed {
		parts.indexed[i.RecordID] = append(parts.indexed[i.RecordID], i)
	}
	var uniques []uniqueRow
	if err := r.db.Dynamic(ctx).Where("record_id IN ?", ids).Find(&uniques).Error; err != nil {
		return parts, database.Translate(err)
	}
	for _, u := range uniques {
		parts.uniques[u.RecordID] = append(parts.uniques[u.RecordID], u)
	}
	const lastVerb = `coalesce((SELECT h.verb FROM custom_modules_history AS h WHERE h.company_id = custom_modules_history.company_id
		AND h.record_id = custom_modules_history.record_id ORDER BY h.version DESC LIMIT 1), '') AS last_verb`
	var versions []versionsRow
	err := r.db.Dynamic(ctx).Select("record_id, count(*) AS count, min(version) AS first, max(version) AS last, "+lastVerb).
		Where("record_id IN ?", ids).Group("company_id, record_id").Find(&versions).Error
	for _, v := range versions {
		parts.versions[v.RecordID] = v
	}
	if err != nil {
		return parts, database.Translate(err)
	}
	parts.words, err = r.wordsOf(ctx, ids)

	return parts, err
}

// orphans returns the ids, after one, of records of which a table of partTables has rows, and which are
// not there.
func (r *repository) orphans(ctx context.Context, table string, after uuid.UUID, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Raw(ctx, "a table that is named; the company is bound").Raw(`SELECT DISTINCT p.record_id FROM `+table+` AS p
		WHERE p.company_id = ? AND p.record_id > ? AND NOT EXISTS (SELECT 1 FROM custom_modules_records AS r
			WHERE r.company_id = p.company_id AND r.id = p.record_id) ORDER BY p.record_id LIMIT ?`,
		principal.CompanyOf(ctx), after, most).Scan(&ids).Error

	return ids, database.Translate(err)
}
