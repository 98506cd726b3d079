package store

import (
	"context"
	"strings"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// inserts are the statements for the rows that records leave, one or many at once.
type inserts struct{ records, links, uniques, indexed, words, history database.Rows }

func newInserts(on database.Dialect) inserts {
	lock, vector := "", database.Value{Types: []string{"text"}}
	if on == database.Postgres {
		lock, vector = " FOR KEY SHARE", database.Value{SQL: "CAST(? AS tsvector)", Types: []string{"text"}}
	}
	target := `(SELECT id FROM custom_modules_records WHERE company_id = ? AND id = ? AND module_id = ? AND deleted_at IS NULL` + lock + `)`

	return inserts{
		records: insertRecords(),
		links: database.NewRows("INSERT INTO custom_modules_links (company_id, record_id, field_id, target_id)",
			append(database.PlainValues("uuid", "uuid", "uuid"), database.Value{SQL: target, Types: []string{"uuid", "uuid", "uuid"}}), ""),
		uniques: database.NewRows("INSERT INTO custom_modules_unique (company_id, module_id, field_id, value, record_id)",
			database.PlainValues("uuid", "uuid", "uuid", "text", "uuid"), ""),
		indexed: database.NewRows("INSERT INTO custom_modules_index (company_id, record_id, field_id, "+indexedColumns(definition.KindColumn)+")",
			append(database.PlainValues("uuid", "uuid", "uuid"), database.PlainValues(kindTypes()...)...), ""),
		words: database.NewRows("INSERT INTO custom_modules_search (company_id, module_id, record_id, words)",
			append(database.PlainValues("uuid", "uuid", "uuid"), vector),
			"ON CONFLICT (company_id, record_id) DO UPDATE SET words = excluded.words"),
		history: database.NewRows(`INSERT INTO custom_modules_history
			(company_id, record_id, version, verb, changes, at, actor_kind, actor_id, request_id, source)`,
			database.PlainValues("uuid", "uuid", "bigint", "text", "jsonb", "timestamptz", "text", "uuid", "text", "text"), ""),
	}
}

func kindTypes() []string {
	var types []string
	for _, kind := range field.Indexes {
		types = append(types, sqlType(kind))
	}

	return types
}

// insertRecords inserts new records. See InsertAll for whether their module is at the right revision.
func insertRecords() database.Rows {
	var columns strings.Builder
	values := database.PlainValues("uuid", "uuid", "uuid", "bigint", "jsonb", "timestamptz", "uuid", "timestamptz", "uuid", "timestamptz")
	for _, s := range definition.AllSlots() {
		columns.WriteString(", " + string(s))
		values = append(values, database.PlainValues(sqlType(s.Kind()))...)
	}

	return database.NewRows(`INSERT INTO custom_modules_records (company_id, module_id, id, schema_revision, data,
		created_at, created_by, updated_at, updated_by, rolled_at`+columns.String()+`, version)`,
		append(values, database.Value{SQL: "1"}), "")
}

// WordValues are a row of custom_modules_search.
func WordValues(ctx context.Context, row definition.RecordRow, words string) []any {
	return []any{principal.CompanyOf(ctx), row.ModuleID, row.ID, words}
}

// AddHistory leaves versions of records to be stored in the history.
func (r *Repository) AddHistory(ctx context.Context, rows []definition.HistoryRow) error {
	values := make([][]any, len(rows))
	for i, row := range rows {
		values[i] = []any{
			principal.CompanyOf(ctx), row.RecordID, row.Version, row.Verb, row.Changes, row.At, row.ActorKind, row.ActorID, row.RequestID, row.Source,
		}
	}

	return r.DB.PipelineRows(ctx, "rows beside others; the company is bound", r.inserts.history, values, nil)
}
