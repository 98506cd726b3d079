package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
)

// InsertAll leaves new records of one revision of a module to be stored, with what belongs to each: insert for
// many. The values of unique fields must have been looked for (see holders). If somebody took one
// meanwhile, the error is ErrMovedOn, or database.ErrDuplicate.
func (r *Repository) InsertAll(ctx context.Context, all []*Writing) error {
	if len(all) == 0 {
		return nil
	}
	var uniques, links, indexed [][]any
	for _, w := range all {
		for _, u := range w.Made.Uniques {
			uniques = append(uniques, []any{w.Row.CompanyID, w.Row.ModuleID, u.Field.ID, u.Value, w.Row.ID})
		}
		links = linkValues(links, w.Row, w.Made.Links)
		if w.Definition.Overflowed {
			indexed = r.indexedValues(indexed, w.Row, w.Made.Overflow)
		}
	}
	if err := r.claimAll(ctx, uniques); err != nil {
		return err
	}
	if err := r.insertRecords(ctx, all); err != nil {
		return err
	}
	if err := r.DB.PipelineRows(ctx, whyInsert, r.inserts.links, links, missingReferenceAs(ErrReferenceMissing)); err != nil {
		return err
	}

	return r.DB.PipelineRows(ctx, definition.WhyIndex, r.inserts.indexed, indexed, nil)
}

// insertRecords says by a statement of its own, after the records, whether the module was at their revision: by
// then the table is locked as AwaitWriters expects.
func (r *Repository) insertRecords(ctx context.Context, all []*Writing) error {
	rows := make([][]any, len(all))
	for i, w := range all {
		args := r.recordArgs(w.Row, w.Made.Keys)
		rows[i] = args[:len(args)-3] // without those of the module
	}
	if err := r.DB.PipelineRows(ctx, whyInsert, r.inserts.records, rows, nil); err != nil {
		return err
	}
	first := all[0].Row
	if r.DB.Dialect() == database.SQLite { // where no division fails
		revision, err := r.Revision(ctx, first.ModuleID)
		if errors.Is(err, definition.ErrModuleNotFound) || err == nil && revision != first.SchemaRevision {
			return ErrMovedOn
		}

		return err
	}

	return r.DB.Pipeline(ctx, whyInsert, `SELECT 1 / count(*) FROM custom_modules_modules AS m
		WHERE m.company_id = ? AND m.id = ? AND m.revision = ? AND m.deleted_at IS NULL`,
		[]any{first.CompanyID, first.ModuleID, first.SchemaRevision}, missingReferenceAs(ErrMovedOn))
}

// claimAll takes unique values, in one order whatever that of the records is.
func (r *Repository) claimAll(ctx context.Context, rows [][]any) error {
	if len(rows) == 0 || r.DB.Dialect() == database.SQLite {
		return r.DB.PipelineRows(ctx, whyInsert, r.inserts.uniques, rows, nil)
	}
	slices.SortFunc(rows, func(a, b []any) int { return strings.Compare(a[3].(string), b[3].(string)) }) //nolint:forcetypeassert // see InsertAll
	columns, err := database.Transpose(rows)
	if err != nil {
		return err
	}
	query := "WITH claimed AS (" + r.inserts.uniques.Many() + " ON CONFLICT DO NOTHING RETURNING 1) SELECT 1 / CAST(count(*) = ? AS integer) FROM claimed"

	return r.DB.Pipeline(ctx, whyInsert, query, append(columns, len(rows)), missingReferenceAs(ErrMovedOn))
}

// indexedValues appends rows of custom_modules_index.
func (r *Repository) indexedValues(to [][]any, row definition.RecordRow, values []definition.Indexed) [][]any {
	for _, v := range values {
		args := []any{row.CompanyID, row.ID, v.Field.ID}
		for _, kind := range field.Indexes {
			if v.Field.Slot.Kind() != kind {
				args = append(args, nil)

				continue
			}
			args = append(args, definition.BindKey(r.DB.Dialect(), kind, v.Key))
		}
		to = append(to, args)
	}

	return to
}

// SetWordsAll is SetWords for records that have words.
func (r *Repository) SetWordsAll(ctx context.Context, rows [][]any) error {
	return r.DB.PipelineRows(ctx, whySearch, r.inserts.words, rows, nil)
}

// ClaimedValue names a value of a unique field.
type ClaimedValue struct {
	Field uuid.UUID
	Value string
}

// UniqueHolders returns which records of a module have unique values.
func (r *Repository) UniqueHolders(ctx context.Context, module uuid.UUID, values []ClaimedValue) (map[ClaimedValue]uuid.UUID, error) {
	found := map[ClaimedValue]uuid.UUID{}
	byField := map[uuid.UUID][]string{}
	for _, v := range values {
		byField[v.Field] = append(byField[v.Field], v.Value)
	}
	for fieldID, texts := range byField {
		var rows []definition.UniqueRow
		err := r.DB.Dynamic(ctx).Where("module_id = ? AND field_id = ? AND value IN ?", module, fieldID, texts).Find(&rows).Error
		if err != nil {
			return nil, database.Translate(err)
		}
		for _, row := range rows {
			found[ClaimedValue{row.FieldID, row.Value}] = row.RecordID
		}
	}

	return found, nil
}

// mostForeseen is how many bytes a document has that is read ahead.
const mostForeseen = 16 << 10

// Present returns those of some records that are there and not large, as held does, and which ids are in use for
// others. Who calls holds them, or meets whoever changes them.
func (r *Repository) Present(ctx context.Context, module uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]definition.RecordRow, map[uuid.UUID]bool, error) {
	there, used := map[uuid.UUID]definition.RecordRow{}, map[uuid.UUID]bool{}
	if len(ids) == 0 {
		return there, used, nil
	}
	size := "length(data)"
	if r.DB.Dialect() == database.Postgres {
		size = "octet_length(CAST(data AS text))"
	}
	var rows []definition.RecordRow
	err := r.DB.Dynamic(ctx).Select(RecordColumns+", schema_revision, "+moduleRevision).
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
	if err := r.DB.Dynamic(ctx).Model(&definition.RecordRow{}).Where("id IN ?", ids).Pluck("id", &known).Error; err != nil {
		return nil, nil, database.Translate(err)
	}
	for _, id := range known {
		_, is := there[id]
		used[id] = !is
	}

	return there, used, nil
}
