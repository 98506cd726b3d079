package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// inserts are the statements for the rows that records leave, one or many at once.
type inserts struct{ record, records, links, uniques, indexed, words, history, usage database.Rows }

func newInserts(on database.Dialect) inserts {
	lock, vector, shard := "", database.Value{Types: []string{"text"}}, "0"
	if on == database.Postgres {
		lock, vector = " FOR KEY SHARE", database.Value{SQL: "CAST(? AS tsvector)", Types: []string{"text"}}
		shard = fmt.Sprintf("pg_backend_pid() %% %d", usageShards)
	}
	target := `(SELECT id FROM custom_modules_records WHERE company_id = ? AND id = ? AND module_id = ? AND deleted_at IS NULL` + lock + `)`

	return inserts{
		record: insertRecords(database.Value{SQL: `(SELECT 1 / count(*) FROM custom_modules_modules AS m
			WHERE m.company_id = ? AND m.id = ? AND m.revision = ? AND m.deleted_at IS NULL)`, Types: []string{"uuid", "uuid", "bigint"}}),
		records: insertRecords(database.Value{SQL: "1"}),
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
		usage: database.NewSums("custom_modules_usage", []string{"company_id", "module_id", "shard"},
			[]database.Value{{Types: []string{"uuid"}}, {Types: []string{"uuid"}}, {SQL: shard}}, "records"),
	}
}

func kindTypes() []string {
	var types []string
	for _, kind := range field.Indexes {
		types = append(types, sqlType(kind))
	}

	return types
}

// insertRecords inserts new records. Their version is 1, or no number when their module is not at the right revision; InsertAll sees
// to that otherwise.
func insertRecords(version database.Value) database.Rows {
	var columns strings.Builder
	values := database.PlainValues("uuid", "uuid", "uuid", "bigint", "jsonb", "timestamptz", "uuid", "timestamptz", "uuid", "timestamptz")
	for _, s := range definition.AllSlots() {
		columns.WriteString(", " + string(s))
		values = append(values, database.PlainValues(sqlType(s.Kind()))...)
	}

	return database.NewRows(`INSERT INTO custom_modules_records (company_id, module_id, id, schema_revision, data,
		created_at, created_by, updated_at, updated_by, rolled_at`+columns.String()+`, version)`,
		append(values, version), "")
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
