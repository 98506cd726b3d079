package resource

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
)

// StructField is a field of the struct of a resource's rows.
type StructField struct {
	Key    string
	Type   field.Type
	Values field.Values
	// Sensitive says that the values require a scope beside that of the rows, which is Scope.
	Sensitive bool
	Scope     string
}

// StructFields are the fields of the struct of a type's rows, but for what every row has. There are none of a type that is
// no resource, or whose area is off.
func (e *Engine) StructFields(item string) []StructField {
	r, known := e.resources[item]
	if !known {
		return nil
	}

	return r.structFields()
}

func (r *table) structFields() []StructField {
	var all []StructField
	t, everyRow := r.plan.Type(), r.plan.MetaKeys()
	for _, f := range r.plan.Fields {
		if !everyRow[f.Key] {
			typ, values := f.FieldType(t.FieldByIndex(f.Index).Type)
			all = append(all, StructField{Key: f.Key, Type: typ.Shaped(values), Values: values, Sensitive: f.Guard != "", Scope: f.Scope})
		}
	}

	return all
}

// Following is what is done to rows whose company has changed its own fields: to those of a type behind an id, most at most.
type Following struct {
	After uuid.UUID
	Most  int
	// Do brings what is kept of the rows up to date. They are held until the transaction in ctx ends.
	Do func(ctx context.Context, rows []OwnRow) error
	// Search says that what q= finds the rows by has changed.
	Search bool
}

// FollowOwn does it, and returns the id of the last of the rows, uuid.Nil for none. The company comes from ctx.
func (e *Engine) FollowOwn(ctx context.Context, item string, f Following) (last uuid.UUID, err error) {
	r, known := e.resources[item]
	if !known {
		return uuid.Nil, nil // the area is off
	}

	return r.followOwn(ctx, f)
}

func (r *table) followOwn(ctx context.Context, f Following) (last uuid.UUID, err error) {
	rows, err := r.all(database.ForUpdate(r.engine.db.Conn(ctx)).Where("id > ?", f.After).Order("id").Limit(f.Most))
	if err != nil || len(rows) == 0 {
		return uuid.Nil, err
	}
	own := make([]OwnRow, len(rows))
	for i := range rows {
		own[i] = r.ownRow(rows[i])
	}

	last = own[len(own)-1].ID
	if err := f.Do(ctx, own); err != nil || !f.Search {
		return last, err
	}
	entries, err := r.entries(ctx, rows)
	if err != nil {
		return last, err
	}

	return last, r.engine.index.Put(ctx, entries...)
}
