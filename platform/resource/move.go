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
	// Of is the item type of the rows, or their table (Pointer), and By the reference: the key of a field, or a column.
	Of   string      `json:"of"`
	By   string      `json:"by"`
	Rows []uuid.UUID `json:"rows"`
}

// mostMoved bounds the rows of one reference that one Move changes, which is one transaction; movedTogether are stored at once.
const mostMoved, movedTogether = 5_000, 250

// errTooManyReferences says that a transaction would become too large.
var errTooManyReferences = errs.New(errs.Conflict, "resource.too_many_references",
	fmt.Sprintf("More than %d rows of one kind refer to it.", mostMoved))

// MoveErrors are what Move fails with, beside what areas refuse.
var MoveErrors = []*errs.Error{errTooManyReferences}

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

	return all, nil
}

// among are the rows that are meant of a reference; all is true for whichever there are.
func (m Moving) among(of, by string) (ids []uuid.UUID, all bool) {
	for _, one := range m.Only {
		if one.Of == of && one.By == by {
			ids = append(ids, one.Rows...)
		}
	}

	return ids, m.Only == nil
}

func (e *Engine) movePointer(ctx context.Context, p pointer, m Moving) (ids []uuid.UUID, err error) {
	only, all := m.among(p.table, p.idColumn)
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
		only, every := m.among(r.Item, f.Key)
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
		if err := tx.Order("id").Limit(mostMoved+1).Pluck("id", &ids).Error; err != nil {
			return nil, database.Translate(err)
		}
		if len(ids) > mostMoved {
			return nil, errTooManyReferences.WithDetail("type", r.Item)
		}
		var moved []uuid.UUID
		for some := range slices.Chunk(ids, movedTogether) {
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
