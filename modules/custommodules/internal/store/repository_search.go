package store

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Groups groups the records of a module that are asked for.
func (r *Repository) Groups(ctx context.Context, g list.Grouping, narrow *Narrowing) (list.Groups, error) {
	tx := r.DB.Dynamic(ctx)
	switch {
	case narrow != nil && narrow.Few:
		tx = database.WithID(tx, "custom_modules_records.id", narrow.Ids)
	case narrow != nil:
		tx = r.narrow(tx, g.Query(), narrow)
	}
	groups, err := list.FindGroups(tx, &definition.RecordRow{}, g)

	return groups, database.Translate(err)
}

const whySearch = "an index of words; the company is bound"

// SetWords leaves the words of a record that is held to be kept.
func (r *Repository) SetWords(ctx context.Context, row definition.RecordRow, words string) error {
	if words == "" {
		return r.DB.Pipeline(ctx, whySearch, "DELETE FROM custom_modules_search WHERE company_id = ? AND record_id = ?",
			[]any{principal.CompanyOf(ctx), row.ID}, nil)
	}

	return r.DB.PipelineRows(ctx, whySearch, r.inserts.words, [][]any{WordValues(ctx, row, words)}, nil)
}

// SetWordsAt is SetWords, unless the record has another version by then.
func (r *Repository) SetWordsAt(ctx context.Context, row definition.RecordRow, words string) error {
	const there = ` FROM custom_modules_records WHERE company_id = ? AND id = ? AND version = ? AND rolled = ? AND deleted_at IS NULL`

	if words == "" {
		return r.DB.Pipeline(ctx, whySearch,
			"DELETE FROM custom_modules_search WHERE company_id = ? AND record_id = ? AND EXISTS (SELECT 1"+there+")",
			[]any{principal.CompanyOf(ctx), row.ID, principal.CompanyOf(ctx), row.ID, row.Version, row.Rolled}, nil)
	}

	return r.DB.Pipeline(ctx, whySearch, `INSERT INTO custom_modules_search (company_id, module_id, record_id, words)
		SELECT company_id, module_id, id, `+r.vector()+there+`
		ON CONFLICT (company_id, record_id) DO UPDATE SET words = excluded.words`,
		[]any{words, principal.CompanyOf(ctx), row.ID, row.Version, row.Rolled}, nil)
}

// vector binds words.
func (r *Repository) vector() string {
	if r.DB.Dialect() == database.Postgres {
		return "CAST(? AS tsvector)"
	}

	return "?"
}

// Matching returns records of a module that have all words, or words that begin with them; most at most. It
// reads the postings of the module's own words.
func (r *Repository) Matching(ctx context.Context, module uuid.UUID, words []string, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	statement, args := r.matchingSQL(ctx, "record_id", module, words)
	err := r.DB.Raw(ctx, whySearch).Raw(statement+" LIMIT ?", append(args, most)...).Scan(&ids).Error

	return ids, database.Translate(err)
}

// CountMatching counts what matching would return without a bound. The words of deleted records are not
// kept.
func (r *Repository) CountMatching(ctx context.Context, module uuid.UUID, words []string) (int64, error) {
	var count int64
	statement, args := r.matchingSQL(ctx, "count(*)", module, words)
	err := r.DB.Raw(ctx, whySearch).Raw(statement, args...).Scan(&count).Error

	return count, database.Translate(err)
}

// matchingSQL selects from the records of a module that have all words. On PostgreSQL it goes by the words
// first: the index of the company's records is no help.
func (r *Repository) matchingSQL(ctx context.Context, what string, module uuid.UUID, words []string) (string, []any) {
	statement, query := `WITH found AS MATERIALIZED (
			SELECT company_id, module_id, record_id FROM custom_modules_search WHERE words @@ CAST(? AS tsquery))
		SELECT `+what+` FROM found WHERE company_id = ? AND module_id = ?`, queryOf(module, words, "'", "':* & ", "':*")
	if r.DB.Dialect() == database.SQLite {
		statement, query = "SELECT "+what+` FROM custom_modules_search_words AS w CROSS JOIN custom_modules_search AS s ON s.doc = w.rowid
			WHERE w.custom_modules_search_words MATCH ? AND s.company_id = ? AND s.module_id = ?`, queryOf(module, words, `"`, `" * AND `, `" *`)
	}

	return statement, []any{query, principal.CompanyOf(ctx), module}
}

// queryOf writes a query of the index. Words are letters and digits alone.
func queryOf(module uuid.UUID, words []string, begin, between, end string) string {
	mark := definition.SearchMark(module)

	return begin + mark + strings.Join(words, between+begin+mark) + end
}

// narrow narrows a list of records. Words that many records have are looked for record by record: the list
// finds some soon.
func (r *Repository) narrow(tx *gorm.DB, q list.Query, to *Narrowing) *gorm.DB {
	if to == nil {
		return tx
	}
	if to.Few {
		return database.WithID(tx, "custom_modules_records.id", q.Among(to.Ids))
	}
	const of = ` FROM custom_modules_search AS s
		WHERE s.company_id = custom_modules_records.company_id AND s.record_id = custom_modules_records.id)`
	if r.DB.Dialect() == database.Postgres {
		return tx.Where("(SELECT s.words @@ CAST(? AS tsquery)"+of, queryOf(to.Module, to.Words, "'", "':* & ", "':*"))
	}
	mark := definition.SearchMark(to.Module)
	conditions, args := make([]string, len(to.Words)), make([]any, len(to.Words))
	for i, word := range to.Words {
		conditions[i], args[i] = "instr(' ' || s.words, ?) > 0", " "+mark+word
	}

	return tx.Where("(SELECT "+strings.Join(conditions, " AND ")+of, args...)
}
