package resource

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Moving says which references are to move: those to the item From of a type come to name the item To.
type Moving struct {
	Type     string
	From, To uuid.UUID
	// Only are the rows that are meant, as an earlier Move has returned them; nil is all.
	Only []Moved
}

// Moved are rows of which a reference has moved.
type Moved struct {
	// Of is the item type of the rows, or their table (Pointer), and By the reference: the key or the UUID of a field, or a column.
	Of   string      `json:"of"`
	By   string      `json:"by"`
	Rows []uuid.UUID `json:"rows"`
}

// MostMoved bounds the rows of one reference that one Move changes, which is one transaction; MovedTogether are stored at once.
const MostMoved, MovedTogether = 5_000, 250

// ErrTooManyReferences reports that a transaction would become too large.
var ErrTooManyReferences = errs.New(errs.Conflict, "resource.too_many_references",
	fmt.Sprintf("More than %d rows of one kind refer to the item that would be replaced. Keep that item, and replace the other one by it.", MostMoved))

// ErrReferenceTaken reports that a unique field of one row would name the item that another row names already.
var ErrReferenceTaken = errs.New(errs.Conflict, "resource.reference_taken",
	"Two rows with the same unique field refer to the two items. Change the field of one of them, or delete it.")

// MoveErrors are what Move fails with, beside what areas refuse.
var MoveErrors = []*errs.Error{ErrTooManyReferences, ErrReferenceTaken}

// pointer is a table of an area that is no resource whose rows name items of any type.
type pointer struct{ table, typeColumn, idColumn string }

// Pointer is the manifest line of a table of the area whose rows name an item of any type by two columns, and that belongs to
// no resource: its references move with those of resources. The table has the columns company_id and id.
func Pointer(table, typeColumn, idColumn string) fx.Option {
	return module.Contribute("resource.Pointer", table, nil, func(at module.At) fx.Option {
		return module.Register(at, func(e, _ *Engine) error {
			e.pointers = append(e.pointers, pointer{table, typeColumn, idColumn})

			return nil
		})
	})
}

// mover moves the references that an area keeps in a form of its own. It returns the rows that it moved.
type mover func(ctx context.Context, m Moving) ([]Moved, error)

// MovesReferences is the manifest line of an area whose rows refer to items by other means than fields of resources and
// columns (Pointer), such as values in documents. T is a type of the area. The method is called in the transaction of Move; it
// leaves rows alone that m.Among does not select, and refuses more than MostMoved rows of one reference with
// ErrTooManyReferences.
func MovesReferences[T any](move func(T, context.Context, Moving) ([]Moved, error)) fx.Option {
	return module.Contribute("resource.MovesReferences", module.FuncName(move), nil, func(at module.At) fx.Option {
		return module.Register(at, func(e *Engine, t T) error {
			e.movers = append(e.movers, func(ctx context.Context, m Moving) ([]Moved, error) { return move(t, ctx, m) })

			return nil
		})
	})
}

// Move has all rows that refer to an item refer to another one of its type, with versions, audit entries and events as for
// other changes (Verb Move), and returns those rows. Areas may keep a row as it is (BeforeAll). Rows that are
// deleted stay. It is called in a transaction. Errors: MoveErrors, and those of areas.
func (e *Engine) Move(ctx context.Context, m Moving) ([]Moved, error) {
	var all []Moved
	for _, name := range slices.Sorted(maps.Keys(e.resources)) {
		moved, err := e.resources[name].move(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("references of %s: %w", name, err)
		}
		all = append(all, moved...)
	}
	for _, p := range e.pointers {
		ids, err := e.movePointer(ctx, p, m)
		if err != nil {
			return nil, fmt.Errorf("references of %s: %w", p.table, err)
		}
		if len(ids) > 0 {
			all = append(all, Moved{Of: p.table, By: p.idColumn, Rows: ids})
		}
	}
	for _, move := range e.movers {
		moved, err := move(ctx, m)
		if err != nil {
			return nil, err
		}
		all = append(all, moved...)
	}

	return all, nil
}

// Among returns the rows of a reference that are to move; all is true for every row that has it.
func (m Moving) Among(of, by string) (ids []uuid.UUID, all bool) {
	for _, one := range m.Only {
		if one.Of == of && one.By == by {
			ids = append(ids, one.Rows...)
		}
	}

	return ids, m.Only == nil
}

func (e *Engine) movePointer(ctx context.Context, p pointer, m Moving) (ids []uuid.UUID, err error) {
	only, all := m.Among(p.table, p.idColumn)
	if !all && len(only) == 0 {
		return nil, nil
	}
	where, args := "", []any{m.To, companyOf(ctx), m.Type, m.From}
	if !all {
		among, value := e.db.Dialect().AmongIDs("id", only)
		where, args = " AND "+among, append(args, value)
	}
	err = e.db.Raw(ctx, "tables that areas have named; the company is bound").Raw("UPDATE "+p.table+" SET "+p.idColumn+" = ? WHERE company_id = ? AND "+
		p.typeColumn+" = ? AND "+p.idColumn+" = ?"+where+" RETURNING id", args...).Scan(&ids).Error

	return ids, database.Translate(err)
}

// move implements served.
func (r *Resource[R]) move(ctx context.Context, m Moving) (all []Moved, err error) {
	for _, f := range r.plan.References() {
		if !f.AnyItem && f.Item != m.Type {
			continue
		}
		only, every := m.Among(r.Item, f.Key)
		if !every && len(only) == 0 {
			continue
		}
		tx := r.engine.db.Dynamic(ctx).Model(new(R)).Where("deleted_at IS NULL")
		if f.AnyItem {
			tx = tx.Where(f.Columns[0]+" = ? AND "+f.Columns[1]+" = ?", m.Type, m.From)
		} else {
			tx = tx.Where(f.Column+" = ?", m.From)
		}
		if !every {
			tx = database.WithID(tx, "id", only)
		}
		var ids []uuid.UUID
		if err := tx.Order("id").Limit(MostMoved+1).Pluck("id", &ids).Error; err != nil {
			return nil, database.Translate(err)
		}
		if len(ids) > MostMoved {
			return nil, ErrTooManyReferences.WithDetail("type", r.Item)
		}
		var moved []uuid.UUID
		for some := range slices.Chunk(ids, MovedTogether) {
			done, err := moveRows(ctx, r, f, some, m.To)
			if err != nil {
				return nil, err
			}
			moved = append(moved, done...)
		}
		if len(moved) > 0 {
			all = append(all, Moved{Of: r.Item, By: f.Key, Rows: moved})
		}
	}

	return all, nil
}

// moveRows moves a reference of rows, and returns those that the area did not keep as they were.
func moveRows[R any](ctx context.Context, r *Resource[R], f *columns.Field, ids []uuid.UUID, to uuid.UUID) (moved []uuid.UUID, err error) {
	ctx, err = r.withOwn(ctx)
	if err != nil {
		return nil, err
	}
	all := r.together()
	if err := all.lockRows(ctx, ids); err != nil {
		return nil, err
	}
	rows := make([]R, len(ids))
	for i, id := range ids {
		if _, err := all.change(ctx, id, web.IfMatch{}, Move, func(_ context.Context, row *R) error {
			f.Refer(columns.ValueOf(row), to)

			return nil
		}, &rows[i]); err != nil {
			return nil, err
		}
	}
	if err := all.flush(ctx); err != nil {
		return nil, err
	}
	for i := range rows {
		if ref, named := f.Ref(reflect.ValueOf(&rows[i]).Elem()); named && ref.UUID == to {
			moved = append(moved, ids[i])
		}
	}

	return moved, nil
}
