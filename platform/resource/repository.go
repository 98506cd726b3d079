package resource

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/search"
)

// Find returns a row that is not deleted. Error: <area>.<noun>_not_found.
func (r *Resource[R]) Find(ctx context.Context, id uuid.UUID) (R, error) {
	tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
	if err != nil {
		return *new(R), err
	}

	return database.One[R](tx, r.notFound, "id = ? AND deleted_at IS NULL", id)
}

// FindSome returns those of some rows that there are and that are not deleted, in no order.
func (r *Resource[R]) FindSome(ctx context.Context, ids []uuid.UUID) ([]R, error) {
	if len(ids) == 0 {
		return nil, nil
	}

	tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
	if err != nil {
		return nil, err
	}

	return database.All[R](tx.Where("id IN ? AND deleted_at IS NULL", ids))
}

// Count returns how many rows that are not deleted meet a condition, SQL with a question mark for each argument.
func (r *Resource[R]) Count(ctx context.Context, where string, args ...any) (int64, error) {
	tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
	if err != nil {
		return 0, err
	}

	return database.Count(tx.Model(new(R)).Where("deleted_at IS NULL").Where(where, args...))
}

// CountBy is Count for each value of a column, as text.
func (r *Resource[R]) CountBy(ctx context.Context, column, where string, args ...any) (map[string]int64, error) {
	tx, err := r.visible(ctx, r.engine.db.Conn(ctx).Model(new(R)))
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Value string
		N     int64
	}
	err = tx.Select("CAST("+column+" AS text) AS value, count(*) AS n").Where("deleted_at IS NULL").Where(where, args...).Group(column).Find(&rows).Error
	counts := make(map[string]int64, len(rows))
	for _, row := range rows {
		counts[row.Value] = row.N
	}

	return counts, database.Translate(err)
}

// visible narrows a statement down to rows that are about no item, or about one that the caller may know of.
func (r *Resource[R]) visible(ctx context.Context, tx *gorm.DB) (*gorm.DB, error) {
	for _, f := range r.plan.Fields {
		if !f.AnyItem && !f.Part {
			continue
		}
		var err error
		if tx, err = r.engine.Visible(ctx, tx, f.Columns[len(f.Columns)-1]); err != nil {
			return nil, err
		}
	}

	return tx, nil
}

// Visible narrows a statement of an area down to rows about items that the caller may know of (item.Hides). The column has
// the parts of the items' classes.
func (e *Engine) Visible(ctx context.Context, tx *gorm.DB, column string) (*gorm.DB, error) {
	hidden, err := e.items.Hidden(ctx)
	if err != nil || len(hidden) == 0 {
		return tx, err
	}

	return tx.Where("("+column+" IS NULL OR "+column+" NOT IN ?)", hidden), nil
}

// Where returns the rows that are not deleted and meet a condition, SQL with a question mark for each argument, in no order:
// also those about items that the caller may not know of.
func (r *Resource[R]) Where(ctx context.Context, where string, args ...any) ([]R, error) {
	return database.All[R](r.engine.db.Conn(ctx).Where("deleted_at IS NULL").Where(where, args...))
}

// Page returns a page of the rows that are not deleted, or of those that are, by a query that was parsed with Schema.
// Where, if it is not "", narrows it: SQL with a question mark for each argument.
func (r *Resource[R]) Page(ctx context.Context, q list.Query, deleted bool, where string, args ...any) (list.Page[R], error) {
	tx, err := r.searched(ctx, q, deleted)
	if err != nil {
		return list.Page[R]{}, err
	}
	if where != "" {
		tx = tx.Where(where, args...)
	}
	own, err := r.sortedByOwn(ctx, q)
	if err != nil {
		return list.Page[R]{}, err
	}
	key := func(row R, key string) any { return r.plan.Key(reflect.ValueOf(row), key) }
	if own == nil {
		page, err := list.Find(tx, q, key)

		return page, database.Translate(err)
	}
	page, err := list.FindWith(tx, q, func(row R, name string) any {
		if strings.HasPrefix(name, ownPrefix) {
			return own.key(row, name)
		}

		return key(row, name)
	}, own.readDocuments)

	return page, database.Translate(errors.Join(err, own.err))
}

// searched is a statement for the rows that are not deleted, or for those that are, which the caller may know of and q= of a
// query finds.
func (r *Resource[R]) searched(ctx context.Context, q list.Query, deleted bool) (*gorm.DB, error) {
	condition := "deleted_at IS NULL"
	if deleted {
		condition = "deleted_at IS NOT NULL"
	}
	if r.ListedWhere != "" && !slices.ContainsFunc(q.Conditions(), func(c list.Condition) bool { return c.Field == r.UnlessFiltered }) {
		condition += " AND " + r.ListedWhere
	}
	tx, err := r.visible(ctx, r.engine.db.Dynamic(ctx).Where(condition))
	if err != nil {
		return nil, err
	}

	return r.search(ctx, tx, q, deleted)
}

// search narrows a list to the rows that q= finds.
func (r *Resource[R]) search(ctx context.Context, tx *gorm.DB, q list.Query, deleted bool) (*gorm.DB, error) {
	if q.Text() == "" {
		return tx, nil
	}
	terms := search.Parse(q.Text())
	if len(terms) == 0 {
		return nil, list.ErrInvalidQuery.WithField("q", "q must have something to search for.")
	}
	of := search.Table{Rows: search.Rows{Type: r.Item, Deleted: deleted}, Name: r.plan.Table}
	for _, f := range r.plan.Through() {
		to, known := r.engine.resources[f.Item]
		if !known {
			continue
		}
		if uses, err := r.engine.finds(ctx, to); err != nil {
			return nil, err
		} else if uses {
			of.Through = append(of.Through, search.Reference{Column: f.Column, Type: f.Item})
		}
	}

	return r.engine.index.Narrow(ctx, tx, of, terms, q.Among)
}

// lockRow returns a row that is deleted, or is not, and keeps others from it until the transaction ends.
func (r *Resource[R]) lockRow(ctx context.Context, id uuid.UUID, deleted bool) (R, error) {
	condition := "id = ? AND deleted_at IS NULL"
	if deleted {
		condition = "id = ? AND deleted_at IS NOT NULL"
	}

	tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
	if err != nil {
		return *new(R), err
	}

	return database.One[R](database.ForUpdate(tx), r.notFound, condition, id)
}

// Hold keeps rows that are not deleted as they are until the transaction ends. Error: <area>.<noun>_not_found, if one of
// them is not there.
func (r *Resource[R]) Hold(ctx context.Context, ids ...uuid.UUID) error {
	there, err := r.lockPresent(ctx, ids)
	if err == nil && slices.ContainsFunc(ids, func(id uuid.UUID) bool { return there[id] == uuid.Nil }) {
		err = r.notFound
	}

	return err
}

// heldRows returns those of some rows that are not deleted, and keeps them as they are until the transaction ends.
func (r *Resource[R]) heldRows(ctx context.Context, ids []uuid.UUID) ([]R, error) {
	tx, err := r.visible(ctx, r.engine.db.Dynamic(ctx))
	if err != nil {
		return nil, err
	}

	return database.All[R](database.ForUpdate(tx).Where("id IN ? AND deleted_at IS NULL", ids).Order("id"))
}

// Insert stores new rows as the area has decided about them, many by one statement, and fills in what Row has of them.
// Audit entries and events are the area's to leave.
func (r *Resource[R]) Insert(ctx context.Context, rows []R) error {
	now, by := r.engine.clock.Now(), authorOf(ctx)
	for i := range rows {
		*columns.MetaOf(&rows[i]) = columns.Row{ID: database.NewID(), Version: 1, CreatedAt: now, CreatedBy: by, UpdatedAt: now, UpdatedBy: by}
	}

	return r.engine.db.InTx(ctx, func(ctx context.Context) error { return r.insertRows(ctx, rows, nil) })
}

// Remove removes rows for good with all that is kept of them, as the area has decided. Audit entries and events are the
// area's to leave.
func (r *Resource[R]) Remove(ctx context.Context, rows []R) error {
	if len(rows) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = columns.MetaOf(&rows[i]).ID
	}

	return r.engine.db.InTx(ctx, func(ctx context.Context) error { return r.removeAmong(ctx, "id", ids) })
}

// insertRows inserts rows with their values in the fields that the company has added, and has them found; failed turns the error of
// the statement into what callers are told.
func (r *Resource[R]) insertRows(ctx context.Context, rows []R, failed func(error) error) error {
	values, company := make([][]any, len(rows)), companyOf(ctx)
	for i := range rows {
		values[i] = append([]any{company}, r.plan.Values(columns.ValueOf(&rows[i]))...)
	}
	if err := r.engine.db.PipelineRows(ctx, whyOwn, r.plan.Forms().Insert, values, failed); err != nil {
		return err
	}
	for i := range rows {
		if err := r.storeOwn(ctx, &rows[i]); err != nil {
			return err
		}
	}
	own := r.ownIn(ctx)
	if !r.searches(own) {
		return nil
	}
	entries := make([]search.Entry, len(rows))
	for i, row := range rows {
		entries[i] = r.entryWith(company, row, linesOf(own, columns.MetaOf(&row), true))
	}

	return r.engine.index.Put(ctx, entries...)
}

// lockPresent keeps rows from being deleted until the transaction ends, and returns those of them that are there with what they are now: the row that they
// were merged into, or else themselves.
func (r *Resource[R]) lockPresent(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	rows, err := r.heldRows(ctx, ids)
	there := make(map[uuid.UUID]uuid.UUID, len(rows))
	var into []uuid.UUID
	for i := range rows {
		id := columns.MetaOf(&rows[i]).ID
		if there[id] = id; r.mergedInto != nil {
			if to, merged := r.mergedInto.Plain(columns.ValueOf(&rows[i])).(uuid.UUID); merged {
				there[id], into = to, append(into, to)
			}
		}
	}
	if err != nil || len(into) == 0 {
		return there, err
	}
	left, err := r.heldRows(ctx, uniqueIDs(into))
	for id, to := range there {
		if to != id && !slices.ContainsFunc(left, func(row R) bool { return columns.MetaOf(&row).ID == to }) {
			there[id] = id
		}
	}

	return there, err
}

// merges reports whether rows can be merged into others (platform/merge).
func (r *Resource[R]) merges() bool { return r.mergedInto != nil }

// sweepStatement is the statement that removes rows of all companies that were deleted before a time, most at most, and returns
// their keys; "" if they are kept.
func (r *rulesOf[R]) sweepStatement() string {
	if r.KeepDeleted {
		return ""
	}

	return "DELETE FROM " + r.plan.Table + " WHERE (company_id, id) IN (SELECT company_id, id FROM " + r.plan.Table +
		" WHERE deleted_at < ? LIMIT ?) RETURNING company_id, id"
}
