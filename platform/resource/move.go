package resource

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/resource/moving"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Pointer is the manifest line of a table of the area whose rows name an item of any type by two columns, and that belongs to
// no resource: its references move with those of resources. The table has the columns company_id and id.
func Pointer(table, typeColumn, idColumn string) fx.Option {
	return module.Contribute("resource.Pointer", table, nil, func(at module.At) fx.Option {
		return module.Register(at, func(e, _ *Engine) error {
			e.pointers = append(e.pointers, moving.Pointer{Table: table, TypeColumn: typeColumn, IDColumn: idColumn})

			return nil
		})
	})
}

// mover moves the references that an area keeps in a form of its own. It returns the rows that it moved.
type mover func(ctx context.Context, m Moving) ([]Moved, error)

// MovesReferences is the manifest line of an area whose rows refer to items by other means than fields of resources and
// columns (Pointer), such as values in documents. T is a type of the area. The method is called in the transaction of Move; it
// leaves rows alone that m.Among does not select, and refuses more than moving.Most rows of one reference with
// moving.ErrTooMany.
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
		ids, err := p.Move(ctx, e.db, m)
		if err != nil {
			return nil, fmt.Errorf("references of %s: %w", p.Table, err)
		}
		if len(ids) > 0 {
			all = append(all, Moved{Of: p.Table, By: p.IDColumn, Rows: ids})
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

// move implements served.
func (r *table) move(ctx context.Context, m Moving) (all []Moved, err error) {
	for _, f := range r.plan.References() {
		if !f.AnyItem && f.Item != m.Type {
			continue
		}
		only, every := m.Among(r.Item, f.Key)
		if !every && len(only) == 0 {
			continue
		}
		tx := r.engine.db.Dynamic(ctx).Model(r.plan.New()).Where("deleted_at IS NULL")
		if f.AnyItem {
			tx = tx.Where(f.Columns[0]+" = ? AND "+f.Columns[1]+" = ?", m.Type, m.From)
		} else {
			tx = tx.Where(f.Column+" = ?", m.From)
		}
		if !every {
			tx = database.WithID(tx, "id", only)
		}
		var ids []uuid.UUID
		if err := tx.Order("id").Limit(moving.Most+1).Pluck("id", &ids).Error; err != nil {
			return nil, database.Translate(err)
		}
		if len(ids) > moving.Most {
			return nil, moving.ErrTooMany.WithDetail("type", r.Item)
		}
		var moved []uuid.UUID
		for some := range slices.Chunk(ids, moving.Together) {
			done, err := r.moveRows(ctx, f, some, m.To)
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
func (r *table) moveRows(ctx context.Context, f *columns.Field, ids []uuid.UUID, to uuid.UUID) (moved []uuid.UUID, err error) {
	ctx, err = r.withOwn(ctx)
	if err != nil {
		return nil, err
	}
	all := r.together()
	if err := all.lockRows(ctx, ids); err != nil {
		return nil, err
	}
	rows := make([]any, len(ids))
	for i, id := range ids {
		rows[i] = r.plan.New()
		if _, err := all.change(ctx, id, web.IfMatch{}, Move, func(_ context.Context, row any) error {
			f.Refer(columns.ValueOf(row), to)

			return nil
		}, rows[i]); err != nil {
			return nil, err
		}
	}
	if err := all.flush(ctx); err != nil {
		return nil, err
	}
	for i := range rows {
		if ref, named := f.Ref(columns.ValueOf(rows[i])); named && ref.UUID == to {
			moved = append(moved, ids[i])
		}
	}

	return moved, nil
}
