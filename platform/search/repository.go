// Package search finds rows of any kind by a part of what is written in them, without regard to case and accents.
//
// Each row that can be found has an Entry in one table for all kinds, which is written in the transaction, and on PostgreSQL
// in the message, of the row itself. Two indexes find it: trigrams by pg_trgm on PostgreSQL, by FTS5 on SQLite.
//
//	index.Put(ctx, search.Entry{Company: company, Type: "trucks.truck", ID: id, Lines: []search.Line{{Text: "Blue 12"}, {Text: vin}}})
//	ids, err := index.Find(ctx, search.Rows{Type: "trucks.truck"}, search.Parse("blue"), 100)
//	hits, err := index.Hits(ctx, search.Scope{Types: types}, search.Parse("blue"), 20)
package search

import (
	"context"
	"encoding/binary"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const why = "an index of texts; the company is bound"

// Entry is what a row is found by.
type Entry struct {
	Company uuid.UUID
	// Type is the type of the row as an item: "trucks.truck".
	Type string
	ID   uuid.UUID
	// Part is that of the item which the row is about, "" for none: what is hidden from a caller is not found.
	Part    string
	Deleted bool
	// Lines are the texts. The first is the title, empty for a row without one.
	Lines []Line
}

// Line is a text of a row.
type Line struct {
	Text string
	// More is what it is found by too, such as another way to write a number.
	More string
}

// shown and folded are the texts of a row as they are shown and compared, a line each.
func (e Entry) shown() string {
	lines := make([]string, len(e.Lines))
	for i, l := range e.Lines {
		lines[i] = strings.Join(strings.Fields(strings.ReplaceAll(l.Text, "\x00", "")), " ")
	}

	return strings.Join(lines, "\n")
}

func (e Entry) folded() string {
	var text strings.Builder
	for _, l := range e.Lines {
		text.WriteString(foldText(l.Text))
		if l.More != "" {
			text.WriteString(" " + foldText(l.More))
		}
		text.WriteByte('\n')
	}

	return text.String()
}

// Index finds rows. It may be used from several goroutines.
type Index struct {
	db  *database.DB
	put database.Rows
}

// New returns the index of a database.
func New(db *database.DB) *Index {
	columns, types := "company_id, item_type, item_id, part, deleted, shown, folded", []string{"uuid", "text", "uuid", "text", "boolean", "text", "text"}
	if db.Dialect() == database.SQLite {
		columns, types = columns+", mark", append(types, "text")
	}

	return &Index{db: db, put: database.NewRows("INSERT INTO resource_search ("+columns+")", database.PlainValues(types...),
		`ON CONFLICT (company_id, item_type, item_id) DO UPDATE
			SET part = excluded.part, deleted = excluded.deleted, shown = excluded.shown, folded = excluded.folded`)}
}

// Put keeps entries in the transaction in ctx, each in the place of the one that the row had.
func (x *Index) Put(ctx context.Context, entries ...Entry) error {
	rows := make([][]any, len(entries))
	for i, e := range entries {
		rows[i] = []any{e.Company, e.Type, e.ID, e.Part, e.Deleted, e.shown(), e.folded()}
		if x.db.Dialect() == database.SQLite {
			rows[i] = append(rows[i], companyMark(e.Company))
		}
	}

	return x.db.PipelineRows(ctx, why, x.put, rows, nil)
}

// Remove takes rows of a type out of the index, whatever company's, in the transaction in ctx.
func (x *Index) Remove(ctx context.Context, typ string, rows []database.Place) error {
	if len(rows) == 0 {
		return nil
	}
	keys := make([][]any, len(rows))
	for i, row := range rows {
		keys[i] = []any{row.CompanyID, typ, row.ID}
	}

	return database.Translate(x.db.Raw(ctx, why).Exec("DELETE FROM resource_search WHERE (company_id, item_type, item_id) IN ?", keys).Error)
}

// RemoveAll takes the rows of a type out of the index that a query selects the ids of, in the transaction in ctx. They are of
// the caller's company.
func (x *Index) RemoveAll(ctx context.Context, typ, ids string, args ...any) error {
	return x.db.Pipeline(ctx, why, "DELETE FROM resource_search WHERE company_id = ? AND item_type = ? AND item_id IN ("+ids+")",
		append([]any{principal.CompanyOf(ctx), typ}, args...), nil)
}

// The characters of marks are for private use: no text that is compared has them.
const (
	firstOfMarks, lastOfMarks = '\uE000', '\uF8FF'
	markBits                  = 12
)

// companyMark is three characters, one trigram, that the texts of a company have in common on SQLite: there, an index has all
// companies' texts, and what is searched for is intersected with it. Two companies may have the same.
func companyMark(company uuid.UUID) string {
	const mask = 1<<markBits - 1
	n := binary.BigEndian.Uint64(company[8:]) // the random half

	return string([]rune{firstOfMarks + rune(n&mask), firstOfMarks + rune(n>>markBits&mask), firstOfMarks + rune(n>>(2*markBits)&mask)})
}

// Rows are those of a type, either those that are deleted or those that are not.
type Rows struct {
	Type    string
	Deleted bool
}

// Find returns rows of the caller's company that contain all terms, in no order; most at most.
func (x *Index) Find(ctx context.Context, of Rows, terms Terms, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	query, args := x.findSQL(principal.CompanyOf(ctx), of, terms, most)
	err := x.read(ctx).Raw(query, args...).Scan(&ids).Error

	return ids, database.Translate(err)
}

func (x *Index) findSQL(company uuid.UUID, of Rows, terms Terms, most int) (query string, args []any) {
	from, where, args := x.match(company, terms)

	return "SELECT s.item_id FROM " + from + " WHERE " + where + " AND s.item_type = ? AND s.deleted = ? LIMIT ?",
		append(args, of.Type, of.Deleted, most)
}

// read is where searches are sent: they are planned for the terms at hand.
func (x *Index) read(ctx context.Context) *gorm.DB {
	return database.UncheckedRaw(x.db.Dynamic(ctx), why)
}

// match is where to look for the texts of a company that contain all terms, and by which conditions. The table of the texts
// is s.
func (x *Index) match(company uuid.UUID, terms Terms) (from, where string, args []any) {
	from, where, args = "resource_search AS s", "s.company_id = ?", []any{company}
	if x.db.Dialect() == database.SQLite {
		if query := trigramQuery(company, terms); query != "" {
			from = "resource_search_grams AS g CROSS JOIN resource_search AS s ON s.doc = g.rowid"
			where, args = "g.resource_search_grams MATCH ? AND "+where, append([]any{query}, args...)
		}
	}
	for _, term := range terms {
		if x.db.Dialect() == database.Postgres && hasTrigram(term) {
			where, args = where+" AND s.folded LIKE ?", append(args, "%"+escapeLike(term)+"%")
		} else {
			where, args = where+" AND "+x.contains("s.folded"), append(args, term)
		}
	}

	return from, where, args
}

// escapeLike makes the characters that LIKE knows stand for themselves.
func escapeLike(term string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(term)
}

// contains is the condition that a text contains a bound one.
func (x *Index) contains(text string) string {
	if x.db.Dialect() == database.Postgres {
		return "strpos(" + text + ", ?) > 0"
	}

	return "instr(" + text + ", ?) > 0"
}

// hasTrigram reports whether pg_trgm finds a trigram in a part of a text: it knows letters and digits alone.
func hasTrigram(term string) bool {
	run := 0
	for _, r := range term {
		if run++; !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			run = 0
		}
		if run == 3 {
			return true
		}
	}

	return false
}

// trigramQuery is a query of the index of SQLite for the texts of a company that have all trigrams of the terms, "" if they have none.
func trigramQuery(company uuid.UUID, terms Terms) string {
	all, seen := []string{quoteTerm(companyMark(company))}, map[string]bool{}
	for _, term := range terms {
		runes := []rune(term)
		for i := 0; i+3 <= len(runes); i++ {
			if gram := string(runes[i : i+3]); !seen[gram] {
				seen[gram] = true
				all = append(all, quoteTerm(gram))
			}
		}
	}
	if len(all) == 1 {
		return ""
	}

	return strings.Join(all, " AND ")
}

func quoteTerm(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
