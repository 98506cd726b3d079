package search

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// fewFound is up to how many rows that are found are taken as a set, which a list then filters and sorts. Terms that more
// rows have are looked for row by row: the list finds some soon.
const fewFound = 1_000

// Table is a table of rows that are listed.
type Table struct {
	Rows

	Name string
	// Through are references by which rows are found, too.
	Through []Reference
}

// Reference is a column with the ids of rows of another type: a row is found if the one that it names is.
type Reference struct{ Column, Type string }

// Narrow narrows a list of rows to those that contain all terms, and those that name a row which does. Among takes of the ids
// of all rows that are found those that the page can have.
func (x *Index) Narrow(ctx context.Context, tx *gorm.DB, of Table, terms Terms, among func(ids []uuid.UUID) []uuid.UUID) (*gorm.DB, error) {
	all, err := x.Find(ctx, of.Rows, terms, fewFound+1)
	if err != nil {
		return nil, err
	}
	var parts []string
	var args []any
	add := func(part string, with []any) { parts, args = append(parts, part), append(args, with...) }
	few := len(all) <= fewFound
	add(x.either(of.Name, "id", of.Type, all, terms))
	for _, ref := range of.Through {
		named, err := x.Find(ctx, Rows{Type: ref.Type}, terms, fewFound+1)
		if err != nil {
			return nil, err
		}
		if len(named) == 0 {
			continue
		}
		where, with := x.either(of.Name, ref.Column, ref.Type, named, terms)
		add(where, with)
		if few = few && len(named) <= fewFound; few {
			ids, err := x.naming(ctx, of, where, with)
			if err != nil {
				return nil, err
			}
			all = append(all, ids...)
			few = len(all) <= fewFound
		}
	}
	if few {
		slices.SortFunc(all, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })

		return database.WithID(tx, of.Name+".id", among(slices.Compact(all))), nil
	}

	return tx.Where("("+strings.Join(parts, " OR ")+")", args...), nil
}

// either is the condition that a column of a table has one of the ids that are found, or, of too many, that the row of a type which it names
// contains all terms.
func (x *Index) either(table, column, typ string, ids []uuid.UUID, terms Terms) (where string, args []any) {
	if len(ids) <= fewFound {
		where, value := x.db.Dialect().AmongIDs(table+"."+column, ids)

		return where, []any{value}
	}
	conditions := make([]string, len(terms))
	for i, term := range terms {
		conditions[i], args = x.contains("s.folded"), append(args, term)
	}

	return "(SELECT " + strings.Join(conditions, " AND ") + " FROM resource_search AS s WHERE s.company_id = " + table +
		".company_id AND s.item_type = ? AND s.item_id = " + table + "." + column + ")", append(args, typ)
}

// naming returns the rows of a table, of the caller's company, of which a condition holds; one more than few at most.
func (x *Index) naming(ctx context.Context, of Table, where string, args []any) ([]uuid.UUID, error) {
	gone := "IS NULL"
	if of.Deleted {
		gone = "IS NOT NULL"
	}
	var ids []uuid.UUID
	err := x.read(ctx).Raw("SELECT id FROM "+of.Name+" WHERE company_id = ? AND "+where+" AND deleted_at "+gone+" LIMIT ?",
		append(append([]any{principal.CompanyOf(ctx)}, args...), fewFound+1)...).Scan(&ids).Error

	return ids, database.Translate(err)
}
