package custommodules

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const whyIndex = "an index beside the records; the company is bound"

// beside says how lists reach the values of the field, nil if these are in the records themselves.
func (f *moduleField) beside() *list.Beside {
	if !f.overflow || !f.indexed {
		return nil
	}
	x := f.alias()

	return &list.Beside{ID: x + ".record_id", Join: func(tx *gorm.DB, how string) *gorm.DB {
		company := principal.CompanyOf(tx.Statement.Context)

		return database.Unchecked(tx, whyIndex).
			Joins(how+" custom_modules_index AS "+x+" ON "+x+".company_id = ? AND "+x+".field_id = ? AND "+
				x+".record_id = custom_modules_records.id", company, f.id).
			Where("custom_modules_records.company_id = ?", company)
	}}
}

// within adds the conditions of all lists of records. Where the order is led by the rows of a field, these are
// all of the module: if PostgreSQL could tell that from the condition it would expect next to none of the
// records to be of it, take that for few, and sort all.
func (d *definition) within(tx *gorm.DB, led bool) *gorm.DB {
	if led {
		return tx.Where("CASE WHEN custom_modules_records.module_id = ? THEN deleted_at IS NULL ELSE FALSE END", d.module)
	}

	return tx.Where("custom_modules_records.module_id = ? AND deleted_at IS NULL", d.module)
}

// setIndexed leaves values of a record, which is held or stored with them, to be kept in
// custom_modules_index. Of these fields it keeps nothing else; with none, the record is new.
func (r *repository) setIndexed(ctx context.Context, row recordRow, values []indexed, fields []*moduleField) error {
	if fields != nil {
		values = valuesOf(values, fields)
	}

	return r.writeIndexed(ctx, row, values, fields, "", nil)
}

// setIndexedAt is setIndexed, unless the record has another version by then.
func (r *repository) setIndexedAt(ctx context.Context, row recordRow, values []indexed, fields []*moduleField) error {
	const there = `EXISTS (SELECT 1 FROM custom_modules_records WHERE company_id = ? AND id = ? AND version = ? AND rolled = ? AND deleted_at IS NULL)`

	return r.writeIndexed(ctx, row, values, fields, there, []any{principal.CompanyOf(ctx), row.ID, row.Version, row.Rolled})
}

// valuesOf returns the values that some fields have.
func valuesOf(values []indexed, fields []*moduleField) []indexed {
	of := map[*moduleField]bool{}
	for _, f := range fields {
		of[f] = true
	}
	var kept []indexed
	for _, v := range values {
		if of[v.field] {
			kept = append(kept, v)
		}
	}

	return kept
}

// writeIndexed takes the rows of the fields without a value away, and stores the values.
func (r *repository) writeIndexed(ctx context.Context, row recordRow, values []indexed, fields []*moduleField, only string, bound []any) error {
	if err := r.emptyIndexed(ctx, row, values, fields, only, bound); err != nil || len(values) == 0 {
		return err
	}
	selects, args := r.indexedSelects(ctx, row, values, only, bound)
	var sets []string
	for _, kind := range field.Indexes() {
		sets = append(sets, kindColumn(kind)+" = excluded."+kindColumn(kind))
	}

	return r.db.Pipeline(ctx, whyIndex, `INSERT INTO custom_modules_index
		(company_id, record_id, field_id, `+indexedColumns(kindColumn)+`) `+selects+`
		ON CONFLICT (company_id, record_id, field_id) DO UPDATE SET `+strings.Join(sets, ", "), args, nil)
}

func (r *repository) emptyIndexed(ctx context.Context, row recordRow, values []indexed, fields []*moduleField, only string, bound []any) error {
	full := map[*moduleField]bool{}
	for _, v := range values {
		full[v.field] = true
	}
	args := []any{principal.CompanyOf(ctx), row.ID}
	var marks []string
	for _, f := range fields {
		if !full[f] {
			marks, args = append(marks, "?"), append(args, f.id)
		}
	}
	if marks == nil {
		return nil
	}
	if only != "" {
		only = " AND " + only
	}

	return r.db.Pipeline(ctx, whyIndex, "DELETE FROM custom_modules_index WHERE company_id = ? AND record_id = ? AND field_id IN ("+
		strings.Join(marks, ", ")+")"+only, append(args, bound...), nil)
}

// indexedSelects makes a row of each value.
func (r *repository) indexedSelects(ctx context.Context, row recordRow, values []indexed, only string, bound []any) (string, []any) {
	if only == "" {
		only = "1 = 1" // without a WHERE, SQLite would take ON CONFLICT for a join
	}
	sql := "SELECT " + strings.Repeat(r.bound("uuid")+", ", 3) + indexedColumns(func(kind field.Index) string { return r.bound(sqlType(kind)) }) +
		" WHERE " + only
	selects := make([]string, len(values))
	var args []any
	for i, v := range values {
		selects[i] = sql
		args = append(args, principal.CompanyOf(ctx), row.ID, v.field.id)
		for _, kind := range field.Indexes() {
			if v.field.slot.kind() != kind {
				args = append(args, nil)

				continue
			}
			args = append(args, bindKey(r.db.Dialect(), kind, v.key))
		}
		args = append(args, bound...)
	}

	return strings.Join(selects, " UNION ALL "), args
}

// bound is the SQL for a value of a type that PostgreSQL cannot tell by itself.
func (r *repository) bound(sqlType string) string {
	if r.db.Dialect() == database.Postgres {
		return "CAST(? AS " + sqlType + ")"
	}

	return "?"
}

// sqlType is the type of the columns for a kind.
func sqlType(kind field.Index) string {
	switch kind {
	case field.TimeIndex:
		return "timestamp"
	case field.BoolIndex:
		return "boolean"
	case field.TextIndex, field.NumericIndex, field.UUIDIndex:
	}

	return string(kind)
}

// kindColumn is the column of custom_modules_index for values of a kind.
func kindColumn(kind field.Index) string { return string(kind) + "_value" }

// indexedColumns lists something for each column of values.
func indexedColumns(what func(field.Index) string) string {
	var all []string
	for _, kind := range field.Indexes() {
		all = append(all, what(kind))
	}

	return strings.Join(all, ", ")
}

// removeIndexed leaves all rows of a record to be taken away.
func (r *repository) removeIndexed(ctx context.Context, record uuid.UUID) error {
	return r.db.Pipeline(ctx, whyIndex, "DELETE FROM custom_modules_index WHERE company_id = ? AND record_id = ?",
		[]any{principal.CompanyOf(ctx), record}, nil)
}

// keepsIndexed reports whether the values of a field belong into custom_modules_index.
func (r *repository) keepsIndexed(ctx context.Context, field uuid.UUID) (bool, error) {
	var rows []fieldRow
	err := r.db.Conn(ctx).Select("slot").Where("id = ? AND deleted_at IS NULL", field).Find(&rows).Error

	return len(rows) > 0 && rows[0].overflows(), database.Translate(err)
}

// clearIndexed takes rows of a field away, most at most, and returns how many.
func (r *repository) clearIndexed(ctx context.Context, field uuid.UUID, kind field.Index, most int) (int64, error) {
	result := r.db.Raw(ctx, whyIndex).Exec(`DELETE FROM custom_modules_index WHERE company_id = ? AND field_id = ? AND record_id IN (
			SELECT record_id FROM custom_modules_index WHERE company_id = ? AND field_id = ? AND `+kindColumn(kind)+` IS NOT NULL LIMIT ?)`,
		principal.CompanyOf(ctx), field, principal.CompanyOf(ctx), field, most)

	return result.RowsAffected, database.Translate(result.Error)
}
