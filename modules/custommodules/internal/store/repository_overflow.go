package store

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// SetIndexed leaves values of a record, which is held or stored with them, to be kept in
// custom_modules_index. Of these fields it keeps nothing else; with none, the record is new.
func (r *Repository) SetIndexed(ctx context.Context, row definition.RecordRow, values []definition.Indexed, fields []*definition.ModuleField) error {
	if fields != nil {
		values = valuesOf(values, fields)
	}

	return r.writeIndexed(ctx, row, values, fields, "", nil)
}

// SetIndexedAt is SetIndexed, unless the record has another version by then.
func (r *Repository) SetIndexedAt(ctx context.Context, row definition.RecordRow, values []definition.Indexed, fields []*definition.ModuleField) error {
	const there = `EXISTS (SELECT 1 FROM custom_modules_records WHERE company_id = ? AND id = ? AND version = ? AND rolled = ? AND deleted_at IS NULL)`

	return r.writeIndexed(ctx, row, values, fields, there, []any{principal.CompanyOf(ctx), row.ID, row.Version, row.Rolled})
}

// valuesOf returns the values that some fields have.
func valuesOf(values []definition.Indexed, fields []*definition.ModuleField) []definition.Indexed {
	of := map[*definition.ModuleField]bool{}
	for _, f := range fields {
		of[f] = true
	}
	var kept []definition.Indexed
	for _, v := range values {
		if of[v.Field] {
			kept = append(kept, v)
		}
	}

	return kept
}

// writeIndexed takes the rows of the fields without a value away, and stores the values.
func (r *Repository) writeIndexed(ctx context.Context, row definition.RecordRow, values []definition.Indexed, fields []*definition.ModuleField, only string, bound []any) error {
	if err := r.emptyIndexed(ctx, row, values, fields, only, bound); err != nil || len(values) == 0 {
		return err
	}
	selects, args := r.indexedSelects(ctx, row, values, only, bound)
	var sets []string
	for _, kind := range field.Indexes {
		sets = append(sets, definition.KindColumn(kind)+" = excluded."+definition.KindColumn(kind))
	}

	return r.DB.Pipeline(ctx, definition.WhyIndex, `INSERT INTO custom_modules_index
		(company_id, record_id, field_id, `+indexedColumns(definition.KindColumn)+`) `+selects+`
		ON CONFLICT (company_id, record_id, field_id) DO UPDATE SET `+strings.Join(sets, ", "), args, nil)
}

func (r *Repository) emptyIndexed(ctx context.Context, row definition.RecordRow, values []definition.Indexed, fields []*definition.ModuleField, only string, bound []any) error {
	full := map[*definition.ModuleField]bool{}
	for _, v := range values {
		full[v.Field] = true
	}
	args := []any{principal.CompanyOf(ctx), row.ID}
	var marks []string
	for _, f := range fields {
		if !full[f] {
			marks, args = append(marks, "?"), append(args, f.ID)
		}
	}
	if marks == nil {
		return nil
	}
	if only != "" {
		only = " AND " + only
	}

	return r.DB.Pipeline(ctx, definition.WhyIndex, "DELETE FROM custom_modules_index WHERE company_id = ? AND record_id = ? AND field_id IN ("+
		strings.Join(marks, ", ")+")"+only, append(args, bound...), nil)
}

// indexedSelects makes a row of each value.
func (r *Repository) indexedSelects(ctx context.Context, row definition.RecordRow, values []definition.Indexed, only string, bound []any) (string, []any) {
	if only == "" {
		only = "1 = 1" // without a WHERE, SQLite would take ON CONFLICT for a join
	}
	sql := "SELECT " + strings.Repeat(r.bound("uuid")+", ", 3) + indexedColumns(func(kind field.Index) string { return r.bound(sqlType(kind)) }) +
		" WHERE " + only
	selects := make([]string, len(values))
	var args []any
	for i, v := range values {
		selects[i] = sql
		args = append(args, principal.CompanyOf(ctx), row.ID, v.Field.ID)
		for _, kind := range field.Indexes {
			if v.Field.Slot.Kind() != kind {
				args = append(args, nil)

				continue
			}
			args = append(args, definition.BindKey(r.DB.Dialect(), kind, v.Key))
		}
		args = append(args, bound...)
	}

	return strings.Join(selects, " UNION ALL "), args
}

// bound is the SQL for a value of a type that PostgreSQL cannot tell by itself.
func (r *Repository) bound(sqlType string) string {
	if r.DB.Dialect() == database.Postgres {
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

// indexedColumns lists something for each column of values.
func indexedColumns(what func(field.Index) string) string {
	var all []string
	for _, kind := range field.Indexes {
		all = append(all, what(kind))
	}

	return strings.Join(all, ", ")
}

// RemoveIndexed leaves all rows of a record to be taken away.
func (r *Repository) RemoveIndexed(ctx context.Context, record uuid.UUID) error {
	return r.DB.Pipeline(ctx, definition.WhyIndex, "DELETE FROM custom_modules_index WHERE company_id = ? AND record_id = ?",
		[]any{principal.CompanyOf(ctx), record}, nil)
}

// KeepsIndexed reports whether the values of a field belong into custom_modules_index.
func (r *Repository) KeepsIndexed(ctx context.Context, field uuid.UUID) (bool, error) {
	var rows []definition.FieldRow
	err := r.DB.Conn(ctx).Select("slot").Where("id = ? AND deleted_at IS NULL", field).Find(&rows).Error

	return len(rows) > 0 && rows[0].Overflows(), database.Translate(err)
}

// ClearIndexed takes rows of a field away, most at most, and returns how many.
func (r *Repository) ClearIndexed(ctx context.Context, field uuid.UUID, kind field.Index, most int) (int64, error) {
	result := r.DB.Raw(ctx, definition.WhyIndex).Exec(`DELETE FROM custom_modules_index WHERE company_id = ? AND field_id = ? AND record_id IN (
			SELECT record_id FROM custom_modules_index WHERE company_id = ? AND field_id = ? AND `+definition.KindColumn(kind)+` IS NOT NULL LIMIT ?)`,
		principal.CompanyOf(ctx), field, principal.CompanyOf(ctx), field, most)

	return result.RowsAffected, database.Translate(result.Error)
}
