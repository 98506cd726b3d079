package custommodules

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
)

// insertAll leaves new records of one revision of a module to be stored, with what belongs to each: insert for
// many. The values of unique fields must have been looked for (see holders). If somebody took one
// meanwhile, the error is errMovedOn, or database.ErrDuplicate.
func (r *repository) insertAll(ctx context.Context, all []*writing) error {
	if len(all) == 0 {
		return nil
	}
	var uniques, links, indexed [][]any
	for _, w := range all {
		for _, u := range w.made.uniques {
			uniques = append(uniques, []any{w.row.CompanyID, w.row.ModuleID, u.field.id, u.value, w.row.ID})
		}
		links = linkValues(links, w.row, w.made.links)
		if w.definition.overflowed {
			indexed = r.indexedValues(indexed, w.row, w.made.overflow)
		}
	}
	if err := r.claimAll(ctx, uniques); err != nil {
		return err
	}
	if err := r.insertRecords(ctx, all); err != nil {
		return err
	}
	if err := r.db.PipelineRows(ctx, whyInsert, r.inserts.links, links, unfounded(errReferenceMissing)); err != nil {
		return err
	}

	return r.db.PipelineRows(ctx, whyIndex, r.inserts.indexed, indexed, nil)
}

// insertRecords says by a statement of its own, after the records, whether the module was at their revision: by
// then the table is locked as awaitWriters expects.
func (r *repository) insertRecords(ctx context.Context, all []*writing) error {
	rows := make([][]any, len(all))
	for i, w := range all {
		args := r.recordArgs(w.row, w.made.keys)
		rows[i] = args[:len(args)-3] // without those of the module
	}
	if err := r.db.PipelineRows(ctx, whyInsert, r.inserts.records, rows, nil); err != nil {
		return err
	}
	first := all[0].row
	if r.db.Dialect() == database.SQLite { // where no division fails
		revision, err := r.revision(ctx, first.ModuleID)
		if errors.Is(err, errModuleNotFound) || err == nil && revision != first.SchemaRevision {
			return errMovedOn
		}

		return err
	}

	return r.db.Pipeline(ctx, whyInsert, `SELECT 1 / count(*) FROM custom_modules_modules AS m
		WHERE m.company_id = ? AND m.id = ? AND m.revision = ? AND m.deleted_at IS NULL`,
		[]any{first.CompanyID, first.ModuleID, first.SchemaRevision}, unfounded(errMovedOn))
}

// claimAll takes unique values, in one order whatever that of the records is.
func (r *repository) claimAll(ctx context.Context, rows [][]any) error {
	if len(rows) == 0 || r.db.Dialect() == database.SQLite {
		return r.db.PipelineRows(ctx, whyInsert, r.inserts.uniques, rows, nil)
	}
	slices.SortFunc(rows, func(a, b []any) int { return strings.Compare(a[3].(string), b[3].(string)) }) //nolint:forcetypeassert // see insertAll
	columns, err := database.Transposed(rows)
	if err != nil {
		return err
	}
	query := "WITH claimed AS (" + r.inserts.uniques.Many() + " ON CONFLICT DO NOTHING RETURNING 1) SELECT 1 / CAST(count(*) = ? AS integer) FROM claimed"

	return r.db.Pipeline(ctx, whyInsert, query, append(columns, len(rows)), unfounded(errMovedOn))
}

// indexedValues appends rows of custom_modules_index.
func (r *repository) indexedValues(to [][]any, row recordRow, values []indexed) [][]any {
	for _, v := range values {
		args := []any{row.CompanyID, row.ID, v.field.id}
		for _, kind := range field.Indexes() {
			if v.field.slot.kind() != kind {
				args = append(args, nil)

				continue
			}
			args = append(args, bindKey(r.db.Dialect(), kind, v.key))
		}
		to = append(to, args)
	}

	return to
}

// setWordsAll is setWords for records that have words.
func (r *repository) setWordsAll(ctx context.Context, rows [][]any) error {
	return r.db.PipelineRows(ctx, whySearch, r.inserts.words, rows, nil)
}

// claimed names a value of a unique field.
type claimedValue struct {
	field uuid.UUID
	value string
}

// holders returns which records of a module have unique values.
func (r *repository) holders(ctx context.Context, module uuid.UUID, values []claimedValue) (map[claimedValue]uuid.UUID, error) {
	found := map[claimedValue]uuid.UUID{}
	byField := map[uuid.UUID][]string{}
	for _, v := range values {
		byField[v.field] = append(byField[v.field], v.value)
	}
	for field, texts := range byField {
		var rows []uniqueRow
		err := r.db.Dynamic(ctx).Where("module_id = ? AND field_id = ? AND value IN ?", module, field, texts).Find(&rows).Error
		if err != nil {
			return nil, database.Translate(err)
		}
		for _, row := range rows {
			found[claimedValue{row.FieldID, row.Value}] = row.RecordID
		}
	}

	return found, nil
}

// mostForeseen is how many bytes a document has that is read ahead.
const mostForeseen = 16 << 10

// present returns those of some records that are there and not large, as held does, and which ids are in use for
// others. Who calls holds them, or meets whoever changes them.
func (r *repository) present(ctx context.Context, module uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]recordRow, map[uuid.UUID]bool, error) {
	there, used := map[uuid.UUID]recordRow{}, map[uuid.UUID]bool{}
	if len(ids) == 0 {
		return there, used, nil
	}
	size := "length(data)"
	if r.db.Dialect() == database.Postgres {
		size = "octet_length(CAST(data AS text))"
	}
	var rows []recordRow
	err := r.db.Dynamic(ctx).Select(recordColumns+", schema_revision, "+moduleRevision).
		Where("id IN ? AND module_id = ? AND deleted_at IS NULL AND "+size+" <= ?", ids, module, mostForeseen).Find(&rows).Error
	if err != nil {
		return nil, nil, database.Translate(err)
	}
	for _, row := range rows {
		there[row.ID] = row
	}
	if len(there) == len(ids) {
		return there, used, nil
	}
	var known []uuid.UUID
	if err := r.db.Dynamic(ctx).Model(&recordRow{}).Where("id IN ?", ids).Pluck("id", &known).Error; err != nil {
		return nil, nil, database.Translate(err)
	}
	for _, id := range known {
		_, is := there[id]
		used[id] = !is
	}

	return there, used, nil
}
