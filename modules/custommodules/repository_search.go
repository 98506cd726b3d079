package custommodules

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const whySearch = "an index of words; the company is bound"

// setWords leaves the words of a record that is held to be kept.
func (r *repository) setWords(ctx context.Context, row recordRow, words string) error {
	if words == "" {
		return r.db.Pipeline(ctx, whySearch, "DELETE FROM custom_modules_search WHERE company_id = ? AND record_id = ?",
			[]any{principal.CompanyOf(ctx), row.ID}, nil)
	}

	return r.db.PipelineRows(ctx, whySearch, r.inserts.words, [][]any{wordValues(ctx, row, words)}, nil)
}

// setWordsAt is setWords, unless the record has another version by then.
func (r *repository) setWordsAt(ctx context.Context, row recordRow, words string) error {
	const there = ` FROM custom_modules_records WHERE company_id = ? AND id = ? AND version = ? AND rolled = ? AND deleted_at IS NULL`

	if words == "" {
		return r.db.Pipeline(ctx, whySearch,
			"DELETE FROM custom_modules_search WHERE company_id = ? AND record_id = ? AND EXISTS (SELECT 1"+there+")",
			[]any{principal.CompanyOf(ctx), row.ID, principal.CompanyOf(ctx), row.ID, row.Version, row.Rolled}, nil)
	}

	return r.db.Pipeline(ctx, whySearch, `INSERT INTO custom_modules_search (company_id, module_id, record_id, words)
		SELECT company_id, module_id, id, `+r.vector()+there+`
		ON CONFLICT (company_id, record_id) DO UPDATE SET words = excluded.words`,
		[]any{words, principal.CompanyOf(ctx), row.ID, row.Version, row.Rolled}, nil)
}

// vector binds words.
func (r *repository) vector() string {
	if r.db.Dialect() == database.Postgres {
		return "CAST(? AS tsvector)"
	}

	return "?"
}

// matching returns records of a module that have all words, or words that begin with them; most at most. It
// reads the postings of the module's own words.
func (r *repository) matching(ctx context.Context, module uuid.UUID, words []string, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	statement, args := r.matchingSQL(ctx, "record_id", module, words)
	err := r.db.Raw(ctx, whySearch).Raw(statement+" LIMIT ?", append(args, most)...).Scan(&ids).Error

	return ids, database.Translate(err)
}

// countMatching counts what matching would return without a bound. The words of deleted records are not
// kept.
func (r *repository) countMatching(ctx context.Context, module uuid.UUID, words []string) (int64, error) {
	var count int64
	statement, args := r.matchingSQL(ctx, "count(*)", module, words)
	err := r.db.Raw(ctx, whySearch).Raw(statement, args...).Scan(&count).Error

	return count, database.Translate(err)
}

// matchingSQL selects from the records of a module that have all words. On PostgreSQL it goes by the words
// first: the index of the company's records is no help.
func (r *repository) matchingSQL(ctx context.Context, what string, module uuid.UUID, words []string) (string, []any) {
	statement, query := `WITH found AS MATERIALIZED (
			SELECT company_id, module_id, record_id FROM custom_modules_search WHERE words @@ CAST(? AS tsquery))
		SELECT `+what+` FROM found WHERE company_id = ? AND module_id = ?`, queryOf(module, words, "'", "':* & ", "':*")
	if r.db.Dialect() == database.SQLite {
		statement, query = "SELECT "+what+` FROM custom_modules_search_words AS w CROSS JOIN custom_modules_search AS s ON s.doc = w.rowid
			WHERE w.custom_modules_search_words MATCH ? AND s.company_id = ? AND s.module_id = ?`, queryOf(module, words, `"`, `" * AND `, `" *`)
	}

	return statement, []any{query, principal.CompanyOf(ctx), module}
}

// queryOf writes a query of the index. Words are letters and digits alone.
func queryOf(module uuid.UUID, words []string, begin, between, end string) string {
	mark := searchMark(module)

	return begin + mark + strings.Join(words, between+begin+mark) + end
}

// narrow narrows a list of records. Words that many records have are looked for record by record: the list
// finds some soon.
func (r *repository) narrow(tx *gorm.DB, q list.Query, to *narrowing) *gorm.DB {
	if to == nil {
		return tx
	}
	if to.few {
		return database.WithID(tx, "custom_modules_records.id", q.Among(to.ids))
	}
	const of = ` FROM custom_modules_search AS s
		WHERE s.company_id = custom_modules_records.company_id AND s.record_id = custom_modules_records.id)`
	if r.db.Dialect() == database.Postgres {
		return tx.Where("(SELECT s.words @@ CAST(? AS tsquery)"+of, queryOf(to.module, to.words, "'", "':* & ", "':*"))
	}
	mark := searchMark(to.module)
	conditions, args := make([]string, len(to.words)), make([]any, len(to.words))
	for i, word := range to.words {
		conditions[i], args[i] = "instr(' ' || s.words, ?) > 0", " "+mark+word
	}

	return tx.Where("(SELECT "+strings.Join(conditions, " AND ")+of, args...)
}
