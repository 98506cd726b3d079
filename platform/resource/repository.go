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
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/search"
)

// find is Resource.Find.
func (r *table) find(ctx context.Context, id uuid.UUID) (any, error) {
	tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
	if err != nil {
		return nil, err
	}

	return r.one(tx, "id = ? AND deleted_at IS NULL", id)
}

// findSome is Resource.FindSome.
func (r *table) findSome(ctx context.Context, ids []uuid.UUID) ([]any, error) {
	if len(ids) == 0 {
		return nil, nil
	}

	tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
	if err != nil {
		return nil, err
	}

	return r.all(tx.Where("id IN ? AND deleted_at IS NULL", ids))
}

// count is Resource.Count.
func (r *table) count(ctx context.Context, where string, args ...any) (int64, error) {
	tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
	if err != nil {
		return 0, err
	}

	return database.Count(tx.Model(r.plan.New()).Where("deleted_at IS NULL").Where(where, args...))
}

// countBy is Resource.CountBy.
func (r *table) countBy(ctx context.Context, column, where string, args ...any) (map[string]int64, error) {
	tx, err := r.visible(ctx, r.engine.db.Conn(ctx).Model(r.plan.New()))
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
func (r *table) visible(ctx context.Context, tx *gorm.DB) (*gorm.DB, error) {
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

// all are the rows of a statement.
func (r *table) all(tx *gorm.DB) ([]any, error) {
	found := reflect.New(reflect.SliceOf(r.plan.Type()))
	if err := tx.Find(found.Interface()).Error; err != nil {
		return nil, database.Translate(err)
	}
	rows := make([]any, found.Elem().Len())
	for i := range rows {
		rows[i] = found.Elem().Index(i).Addr().Interface()
	}

	return rows, nil
}

// one is the row that meets a condition.
func (r *table) one(tx *gorm.DB, where string, args ...any) (any, error) {
	row := r.plan.New()
	if err := tx.Where(where, args...).Take(row).Error; err != nil {
		return nil, database.NotFoundAs(err, r.notFound)
	}

	return row, nil
}

// page is Resource.Page.
func (r *table) page(ctx context.Context, q list.Query, deleted bool, where string, args ...any) (list.Page[any], error) {
	tx, err := r.searched(ctx, q, deleted)
	if err != nil {
		return list.Page[any]{}, err
	}
	if where != "" {
		tx = tx.Where(where, args...)
	}
	own, err := r.sortedByOwn(ctx, q)
	if err != nil {
		return list.Page[any]{}, err
	}
	key := func(row any, key string) any { return r.plan.Key(columns.ValueOf(row), key) }
	if own == nil {
		page, err := list.FindRows(tx, q, r.plan.Type(), key, nil)

		return page, database.Translate(err)
	}
	page, err := list.FindRows(tx, q, r.plan.Type(), func(row any, name string) any {
		if strings.HasPrefix(name, ownPrefix) {
			return own.key(row, name)
		}

		return key(row, name)
	}, own.readDocuments)

	return page, database.Translate(errors.Join(err, own.err))
}

// searched is a statement for the rows that are not deleted, or for those that are, which the caller may know of and q= of a
// query finds.
func (r *table) searched(ctx context.Context, q list.Query, deleted bool) (*gorm.DB, error) {
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
func (r *table) search(ctx context.Context, tx *gorm.DB, q list.Query, deleted bool) (*gorm.DB, error) {
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
func (r *table) lockRow(ctx context.Context, id uuid.UUID, deleted bool) (any, error) {
	condition := "id = ? AND deleted_at IS NULL"
	if deleted {
		condition = "id = ? AND deleted_at IS NOT NULL"
	}

	tx, err := r.visible(ctx, r.engine.db.Conn(ctx))
	if err != nil {
		return nil, err
	}

	return r.one(database.ForUpdate(tx), condition, id)
}

// hold is Resource.Hold.
func (r *table) hold(ctx context.Context, ids ...uuid.UUID) error {
	there, err := r.lockPresent(ctx, ids)
	if err == nil && slices.ContainsFunc(ids, func(id uuid.UUID) bool { return there[id] == uuid.Nil }) {
		err = r.notFound
	}

	return err
}

// heldRows returns those of some rows that are not deleted, and keeps them as they are until the transaction ends.
func (r *table) heldRows(ctx context.Context, ids []uuid.UUID) ([]any, error) {
	tx, err := r.visible(ctx, r.engine.db.Dynamic(ctx))
	if err != nil {
		return nil, err
	}

	return r.all(database.ForUpdate(tx).Where("id IN ? AND deleted_at IS NULL", ids).Order("id"))
}

// insert is Resource.Insert.
func (r *table) insert(ctx context.Context, rows []any) error {
	now, by := r.engine.clock.Now(), authorOf(ctx)
	for i := range rows {
		*columns.MetaOf(rows[i]) = columns.Row{ID: database.NewID(), Version: 1, CreatedAt: now, CreatedBy: by, UpdatedAt: now, UpdatedBy: by}
	}

	return r.engine.db.InTx(ctx, func(ctx context.Context) error { return r.insertRows(ctx, rows, nil) })
}

// remove is Resource.Remove.
func (r *table) remove(ctx context.Context, rows []any) error {
	if len(rows) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = columns.MetaOf(rows[i]).ID
	}

	return r.engine.db.InTx(ctx, func(ctx context.Context) error { return r.removeAmong(ctx, "id", ids) })
}

// insertRows inserts rows with their values in the fields that the company has added, and has them found; failed turns the error of
// the statement into what callers are told.
func (r *table) insertRows(ctx context.Context, rows []any, failed func(error) error) error {
	values, company := make([][]any, len(rows)), principal.CompanyOf(ctx)
	for i := range rows {
		values[i] = append([]any{company}, r.plan.Values(columns.ValueOf(rows[i]))...)
	}
	if err := r.engine.db.PipelineRows(ctx, whyOwn, r.plan.Forms().Insert, values, failed); err != nil {
		return err
	}
	for _, row := range rows {
		if err := r.storeOwn(ctx, row); err != nil {
			return err
		}
	}
	own := r.ownIn(ctx)
	if !r.searches(own) {
		return nil
	}
	entries := make([]search.Entry, len(rows))
	for i, row := range rows {
		entries[i] = r.entryWith(company, row, linesOf(own, columns.MetaOf(row), true))
	}

	return r.engine.index.Put(ctx, entries...)
}

// lockPresent keeps rows from being deleted until the transaction ends, and returns those of them that are there with what they are now: the row that they
// were merged into, or else themselves.
func (r *table) lockPresent(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	rows, err := r.heldRows(ctx, ids)
	there := make(map[uuid.UUID]uuid.UUID, len(rows))
	var into []uuid.UUID
	for i := range rows {
		id := columns.MetaOf(rows[i]).ID
		if there[id] = id; r.mergedInto != nil {
			if to, merged := r.mergedInto.Plain(columns.ValueOf(rows[i])).(uuid.UUID); merged {
				there[id], into = to, append(into, to)
			}
		}
	}
	if err != nil || len(into) == 0 {
		return there, err
	}
	left, err := r.heldRows(ctx, uniqueIDs(into))
	for id, to := range there {
		if to != id && !slices.ContainsFunc(left, func(row any) bool { return columns.MetaOf(row).ID == to }) {
			there[id] = id
		}
	}

	return there, err
}

// merges reports whether rows can be merged into others (platform/merge).
func (r *table) merges() bool { return r.mergedInto != nil }

// sweepStatement is the statement that removes rows of all companies that were deleted before a time, most at most, and returns
// their keys; "" if they are kept.
func (r *table) sweepStatement() string {
	if r.KeepDeleted {
		return ""
	}

	return "DELETE FROM " + r.plan.Table + " WHERE (company_id, id) IN (SELECT company_id, id FROM " + r.plan.Table +
		" WHERE deleted_at < ? LIMIT ?) RETURNING company_id, id"
}
