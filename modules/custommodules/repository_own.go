package custommodules

import (
	"context"
	"math"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/memory"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// ownModules returns the modules of own fields by the types of their items.
func (r *repository) ownModules(ctx context.Context) (map[string]uuid.UUID, error) {
	var rows []moduleRow
	err := r.db.Conn(ctx).Select("id", "item_type").Where("item_type <> ''").Find(&rows).Error
	all := make(map[string]uuid.UUID, len(rows))
	for _, row := range rows {
		all[row.ItemType] = row.ID
	}

	return all, database.Translate(err)
}

// documents returns what is kept of those of some records of a module that there are, deleted or not.
func (r *repository) documents(ctx context.Context, module uuid.UUID, ids []uuid.UUID) ([]recordRow, error) {
	return r.bounded(ctx, r.db.Dynamic(ctx).Select("id", "data"), module, ids)
}

// heldAll returns those of some records of a module that there are, deleted or not, and keeps others from them until the
// transaction ends.
func (r *repository) heldAll(ctx context.Context, module uuid.UUID, ids []uuid.UUID) ([]recordRow, error) {
	tx := r.db.Dynamic(ctx).Clauses(clause.Locking{Strength: lockShared}).
		Select(recordColumns + ", deleted_at, schema_revision, " + moduleRevision).Order("id")

	return r.bounded(ctx, tx, module, ids)
}

// bounded reads those of some records of a module that there are. Room for them is taken from the memory of the request.
func (*repository) bounded(ctx context.Context, tx *gorm.DB, module uuid.UUID, ids []uuid.UUID) (rows []recordRow, err error) {
	bound := &database.Bound{Bytes: math.MaxInt64}
	err = bound.Of(tx).Where("module_id = ? AND id IN ?", module, ids).Find(&rows).Error
	if err == nil && bound.Read > memory.Small {
		err = memory.Take(ctx, 2*bound.Read)
	}

	return rows, database.Translate(err)
}

// besideItems is a field as lists of the items filter and sort by it. Its values are in a table of their own, from which
// nothing but the id of the item and the value is joined: its other columns have the names of theirs.
func (d *definition) besideItems(f *moduleField, table string) list.Field {
	alias := "own" + f.number + "_" + f.typ.Inside
	from, of, where := "custom_modules_records", "id", "module_id = ? AND deleted_at IS NULL"
	id := d.module
	value := f.expression(d.dialect)
	if f.beside() != nil {
		from, of, where, id = "custom_modules_index", "record_id", "field_id = ?", f.id
		value = kindColumn(f.slot.kind())
	}
	made := f.listField(d.dialect)
	made.Expr = alias + ".own_value"
	made.SumParts = f.sumParts(d.dialect, made.Expr)
	made.Beside = &list.Beside{ID: alias + ".own_id", Join: func(tx *gorm.DB, how string) *gorm.DB {
		company := principal.CompanyOf(tx.Statement.Context)

		return database.Unchecked(tx, whyIndex).
			Joins(how+" (SELECT "+of+" AS own_id, "+value+" AS own_value FROM "+from+" WHERE company_id = ? AND "+where+") AS "+alias+
				" ON "+alias+".own_id = "+table+".id", company, id).
			Where(table+".company_id = ?", company)
	}}

	return made
}
