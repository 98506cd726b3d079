package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// VerifiableRow is a record with everything that is compared, deleted or not.
type VerifiableRow struct {
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
func (VerifiableRow) TableName() string { return "custom_modules_records" }

// RecordParts is what other tables keep of records, by their ids.
type RecordParts struct {
	Links    map[uuid.UUID][]definition.LinkRow
	Indexed  map[uuid.UUID][]IndexRow
	Uniques  map[uuid.UUID][]definition.UniqueRow
	Versions map[uuid.UUID]versionsRow
	Words    map[uuid.UUID][]string
}

// IndexRow is a row of custom_modules_index, with the texts of its values in the order of field.Indexes.
type IndexRow struct {
	database.Tenant

	RecordID uuid.UUID
	FieldID  uuid.UUID
	Values   string
}

// TableName implements gorm's Tabler.
func (IndexRow) TableName() string { return "custom_modules_index" }

// versionsRow sums the history of a record up.
type versionsRow struct {
	database.Tenant

	RecordID uuid.UUID
	Count    int64
	First    int64
	Last     int64
	LastVerb definition.Verb
}

// TableName implements gorm's Tabler.
func (versionsRow) TableName() string { return "custom_modules_history" }

// PartTables are the tables that keep parts of records.
var PartTables = []string{"custom_modules_index", "custom_modules_links", "custom_modules_unique", "custom_modules_history"}

// Companies returns every company that has or had a module.
func (r *Repository) Companies(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.DB.Conn(database.AcrossCompanies(ctx, "the records of all companies are verified")).Model(&definition.ModuleRow{}).
		Distinct("company_id").Order("company_id").Pluck("company_id", &ids).Error

	return ids, database.Translate(err)
}

// EveryModule returns the modules of the company, the deleted ones among them.
func (r *Repository) EveryModule(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.DB.Conn(ctx).Model(&definition.ModuleRow{}).Order("id").Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

// anyModule returns a module of the company, deleted or not, or ErrModuleNotFound.
func (r *Repository) anyModule(ctx context.Context, id uuid.UUID) (definition.ModuleRow, error) {
	var row definition.ModuleRow
	err := r.DB.Conn(ctx).Where("id = ?", id).Take(&row).Error

	return row, notFoundAs(err, definition.ErrModuleNotFound)
}

// HoldAny is hold for a module that may be deleted.
func (r *Repository) HoldAny(ctx context.Context, id uuid.UUID) error {
	var row definition.ModuleRow
	err := r.DB.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).Select("id").Where("id = ?", id).Take(&row).Error

	return notFoundAs(err, definition.ErrModuleNotFound)
}

// Verifiable returns records of a module, by id.
func (r *Repository) Verifiable(ctx context.Context, module, after uuid.UUID, most int) ([]VerifiableRow, error) {
	return r.verifiableRows(r.DB.Dynamic(ctx).Where("module_id = ? AND id > ?", module, after).Order("id").Limit(most))
}

// VerifiableHeld returns a record, if it is there, and keeps it as it is until the transaction ends.
func (r *Repository) VerifiableHeld(ctx context.Context, id uuid.UUID) ([]VerifiableRow, error) {
	return r.verifiableRows(r.DB.Dynamic(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).Where("id = ?", id))
}

func (r *Repository) verifiableRows(tx *gorm.DB) ([]VerifiableRow, error) {
	var rows []VerifiableRow
	columns := "id, module_id, version, schema_revision, data, deleted_at, " + slotTexts(r.DB.Dialect()) + " AS slots"
	err := tx.Select(columns).Find(&rows).Error

	return rows, database.Translate(err)
}

// slotTexts is the SQL for VerifiableRow.Slots.
func slotTexts(on database.Dialect) string {
	var all []string
	for _, s := range definition.AllSlots() {
		all = append(all, "CAST("+string(s)+" AS text)")
	}

	return jsonTexts(on, strings.Join(all, ", "))
}

// jsonTexts is the SQL for a JSON array of texts.
func jsonTexts(on database.Dialect, all string) string {
	if on == database.SQLite {
		return "json_array(" + all + ")"
	}

	return "CAST(to_json(ARRAY[" + all + "]) AS text)"
}

// PartsOf reads what other tables keep of records.
func (r *Repository) PartsOf(ctx context.Context, ids []uuid.UUID) (RecordParts, error) {
	parts := RecordParts{
		Links: map[uuid.UUID][]definition.LinkRow{}, Indexed: map[uuid.UUID][]IndexRow{}, Uniques: map[uuid.UUID][]definition.UniqueRow{}, Versions: map[uuid.UUID]versionsRow{},
	}
	var links []definition.LinkRow
	if err := r.DB.Dynamic(ctx).Where("record_id IN ?", ids).Find(&links).Error; err != nil {
		return parts, database.Translate(err)
	}
	for _, l := range links {
		parts.Links[l.RecordID] = append(parts.Links[l.RecordID], l)
	}
	var indexed []IndexRow
	values := jsonTexts(r.DB.Dialect(), indexedColumns(func(kind field.Index) string { return "CAST(" + definition.KindColumn(kind) + " AS text)" }))
	if err := r.DB.Dynamic(ctx).Select("record_id, field_id, "+values+` AS "values"`).Where("record_id IN ?", ids).Find(&indexed).Error; err != nil {
		return parts, database.Translate(err)
	}
	for _, i := range indexed {
		parts.Indexed[i.RecordID] = append(parts.Indexed[i.RecordID], i)
	}
	var uniques []definition.UniqueRow
	if err := r.DB.Dynamic(ctx).Where("record_id IN ?", ids).Find(&uniques).Error; err != nil {
		return parts, database.Translate(err)
	}
	for _, u := range uniques {
		parts.Uniques[u.RecordID] = append(parts.Uniques[u.RecordID], u)
	}
	const lastVerb = `coalesce((SELECT h.verb FROM custom_modules_history AS h WHERE h.company_id = custom_modules_history.company_id
		AND h.record_id = custom_modules_history.record_id ORDER BY h.version DESC LIMIT 1), '') AS last_verb`
	var versions []versionsRow
	err := r.DB.Dynamic(ctx).Select("record_id, count(*) AS count, min(version) AS first, max(version) AS last, "+lastVerb).
		Where("record_id IN ?", ids).Group("company_id, record_id").Find(&versions).Error
	for _, v := range versions {
		parts.Versions[v.RecordID] = v
	}
	if err != nil {
		return parts, database.Translate(err)
	}
	parts.Words, err = r.wordsOf(ctx, ids)

	return parts, err
}

// Orphans returns the ids, after one, of records of which a table of PartTables has rows, and which are
// not there.
func (r *Repository) Orphans(ctx context.Context, table string, after uuid.UUID, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.DB.Raw(ctx, "a table that is named; the company is bound").Raw(`SELECT DISTINCT p.record_id FROM `+table+` AS p
		WHERE p.company_id = ? AND p.record_id > ? AND NOT EXISTS (SELECT 1 FROM custom_modules_records AS r
			WHERE r.company_id = p.company_id AND r.id = p.record_id) ORDER BY p.record_id LIMIT ?`,
		principal.CompanyOf(ctx), after, most).Scan(&ids).Error

	return ids, database.Translate(err)
}
